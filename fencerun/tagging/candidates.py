"""Which code blocks of a page can become fences, and why the others stay as they are. Pure.

Looks at each block alone, without running it. Knows nothing of numbers, chains or carriers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from fencerun import mkdocs, transcript
from fencerun.frozen import dataclass
from fencerun.infostring import LANGUAGES
from fencerun.kinds import PYTHONS
from fencerun.page import CodeBlock, Page
from fencerun.patterns import later
from fencerun.tagging import gpu, shells, sketches
from fencerun.tagging.bindings import Bindings, bindings
from fencerun.tagging.sketches import Objection
from fencerun.transcript import SHOWN, Transcript


@dataclass(frozen=True, slots=True)
class Left:
    """A block that gets no tag. ``line`` is the page line, from 1, of what stands against it."""

    line: int
    what: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A block that may become a fence. ``needs`` are the words that say that it needs CUDA."""

    block: CodeBlock
    language: str
    code: str
    names: Bindings
    needs: str | None = None
    transcript: Transcript | None = None
    #: Whether its last value is part of its output.
    echo: bool = False

    @property
    def line(self) -> int:
        """The page line, from 1, of its opening delimiter; unique in its page."""
        return self.block.line


#: What else stands in info strings, and what it says of the block.
_OUTPUT = frozenset({"out", "output", "result", "results", "stdout"})
_NOT_RUN = frozenset(
    "ignore skip no_run norun no-run notest no-test no_test noexec no-exec no_exec "  # noqa: SIM905
    "should_panic compile_fail pseudocode pseudo eval=false exec=false".split()
)
_SKIPS = later(r"""\b(?:test|exec|eval|run|execute)=["']?(?:skip|false|no|off)\b["']?""", 2)
_WORDS = later(r"[^\s{}]+")

#: Languages that people write for those that run, and what to write.
_NEAR = {
    **dict.fromkeys(("ipython", "ipython3", "python2", "jupyter"), "python"),
    **dict.fromkeys(("python-repl", "pytb", "doctest"), "pycon"),
    **dict.fromkeys(("shell", "zsh", "ksh"), "bash"),
    **dict.fromkeys(("shell-session", "shellsession", "sh-session", "terminal"), "console"),
}
_BRACED = later(r"\{\.?(python|py|bash|sh|pycon|console|code-cell)\b", 2)
_GLUED = later(r"(python3?|py|bash|sh|pycon|console)[,;]\S+")
_OPENER = later(
    r"[ \t>]*(?:(?:[-+*]|[0-9]{1,9}[.)])[ \t]+)?(`{3,}|~{3,})[ \t]*([A-Za-z0-9]+)[^`\r\n]*\Z"
)


def candidates(page: Page) -> tuple[list[Candidate], list[Left]]:
    """The blocks of ``page`` that may become fences, and those that may not, in page order."""
    found: list[Candidate] = []
    left = [*_near(page), *_unreadable(page)]
    for block in page.untagged:
        language = LANGUAGES[block.info.language.lower()]
        against = _said(page, block) or _objection(language, block)
        if against is None:
            found.append(_candidate(language, block))
        else:
            line = block.line + (0 if against.at < 0 else 1 + against.at)
            left.append(Left(line, against.what, against.remedy))
    return found, sorted(left, key=lambda one: one.line)


def info_of(page: Page, block: CodeBlock) -> str:
    """The raw info string of a block, as it stands on the page."""
    line = page.lines.text(block.open)
    return line[line.find(block.markup) + len(block.markup) :].strip(" \t")


def _candidate(language: str, block: CodeBlock) -> Candidate:
    shown = transcript.parse(language, block.content) if language in SHOWN else None
    code = block.content if shown is None else shown.code
    if language not in PYTHONS:
        return Candidate(block, language, code, Bindings(), None, shown)
    return Candidate(block, language, code, bindings(code), gpu.needs_cuda(code), shown)


def _said(page: Page, block: CodeBlock) -> Objection | None:
    """What the block itself, or its info string, has against it; its line is the opening one."""
    if not block.closed:
        return Objection("it is never closed", f"close it with a line {block.markup}", -1)
    info = info_of(page, block)
    words = {word.lower() for word in _WORDS.findall(info[len(block.info.language) :])}
    if said := sorted(words & _OUTPUT):
        remedy = "write `text` as its language, or tag it `output:N` by hand"
        return Objection(f"its info string calls it `{said[0]}`: it is no code to run", remedy, -1)
    if said := sorted(words & _NOT_RUN):
        return Objection(f"its info string says `{said[0]}`", "tag it `fence:none`, say", -1)
    if skipped := _SKIPS.search(info):
        return Objection(f"its info string says `{skipped[0]}`", "tag it `fence:none`, say", -1)
    return None


