"""Prose that speaks of a fence which its page does not have: "fence 9" where there are seven. Pure.

A number that changed, or a fence that went, leaves such a sentence behind. What may mean another
page is passed over: a sentence with a link or the name of a file, or one that speaks of a lesson,
a chapter or a page by its number.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from fencerun.events import Problem
from fencerun.patterns import later

_NUMBER = r"[1-9][0-9]{0,5}(?![\w]|[.,:][0-9])"
_MENTION = later(
    rf"(?<![\w-])[Ff]ences?[ \u00a0\n]({_NUMBER}(?:(?:, ?(?:and |or )?| and | or | to |[-–])"
    rf"{_NUMBER})*)(?!::|-\w)"
)
_DIGITS = later(r"[0-9]+")
#: What is not prose: code spans, links and images, autolinks and tags, up to 2,000 characters.
_APART = later(
    r"(?<!`)(`+)(?!`)[^`].{0,2000}?(?<!`)\1(?!`)|!?\[[^\[\]]{0,500}\](?:\([^()\s]{0,500}[^()]{0,200}\)"
    r"|\[[^\[\]]{0,200}\])?|<[A-Za-z/!][^<>]{0,2000}>",
    16,  # re.DOTALL
)
_STOP = later(r"[.!?](?=[\s\"')\]*_])")
#: What makes the fences of a sentence those of another page.
_LINK = later(r"\.(?:md|markdown|ipynb|py)\b|\]\(|\]\[|::[0-9]|https?:", 2)  # re.IGNORECASE
#: And what does so up to the end of a paragraph.
_ELSEWHERE = later(
    r"\b(?:lesson|chapter|page|part|module|notebook|unit|week|tutorial|section|appendix|day)s?"
    r"[ \u00a0\n][0-9IVX]"
    r"|\b(?:another|other|next|previous|last|earlier|first|that|each|every|whose|their|any)"
    r"[ \u00a0\n](?:lesson|chapter|page|part|module|notebook|tutorial|section|file)",
    2,
)
_OF = later(r"[ \u00a0\n](?:of|in|on|from)[ \u00a0\n](?!this\b|the (?:same )?(?:page|lesson)\b)")


def unknown(
    path: str, tokens: Sequence[Any], numbers: Collection[int], skipped: Collection[int] = ()
) -> Iterator[Problem]:
    """A warning for each fence that prose speaks of and that is not among ``numbers``.

    ``skipped`` are indexes of tokens that are not the author's prose.
    """
    for index, token in enumerate(tokens):
        if token.type != "inline" or "ence" not in token.content or index in skipped:
            continue
        line, before = token.map[0] + 1, 0
        for at, number in _unknown(token.content, numbers):
            line += token.content.count("\n", before, at)
            before = at
            what = f"the text speaks of fence {number}, which is not on this page"
            remedy = "correct the number, or put it in backticks"
            yield Problem(path, line, "mention", what, remedy, "warning")


def _unknown(text: str, numbers: Collection[int]) -> Iterator[tuple[int, int]]:
    """Where ``text`` names a fence of its own page that is not there, and its number."""
    if _MENTION.search(text) is None:
        return
    plain = _APART.sub(lambda match: "\0" * len(match[0]), text)
    found = [m for m in _MENTION.finditer(plain) if _OF.match(plain, m.end()) is None]
    named = [
        (digits.start(), int(digits[0]))
        for match in found
        for digits in _DIGITS.finditer(plain, match.start(1), match.end(1))
    ]
    named = [(at, number) for at, number in named if number not in numbers]
    if not named:
        return
    stops = [-1, *(stop.start() for stop in _STOP.finditer(plain)), len(text)]
    linked = {bisect_right(stops, link.start()) for link in _LINK.finditer(text)}
    elsewhere = _ELSEWHERE.search(text)
    for at, number in named:
        sentence = bisect_right(stops, at)
        if sentence in linked or (elsewhere and elsewhere.start() < stops[sentence]):
            continue
        yield at, number
