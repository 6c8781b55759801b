"""What holds for every page that is read and every recording that is written."""

from __future__ import annotations

import html
import re

import cmarkgfm
from cmarkgfm import cmark
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from fencerun.page import CodeBlock, Page
from fencerun.reader import parse
from fencerun.splice import NewRecording, SpliceError, encode, splice

from .pages import MARKDOWN, lessons, printed, provenances, wrecks

thorough = settings(
    max_examples=200,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


Changes = dict[int, NewRecording | None]


def changes(page: Page) -> st.SearchStrategy[Changes]:
    """New recordings for some of the page's fences."""
    new = st.builds(NewRecording, printed(), provenances(), st.booleans())
    empty = st.builds(NewRecording, st.just(()), provenances(), st.just(True))
    numbers = [fence.number for fence in page.fences]
    if not numbers:
        return st.just({})
    return st.dictionaries(st.sampled_from(numbers), st.one_of(new, new, new, empty, st.none()))


def writing(page: Page) -> st.SearchStrategy[Changes]:
    """As ``changes``, at least one, and none that takes a recording away."""
    return changes(page).map(_writing).filter(bool)


def _writing(wanted: Changes) -> Changes:
    return {number: new for number, new in wanted.items() if new}


@thorough
@given(wrecks() | lessons())
def test_reading_never_fails_and_keeps_every_byte(data: bytes) -> None:
    page = parse(data, "page.md")
    assert encode(page) == data
    assert splice(page, {}) == data
    assert len(page.lines) == len(re.findall(rb"\r\n|\r|\n|[^\r\n]\Z", data, re.DOTALL)) or page.bom


@thorough
@given(lessons())
def test_a_lesson_has_no_problem(data: bytes) -> None:
    assert parse(data).problems == ()


@thorough
@given(st.data(), lessons())
def test_recordings_read_back_and_nothing_else_changes(draw: st.DataObject, data: bytes) -> None:
    page = parse(data)
    wanted = draw.draw(changes(page))
    made = splice(page, wanted)
    after = parse(made)
    assert after.problems == ()
    assert [fence.code for fence in after.fences] == [fence.code for fence in page.fences]
    for fence in after.fences:
        said = fence.recording.text if fence.recording else None
        if fence.number in wanted:
            new = wanted[fence.number]
            assert said == (new.lines if new else None)
            if new and fence.recording:
                assert dict(fence.recording.block.info.provenance) == dict(new.provenance)
        else:
            before = page.fence(fence.number)
            assert before is not None
            assert said == (before.recording.text if before.recording else None)
    assert splice(after, wanted) == made, "recording twice is recording once"


@thorough
@given(st.data(), lessons())
def test_bytes_outside_recordings_are_kept(draw: st.DataObject, data: bytes) -> None:
    page = parse(data)
    wanted = draw.draw(writing(page))
    made = splice(page, wanted)
    found = {fence.number: fence.recording for fence in page.fences if fence.number in wanted}
    # A code block in the place of a region may need a blank line that the region held.
    fresh = sum(recording is None or recording.region for recording in found.values())
    before, after = _outside(page), _outside(parse(made))
    _assert_only_blank_lines_more(before, after, fresh)


@thorough
@given(st.data(), lessons())
def test_taking_new_recordings_away_gives_the_first_bytes_back(
    draw: st.DataObject, data: bytes
) -> None:
    page = parse(data)
    bare = splice(page, {fence.number: None for fence in page.fences})
    page = parse(bare)
    assert page.recordings == ()
    wanted = draw.draw(writing(page))
    made = parse(splice(page, wanted))
    assert {r.number for r in made.recordings} == set(wanted)
    assert splice(made, dict.fromkeys(wanted)) == bare


@thorough
@given(st.data(), lessons())
def test_cmark_sees_the_same_code_and_the_recordings(draw: st.DataObject, data: bytes) -> None:
    page = parse(data)
    wanted = draw.draw(writing(page))
    after = parse(splice(page, wanted))
    for each in (page, after):
        assert {(block.line, block.content) for block in _blocks(each)} <= set(_code(each))


@thorough
@given(st.data(), wrecks())
def test_a_wreck_is_spliced_without_harm_or_refused(draw: st.DataObject, data: bytes) -> None:
    page = parse(data)
    wanted = draw.draw(changes(page))
    try:
        made = splice(page, wanted)
    except SpliceError as error:
        assert error.fence in wanted
        return
    after = parse(made)
    assert [fence.code for fence in after.fences] == [fence.code for fence in page.fences]
    assert {r.number: r.text for r in page.recordings if r.number not in wanted} == {
        r.number: r.text for r in after.recordings if r.number not in wanted
    }
    for number, new in wanted.items():
        text = {r.number: r.text for r in after.recordings}.get(number)
        assert text == (new.lines if new else None)
    assert splice(after, wanted) == made


def regions(page: Page, text: st.SearchStrategy[tuple[str, ...]]) -> st.SearchStrategy[Changes]:
    """Regions for some of the page's fences."""
    new = st.builds(NewRecording, text, provenances(), st.just(False), st.just(True))
    numbers = [fence.number for fence in page.fences]
    return st.dictionaries(st.sampled_from(numbers), new, min_size=1) if numbers else st.just({})


_TAME = st.sampled_from([text for text in MARKDOWN if "" not in text])


@settings(thorough, max_examples=100)
@given(st.data(), lessons())
def test_markdown_goes_in_everywhere(draw: st.DataObject, data: bytes) -> None:
    page = parse(data)
    wanted = draw.draw(regions(page, _TAME))
    made = splice(page, wanted)
    after = parse(made)
    assert after.problems == ()
    assert [fence.code for fence in after.fences] == [fence.code for fence in page.fences]
    assert {(block.line, block.content) for block in _blocks(after)} <= set(_code(after))
    for number, new in wanted.items():
        fence = after.fence(number)
        assert new and fence and fence.recording
        assert (fence.recording.text, fence.recording.region) == (new.lines, True)
        at = fence.recording.line - 1
        assert after.lines.text(at).endswith(new.lines[0])
    assert splice(after, wanted) == made, "recording twice is recording once"


@settings(thorough, max_examples=100)
@given(st.data(), lessons() | wrecks())
def test_any_text_in_a_region_reads_back_or_is_refused(draw: st.DataObject, data: bytes) -> None:
    page = parse(data)
    wanted = draw.draw(regions(page, st.one_of(printed(), st.sampled_from(MARKDOWN))))
    try:
        made = splice(page, wanted)
    except SpliceError as error:
        assert error.fence in wanted
        return
    after = parse(made)
    assert [fence.code for fence in after.fences] == [fence.code for fence in page.fences]
    found = {r.number: r.text for r in after.recordings}
    for number, new in wanted.items():
        assert new
        assert found[number] == new.lines
    assert {n: t for n, t in found.items() if n not in wanted} == {
        r.number: r.text for r in page.recordings if r.number not in wanted
    }
    assert splice(after, wanted) == made


def _outside(page: Page) -> list[str]:
    """The page's lines, with endings, that belong to no recording."""
    inside = {k for r in page.recordings for k in range(r.block.start, r.block.end)}
    lines = page.lines
    return [lines.text(k) + lines.ending(k) for k in range(len(lines)) if k not in inside]


def _assert_only_blank_lines_more(before: list[str], after: list[str], most: int) -> None:
    at = more = 0
    for line in after:
        bare_end = at == len(before) - 1 and line.rstrip("\r\n") == before[at]
        if at < len(before) and (line == before[at] or bare_end):
            at += 1
        else:
            assert not line.strip(" >\r\n"), f"{line!r} is no blank line"
            more += 1
    assert at == len(before)
    assert more <= most


def _blocks(page: Page) -> list[CodeBlock]:
    found = [f.block for f in page.fences] + [r.block for r in page.recordings if not r.region]
    return sorted(found, key=lambda block: block.open)


def _code(page: Page) -> list[tuple[int, str]]:
    """The lines and the contents of the code blocks that cmark sees."""
    front = page.tokens[0].map[0] if page.tokens and page.text.startswith(("---", "+++")) else 0
    text = "\n" * front + page.text[page.lines.start[front] :] if front else page.text
    options = cmark.Options.CMARK_OPT_UNSAFE | cmark.Options.CMARK_OPT_SOURCEPOS
    rendered = cmarkgfm.markdown_to_html(text, options)
    pattern = r'<pre data-sourcepos="(\d+):[^>]*><code[^>]*>(.*?)</code></pre>'
    found = re.findall(pattern, rendered, re.DOTALL)
    return [(int(line), html.unescape(code)) for line, code in found]