def _objection(language: str, block: CodeBlock) -> Objection | None:
    """What the text of the block has against it."""
    if not block.content.strip():
        return Objection("it is empty", "", -1)
    if language in SHOWN:
        return _in_transcript(language, block.content)
    if language in PYTHONS:
        return sketches.objection(block.content)
    first = block.content.lstrip().split("\n")[0]
    if first.startswith("$ "):
        what = "it shows a session with prompts, and its language is a shell's"
        return Objection(what, "write `console` as its language", 0)
    return shells.objection(block.content)


def _in_transcript(language: str, content: str) -> Objection | None:
    shown = transcript.parse(language, content)
    if shown.above or not shown.turns:
        prompt = SHOWN[language]
        what = f"no `{prompt.strip()}` stands before its first line"
        return Objection(what, f"begin what is typed with `{prompt}`")
    for turn in shown.turns:
        if language == "pycon":
            against = sketches.objection(turn.code) if _is_typed(turn.code) else None
        else:
            against = shells.objection(turn.code) if turn.code.strip() else None
        if against is not None:
            return Objection(against.what, against.remedy, turn.at + against.at)
    return None


def _is_typed(code: str) -> bool:
    """Whether anything is typed at a prompt but a comment, or a wrong line that is its point."""
    lines = [line for line in code.split("\n") if line.strip()]
    return bool(lines) and not all(line.lstrip().startswith("#") for line in lines)


def _near(page: Page) -> Iterator[Left]:
    """Blocks in a language that is nearly one that runs, and in none where they look like it."""
    runnable = {block.open for block in page.untagged}
    for token in page.tokens:
        if token.type != "fence" or token.map[0] in runnable:
            continue
        info, line = token.info.strip(), token.map[0] + 1
        first = info.split(None, 1)[0].lower() if info else ""
        braced = _BRACED.match(info)
        if braced and not _is_ours(page, token.map[0]):
            what = f"`{info}`: braces that stand first are for other tools"
            language = braced[1].lower().replace("code-cell", "python")
            yield Left(line, what, f"write `{language}` first if it is to run here")
        elif glued := _GLUED.fullmatch(first):
            what = f"`{first}` is no language that runs"
            yield Left(line, what, f"write `{glued[1]}` and the rest as words of their own")
        elif first in _NEAR and not _is_ours(page, token.map[0]):
            remedy = f"write `{_NEAR[first]}` as its language if it is to run"
            yield Left(line, f"`{first}` is no language that runs", remedy)
        elif not first and (language := _guess(token.content)):
            remedy = f"write `{language}` as its language if it is to run"
            yield Left(line, f"it has no language, and looks like {language}", remedy)


def _is_ours(page: Page, line: int) -> bool:
    """Whether the block that opens on ``line``, from 0, has a tag of ours."""
    blocks = [*(f.block for f in page.fences), *(r.block for r in page.recordings), *page.excused]
    return any(block.open == line for block in (*blocks, *(file.block for file in page.files)))


_LOOKS = later(r"^(?:import \w|from [\w.]+ import |def \w+\(|class \w+[(:]|@\w)", 8)


def _guess(content: str) -> str | None:
    """The language of a block without one; None where it may be anything."""
    first = content.lstrip().split("\n")[0]
    if first.startswith(">>> "):
        return "pycon"
    if first.startswith("$ "):
        return "console"
    if _LOOKS.search(content) and sketches.objection(content) is None:
        return "python"
    return None


def _unreadable(page: Page) -> Iterator[Left]:
    """What looks like a block to run, and is an HTML block or indented code to Markdown."""
    for index, token in enumerate(page.tokens):
        if token.type not in ("html_block", "code_block") or token.map is None:
            continue
        if token.type == "html_block" and token.content.lstrip().startswith("<!--"):
            continue
        for line in range(*token.map):
            opener = _OPENER.match(page.lines.text(line))
            if opener is None or opener[2].lower() not in LANGUAGES:
                continue
            if token.type == "html_block":
                what = f"it lies in the HTML block that begins on line {token.map[0] + 1}"
                yield Left(line + 1, what, "put a blank line before it")
            else:
                what = "it is indented by four spaces or more, which makes it text"
                yield Left(line + 1, what, _indented(page.tokens, index))


def _indented(tokens: Sequence[Any], index: int) -> str:
    above = str(tokens[index - 2].content).rpartition("\n")[2] if index >= 2 else ""
    if mkdocs.opens(above):
        return "set `syntax: mkdocs`, or indent it less"
    return "indent it less"
