"""Recording into transcripts: in every container, carrier and ending only output lines change."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from fencerun import transcript
from fencerun.page import Page
from fencerun.reader import parse
from fencerun.splice import NewRecording, SpliceError, splice

from .pages import ENDINGS, printed

HEADS = {
    "words": ["{mark}{language} fence:1 key:aa.bb{more}"],
    "attributes": ["{mark}{language} {{fence=1{more}}}"],
    "comment": ["<!-- fence:1{more} -->", "", "{mark}{language}"],
}
CONTAINERS = {
    "top": ("", ""),
    "quote": ("> ", "> "),
    "item": ("- ", "  "),
    "ordered in a quote": ("> 12. ", ">     "),
    "admonition": ("!!! note\n    ", "    "),
}
PROVENANCE = (("key", "1234abcd.5678abcd"), ("on", "cpu/python-3.11.7/2026-11-29"))


@st.composite
def sessions(draw: st.DrawFn) -> tuple[str, str]:
    """A page with a transcript between prose, and the transcript's language."""
    language = draw(st.sampled_from(["pycon", "console"]))
    begin, more = (">>> ", "... ") if language == "pycon" else ("$ ", "> ")
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        lines.append(begin + draw(st.sampled_from(["x", "print(1)", "", "`x` <!--", "é  "])))
        lines += draw(st.lists(st.just(f"{more}y"), max_size=1))
        lines += draw(st.one_of(st.just(()), printed()))
        lines += draw(st.lists(st.just(""), max_size=1))
    runs = re.findall("`+", "\n".join(lines))
    mark = "`" * max(3, 1 + max(map(len, runs), default=0))
    head = HEADS[draw(st.sampled_from(list(HEADS)))]
    more_words = draw(st.sampled_from(["", " rtol:1e-3"]))
    more_words = more_words.replace(":", "=") if "{{" in head[0] else more_words
    head = [h.format(mark=mark, language=language, more=more_words) for h in head]
    first, rest = CONTAINERS[draw(st.sampled_from(list(CONTAINERS)))]
    block = [*head, *lines, mark]
    inside = [first + block[0], *(rest + line if line else rest.rstrip() for line in block[1:])]
    page = ["Before", "", *"\n".join(inside).split("\n"), "", "After"]
    ending = draw(st.sampled_from([e for e in ENDINGS if e]))
    return ending.join(page) + draw(st.sampled_from(["", ending])), language


def read(data: bytes) -> Page:
    return parse(data, "p.md", "mkdocs")


@given(
    sessions(), st.lists(st.one_of(st.just(()), printed()), min_size=3, max_size=3), st.booleans()
)
def test_only_output_changes(
    session: tuple[str, str], outputs: list[tuple[str, ...]], stamped: bool
) -> None:
    text, language = session
    page = read(text.encode())
    if page.problems or not page.fences:
        return
    (fence,) = page.fences
    assert fence.transcript is not None
    turns = fence.transcript.turns
    wanted = transcript.with_outputs(turns, (outputs * 3)[: len(turns)])
    change = NewRecording(wanted, PROVENANCE if stamped else ())
    try:
        made = splice(page, {1: change})
    except SpliceError as error:
        assert "prompt" in error.why
        typed = transcript.parse(language, "".join(line + "\n" for line in wanted)).typed
        assert typed != fence.transcript.typed
        return
    (after,) = read(made).fences
    assert after.recording is not None
    assert after.recording.text == wanted
    assert dict(after.block.info.provenance) == dict(change.provenance)
    assert after.tags == fence.tags
    assert splice(read(made), {1: change}) == made
    start, end = page.lines.start[fence.block.start], page.lines.end[fence.block.end - 1]
    assert made.decode().startswith(text[:start])
    assert made.decode().endswith(text[end:])


@given(sessions())
def test_recording_what_stands_there_changes_nothing(session: tuple[str, str]) -> None:
    page = read(session[0].encode())
    if page.problems or not page.fences:
        return
    (fence,) = page.fences
    assert fence.recording is not None
    same = NewRecording(fence.recording.text, fence.block.info.provenance)
    assert splice(page, {1: same}) == session[0].encode()
