"""Transcripts: code blocks that show prompts, what is typed there, and what that printed. Pure.

``pycon`` is a session of Python, ``console`` one of a shell. Only splits text; knows nothing of
pages, of running or of comparing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from fencerun.frozen import dataclass
from fencerun.patterns import later

#: What a line begins with that is typed at a prompt, and one that goes on with it, by language.
_PROMPTS = {
    "pycon": (re.compile(r">>>(?: |\Z)"), re.compile(r"\.\.\.(?: |\Z)")),
    "console": (re.compile(r"\$(?: |\Z)"), re.compile(r">(?: |\Z)")),
}

#: How the prompts look, for messages.
SHOWN = {"pycon": ">>> ", "console": "$ "}

_HEAD = later(r"Traceback \((?:most recent call last|innermost last)\):\s*\Z")
#: What stands for the frames of a traceback, which no comparison looks at.
FRAMES = "  ..."


@dataclass(frozen=True, slots=True)
class Turn:
    """What is typed at one prompt, and the lines below it.

    ``at`` counts the lines of the block above it. ``output`` is without the blank lines at its
    end, which are ``gap``: they set the next prompt off.
    """

    at: int
    prompts: tuple[str, ...]
    code: str
    output: tuple[str, ...]
    gap: tuple[str, ...] = ()

    @property
    def raises(self) -> bool:
        """Whether its output shows a traceback."""
        return any(_HEAD.match(line) for line in self.output)


@dataclass(frozen=True, slots=True)
class Transcript:
    """The turns of a block; ``above`` are lines before the first prompt, where none belong."""

    turns: tuple[Turn, ...]
    above: tuple[str, ...] = ()

    @property
    def code(self) -> str:
        """All that is typed, without prompts."""
        return "".join(f"{turn.code}\n" for turn in self.turns)

    @property
    def in_place(self) -> str:
        """All that is typed, each line as far down as in the block."""
        lines: list[str] = []
        for turn in self.turns:
            lines += [""] * (turn.at - len(lines))
            lines += turn.code.split("\n")
        return "\n".join(lines) + "\n"

    @property
    def typed(self) -> tuple[str, ...]:
        """The lines with prompts."""
        return tuple(line for turn in self.turns for line in turn.prompts)


def parse(language: str, content: str) -> Transcript:
    """The transcript in a block of ``pycon`` or ``console``."""
    prompt, more = _PROMPTS[language]
    turns: list[Turn] = []
    above: list[str] = []
    lines = content.removesuffix("\n").split("\n") if content else []
    at = 0
    while at < len(lines) and not prompt.match(lines[at]):
        above.append(lines[at])
        at += 1
    while at < len(lines):
        end = at + 1
        while end < len(lines) and more.match(lines[end]):
            end += 1
        until = end
        while until < len(lines) and not prompt.match(lines[until]):
            until += 1
        turns.append(_turn(lines, at, end, until, len(SHOWN[language])))
        at = until
    return Transcript(tuple(turns), tuple(line for line in above if line.strip()))


def _turn(lines: Sequence[str], at: int, end: int, until: int, width: int) -> Turn:
    last = until
    while last > end and not lines[last - 1].strip():
        last -= 1
    prompts = tuple(lines[at:end])
    # Both prompts of a language are of one width.
    code = "\n".join(line[width:] for line in prompts)
    return Turn(at, prompts, code, tuple(lines[end:last]), tuple(lines[last:until]))


def with_outputs(turns: Sequence[Turn], outputs: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """The lines of the block with these outputs below the prompts."""
    lines: list[str] = []
    for turn, output in zip(turns, outputs, strict=True):
        lines += (*turn.prompts, *output, *turn.gap)
    return tuple(lines)


def split(lines: Sequence[str], turns: Sequence[Turn]) -> tuple[tuple[str, ...], ...] | None:
    """What each turn printed, of lines that ``with_outputs`` made; None where they do not fit."""
    places = []
    at = 0
    for turn in turns:
        count = len(turn.prompts)
        while tuple(lines[at : at + count]) != turn.prompts:
            at += 1
            if at > len(lines) - count:
                return None
        places.append((at, at + count))
        at += count
    ends = [*(start for start, _ in places[1:]), len(lines)][: len(places)]
    return tuple(tuple(lines[s:e]) for (_, s), e in zip(places, ends, strict=True))


def as_printed(language: str, lines: Sequence[str]) -> tuple[str, ...]:
    """The lines of a block, with tracebacks as the worker writes them."""
    turns = parse(language, "\n".join(lines)).turns
    shown = [without_frames(turn.output) for turn in turns]
    return with_outputs(turns, shown)


def without_frames(lines: Sequence[str]) -> tuple[str, ...]:
    """A turn's output whose traceback shows no frames, as the worker writes it."""
    for at, line in enumerate(lines):
        if _HEAD.match(line):
            rest = list(lines[at + 1 :])
            while rest and (rest[0][:1] in ("", " ", "\t") or rest[0].startswith("...")):
                del rest[0]
            return (*lines[:at], "Traceback (most recent call last):", FRAMES, *rest)
    return tuple(lines)
