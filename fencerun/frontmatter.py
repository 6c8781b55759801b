"""A page's own settings: its front matter, or a comment at its top.

A small rule of our own finds the front matter: a first line ``---`` (YAML) or ``+++`` (TOML), up
to the next such line (``...`` also ends YAML). TOML is skipped unread. YAML is loaded only when
it names fencerun, so that a page costs no YAML parser otherwise. Knows nothing of blocks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, Literal, get_args

from fencerun.events import Problem
from fencerun.frozen import dataclass
from fencerun.patterns import later
from fencerun.tags import PAGE_KEYS, TagError, Tags, named, nearest, read_default
from fencerun.text import Lines

# Two runs of blanks that may meet would take quadratic time.
_COMMENT = later(r"<!--[ \t]+fencerun:[ \t]*(?![ \t])((?:.*[^ \t\n])?)[ \t]*-->[ \t\r\n]*\Z")
_SETTING = later(r'([A-Za-z_]+)=(?:"([^"]*)"|(\S*))\Z')
_FENCE = later(r"(?:`{3,}|~{3,})[^`]*?[ \t{]fence[:=]\"?[0-9]")
_MAPPING = later(r"[\"']?fencerun[\"']?[ \t]*:")
_NAMESPACE = later(r"[A-Za-z_][A-Za-z0-9_]*\Z")

#: Which fences are compared: all, those that have a recording, or none (they only have to run).
Records = Literal["all", "present", "none"]
#: Where chains run: in the page's directory, or in a fresh one with links to what is beside it.
WorkingDirectory = Literal["page", "scratch"]
#: How a page is read: as CommonMark, or with the admonitions and tabs of MkDocs.
Syntax = Literal["commonmark", "mkdocs"]


@dataclass(frozen=True, slots=True)
class PageSettings:
    """What a page says for all its fences. Empty where it says nothing."""

    op_namespace: str | None = None
    defaults: Tags = field(default_factory=Tags)
    record: Records | None = None
    cwd: WorkingDirectory | None = None
    #: A Python file, relative to the page or, where the project sets it, to the root.
    setup: str | None = None
    syntax: Syntax | None = None

    def over(self, base: PageSettings) -> PageSettings:
        """These settings, and where they say nothing, those of ``base``."""
        return PageSettings(
            self.op_namespace or base.op_namespace,
            self.defaults.over(base.defaults),
            self.record or base.record,
            self.cwd or base.cwd,
            self.setup or base.setup,
            self.syntax or base.syntax,
        )


def read(lines: Lines, path: str) -> tuple[int, PageSettings | None, tuple[Problem, ...]]:
    """How many lines the front matter takes, what it sets, and what is wrong with it.

    The settings are None where there is no ``fencerun`` mapping, so that a comment may follow.
    """
    count = extent(lines)
    if not count:
        return count, None, ()
    text = lines.source[lines.end[0] : lines.start[count - 1]]
    if "fence" not in text:
        return count, None, ()
    if swallowed := _swallowed(lines, path, count):
        return count, None, (swallowed,)
    if "fencerun" not in text or lines.text(0).startswith("+++"):
        return count, None, ()
    import yaml

    try:
        found = _ours(yaml.SafeLoader(text))
    except Exception as error:  # PyYAML's constructors raise whatever int() and datetime do
        mark = getattr(error, "problem_mark", None)
        line = 2 + (mark.line if mark else 0)
        why = getattr(error, "problem", None) or (str(error).split("\n")[0] or type(error).__name__)
        what = f"the front matter is not YAML: {why}"
        return count, PageSettings(), (Problem(path, line, "front-matter", what, "mend it"),)
    if found is None:
        return count, None, ()
    line = next((k + 1 for k in range(count) if _MAPPING.match(lines.text(k))), 1)
    settings, problems = from_mapping(found[0], path, line, lines, count)
    return count, settings, problems


def _swallowed(lines: Lines, path: str, count: int) -> Problem | None:
    """A tagged fence between two rules that make it front matter; neither YAML nor TOML has one."""
    for line in range(1, count):
        if _FENCE.match(lines.text(line)):
            what = "this looks like a tagged fence and never runs: it lies in the front matter"
            remedy = f"end the front matter above it, or write *** for the rule on line {count}"
            return Problem(path, line + 1, "not-a-fence", what, remedy, also=(1, count))
    return None


def _ours(loader: Any) -> tuple[object] | None:
    """What stands under ``fencerun`` in a YAML mapping; None where nothing does.

    The rest belongs to other tools, which may have tags and dates of their own: it is parsed and
    not made into values. Raises whatever a constructor does.
    """
    node = loader.get_single_node()
    pairs = node.value if getattr(node, "id", "") == "mapping" else ()
    for key, value in reversed(pairs):  # the last one counts
        if key.value == "fencerun":
            return (loader.construct_document(value),)
    return None


def extent(lines: Lines) -> int:
    """How many lines the front matter takes, with those around it; 0 where there is none."""
    if len(lines) < 2:
        return 0
    opener = lines.text(0).rstrip(" \t")
    closers = {"---": ("---", "..."), "+++": ("+++",)}.get(opener)
    if closers is None:
        return 0
    for line in range(1, len(lines)):
        if lines.text(line).rstrip(" \t") in closers:
            return line + 1
    return 0


def from_comment(html: str, path: str, line: int) -> tuple[PageSettings, tuple[Problem, ...]]:
    """The settings in ``<!-- fencerun: continues=previous rtol=1e-4 -->``; none elsewhere."""
    match = _COMMENT.match(html)
    if match is None:
        if html.lstrip().startswith("<!-- fencerun:"):
            what = "a settings comment that does not parse"
            remedy = "write `<!-- fencerun: timeout=10 -->` on one line"
            return PageSettings(), (Problem(path, line, "settings", what, remedy),)
        return PageSettings(), ()
    mapping: dict[str, Any] = {}
    for word in re.findall(r'(?:[^\s"]|"[^"]*")+', match[1]):
        setting = _SETTING.match(word)
        if setting is None:
            what = f"`{word}` is no setting"
            return PageSettings(), (Problem(path, line, "settings", what, "write `name=value`"),)
        mapping[setting[1]] = setting[2] if setting[2] is not None else setting[3]
    return from_mapping(mapping, path, line)


def from_mapping(
    mapping: object, path: str, line: int, lines: Lines | None = None, stop: int = 0
) -> tuple[PageSettings, tuple[Problem, ...]]:
    """The settings in a mapping of front matter, a comment or pyproject.toml."""
    if not isinstance(mapping, Mapping):
        what = "`fencerun` holds no settings"
        return PageSettings(), (Problem(path, line, "settings", what, "write `name: value` in it"),)
    tags: dict[str, Any] = {}
    own: dict[str, Any] = {}
    problems: list[Problem] = []
    for name, value in mapping.items():
        try:
            if name in _OWN:
                own[name] = _OWN[name](value)
            elif name not in PAGE_KEYS:
                raise TagError(f"no setting is called `{name}`", nearest(str(name), NAMES))
            else:
                tags |= read_default(str(name), value)
        except TagError as error:
            at = _line_of(str(name), lines, line, stop) or line
            what = named(name, error.args[0]) if name in NAMES else error.args[0]
            problems.append(Problem(path, at, "settings", what, error.args[1]))
        except (ValueError, RecursionError):  # a number too long, or lists too deep, to be shown
            at = _line_of(str(name), lines, line, stop) or line
            what = f"`{name}` has a value that cannot be"
            problems.append(Problem(path, at, "settings", what, "write a shorter one"))
    return PageSettings(defaults=Tags(**tags), **own), tuple(problems)


def _namespace(value: object) -> str:
    if not isinstance(value, str) or not _NAMESPACE.match(value):
        raise TagError(f"{value!r} is no operator namespace", "write a name such as pytc_m25")
    return value


def _one_of(name: str, known: tuple[str, ...]) -> Callable[[object], str]:
    def read(value: object) -> str:
        if value not in known:
            *first, last = known
            raise TagError(f"`{name}` is {value!r}", f"write {', '.join(first)} or {last}")
        return str(value)

    return read


def _setup(value: object) -> str:
    if not isinstance(value, str) or not value.strip() or "\\" in value or "\0" in value:
        raise TagError(
            f"`setup` is {value!r}, which names no file", "write a path with /, such as setup.py"
        )
    if value.startswith("/"):
        raise TagError(
            f"`setup` is {value!r}: another place on each machine", "write a relative path"
        )
    return value.strip()


#: The settings that are no tags, and how their values are read.
_OWN: Mapping[str, Callable[[object], object]] = {
    "op_namespace": _namespace,
    "record": _one_of("record", get_args(Records)),
    "cwd": _one_of("cwd", get_args(WorkingDirectory)),
    "setup": _setup,
    "syntax": _one_of("syntax", get_args(Syntax)),
}

#: All that a page or a project may set for its fences.
NAMES = (*_OWN, *PAGE_KEYS)


def _line_of(name: str, lines: Lines | None, line: int, stop: int) -> int | None:
    """The line of a setting below ``line``, that of the mapping; both count from 1."""
    if lines is None:
        return None
    pattern = re.compile(rf"[ \t]+{re.escape(name)}[ \t]*:")
    return next((k + 1 for k in range(line, stop) if pattern.match(lines.text(k))), None)
