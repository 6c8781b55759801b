"""Recorded text that a template engine of the project's site would act on. Pure.

A recording is text to Markdown, and to readers. To an engine that reads the whole page first it
is a template: Hugo's build fails, Jekyll silently leaves words out.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from fencerun.events import Problem
from fencerun.frontmatter import extent
from fencerun.page import Page, Recording
from fencerun.publishing.site import Engine, Site
from fencerun.text import Lines

_SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
_DELIMITER = re.compile(r"[ \t>]*(`{3,}|~{3,})")


def problems(page: Page, site: Site) -> Iterator[Problem]:
    """A warning for each of the site's engines that would act on a recording or value."""
    for engine in site.engines:
        if not any(mark in page.text for mark in engine.marks) or _off(page.lines, engine):
            continue
        found = list(_found(page, engine))
        if not found:
            continue
        (line, what, sign), *others = sorted(found)
        what = f"{what} holds `{sign}`, which {engine.name} acts on ({site.file})"
        also = tuple(dict.fromkeys(other for other, _, _ in others if other != line))
        yield Problem(page.path, line, "template", what, engine.remedy, "warning", also)


def _found(page: Page, engine: Engine) -> Iterator[tuple[int, str, str]]:
    """Of each recording and value that the engine would act on the first line, whose it is, and
    what the engine acts on."""
    pattern, exempt = re.compile(engine.pattern), _exempt(page, engine)
    for said in _said(page, engine):
        for line, text, what in said:
            found = pattern.search(text)
            if found is not None and not any(a <= line < b for a, b in exempt):
                yield line, what, found[0].strip()
                break


def _off(lines: Lines, engine: Engine) -> bool:
    """Whether the page's front matter turns the engine off."""
    if engine.front is None:
        return False
    pattern = re.compile(rf"(?<![\w-])(?:{engine.front})")
    return any(pattern.search(lines.text(line)) for line in range(extent(lines)))


def _said(page: Page, engine: Engine) -> Iterator[Iterator[tuple[int, str, str]]]:
    """What fences said: for each recording and value its lines, with their numbers and whose."""
    for fence in page.fences:
        recording = fence.recording
        if recording is not None and not _excused(page.lines.text(recording.block.open), engine):
            yield _lines(page, recording, engine)
        for value in fence.values:
            tag = page.text[page.text.rfind("<span", 0, value.start) : value.start]
            if not _excused(tag, engine):
                yield iter([(value.line, value.text, f"a value of fence {fence.number}")])


def _excused(opening: str, engine: Engine) -> bool:
    """Whether what opens a recording or value has the word that turns the engine off."""
    return engine.word is not None and re.search(engine.word, opening) is not None


def _lines(page: Page, recording: Recording, engine: Engine) -> Iterator[tuple[int, str, str]]:
    first, what = recording.line, f"the output of fence {recording.number}"
    lines = [page.lines.text(first - 1 + index) for index in range(len(recording.text))]
    if engine.reach == "prose":
        lines = list(_prose(lines)) if recording.region else []
    for index, text in enumerate(lines):
        yield first + index, text, what


def _prose(lines: list[str]) -> Iterator[str]:
    """The lines of a region, without what is code in them."""
    opened = ""
    for line in lines:
        match = _DELIMITER.match(line)
        if opened and match and match[1].startswith(opened) and not line[match.end() :].strip():
            opened = ""
        elif match and not opened:
            opened = match[1]
        elif not opened:
            yield _SPAN.sub("", line)
            continue
        yield ""


def _exempt(page: Page, engine: Engine) -> list[tuple[int, int]]:
    """The spans of lines, counted from 1, that the page exempts from the engine."""
    if engine.exempts is None:
        return []
    texts = [page.lines.text(line) for line in range(len(page.lines))]
    openers, closers = (
        [line + 1 for line, text in enumerate(texts) if re.search(pattern, text)]
        for pattern in engine.exempts
    )
    spans = []
    for opener in openers:
        after = bisect_right(closers, opener - 1)
        spans.append((opener, closers[after] if after < len(closers) else len(page.lines) + 1))
    return spans
