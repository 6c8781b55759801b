"""The modules beside a page that its code imports, found in the text alone. Pure.

The same on every machine and Python: the text is scanned with our own patterns, never parsed, so
that code newer than this interpreter reads alike everywhere. What is imported by a computed name,
or from outside the page's directory, is not found. Knows nothing of pages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from fencerun.patterns import later

#: Reads a file by its path relative to the page's directory (``pkg/mod.py``); None without one.
Read = Callable[[str], "bytes | None"]

# Identifiers, by a rule that no edition of Unicode changes: ASCII's, and all beyond ASCII.
# Told by what is left out: to compile a class that reaches beyond ASCII takes 5 ms.
_ID = r"[^\x00-@\[-^`{-\x7f][^\x00-/:-@\[-^`{-\x7f]*"
_DOTTED = rf"{_ID}(?:\ ?\.\ ?{_ID})*"

# Strings, comments and continued lines, whichever comes first. A quote that nothing closes ends
# with its line, so that a later line keeps its import and no quote is scanned twice.
_TEXT = later(
    r"""
      (?P<string> \"\"\"(?:[^\\]|\\.)*?(?:\"\"\"|\Z) | '''(?:[^\\]|\\.)*?(?:'''|\Z)
                | "(?:[^"\\\n]|\\.)*"? | '(?:[^'\\\n]|\\.)*'? )
    | (?P<comment> \#[^\n]* )
    | (?P<joined> \\\n )
    """,
    re.VERBOSE | re.DOTALL,
)
# For text whose runs of blanks are single spaces: two runs that may meet take quadratic time.
_STATEMENT = later(
    rf"""
    (?: ^ | [;:] ) \ ?
    (?: import \  (?P<modules> {_DOTTED} [^;\n]* )
      | from \ ? (?P<dots> (?:\.\ ?)* ) (?P<base> {_DOTTED} )? \ ? \b import \b \ ?
        (?: \( (?P<inside> [^()]* ) \) | (?P<names> [^;\n]* ) )
    )
    """,
    re.VERBOSE | re.MULTILINE,
)
_BLANKS = later(r"[ \t\f]+")
_FIRST = later(rf"[ \n]*({_DOTTED})")
_BY_NAME = later(rf"\b(?:import_module|__import__)\(\s*(['\"])({_ID}(?:\.{_ID})*)\1")


def find(sources: Iterable[str], read: Read) -> tuple[tuple[str, bytes], ...]:
    """The files that these sources import, directly or through each other, by path.

    A source's imports are looked for in the page's directory, a module's in its package too.
    """
    found: dict[str, bytes] = {}
    missing: set[str] = set()
    waiting = [name for source in sources for name in imports(source)]
    seen = set(waiting)
    while waiting:
        for path in _files(waiting.pop(), read, found, missing):
            package = path.removesuffix(".py").split("/")[:-1]
            for name in imports(decoded(found[path]), tuple(package)):
                if name not in seen:
                    seen.add(name)
                    waiting.append(name)
    return tuple(sorted(found.items()))


def _files(name: str, read: Read, found: dict[str, bytes], missing: set[str]) -> Iterator[str]:
    """The files that importing ``a.b.c`` runs and that are not yet found; they are noted."""
    parts = name.split(".")
    for count in range(1, len(parts) + 1):
        stem = "/".join(parts[:count])
        for path in (f"{stem}/__init__.py", f"{stem}.py"):  # a package wins over a module
            if path in found:
                break
            data = None if path in missing else read(path)
            if data is not None:
                found[path] = data
                yield path
                break
            missing.add(path)


def decoded(data: bytes) -> str:
    """The text of a module, as ``imports`` takes it."""
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    return text.replace("\r\n", "\n").replace("\r", "\n")


@lru_cache(maxsize=1024)
def imports(source: str, package: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The dotted names that ``source`` may import, each once; lines end in ``\\n``.

    ``from a import b`` gives ``a`` and ``a.b``, which may be a module. ``package`` is where
    leading dots start from; they lead nowhere above the page's directory.
    """
    text = _TEXT.sub(
        lambda match: "" if match["comment"] else " " if match["joined"] else '""', source
    )
    text = _BLANKS.sub(" ", text)
    names: dict[str, None] = {}
    for statement in _STATEMENT.finditer(text):
        if statement["modules"]:
            names |= dict.fromkeys(_listed(statement["modules"]))
            continue
        base = _base(statement["dots"], statement["base"], package)
        if base is None:
            continue
        names |= dict.fromkeys([base] if base else [])
        members = statement["inside"] or statement["names"] or ""
        names |= dict.fromkeys(f"{base}.{name}" if base else name for name in _listed(members))
    if "import_module" in source or "__import__" in source:
        names |= dict.fromkeys(match[2] for match in _BY_NAME.finditer(source))
    return tuple(names)


def _base(dots: str, base: str | None, package: tuple[str, ...]) -> str | None:
    """What stands between ``from`` and ``import``, as an absolute name; None out of reach."""
    name = _bare(base or "")
    level = dots.count(".")
    if not level:
        return name or None
    if level - 1 > len(package):
        return None
    return ".".join((*package[: len(package) - level + 1], *([name] if name else [])))


def _listed(text: str) -> Iterator[str]:
    """The names of ``a.b as c, d``."""
    for item in text.split(","):
        if match := _FIRST.match(item):
            yield _bare(match[1])


def _bare(dotted: str) -> str:
    return dotted.replace(" ", "")
