"""Any outputs into any page: they read back and nothing else changes, or they are refused.

An input is a page, then for each fence in page order a record separator (U+001E) and what it
prints; one that begins with ``!`` is Markdown for a region, an empty one takes the recording away.
"""

from __future__ import annotations

from fencerun.canonical import canonical
from fencerun.merge import apply
from fencerun.page import Page
from fencerun.reader import parse
from fencerun.splice import NewRecording, SpliceError, splice

SEPARATOR = b"\x1e"
PROVENANCE = (("key", "3fa9c1d0.77d0e2b4"), ("on", "cpu/python-3.11.7/2026-11-29"))

Changes = dict[int, NewRecording | None]


def check(data: bytes) -> None:
    """Raises AssertionError, or whatever splicing raises, where it should not."""
    source, *outputs = data.split(SEPARATOR)
    page = parse(source, "page.md")
    wanted = changes(page, outputs)
    _is_merged(page, wanted)
    try:
        made = splice(page, wanted)
    except SpliceError as error:
        assert error.fence in wanted
        assert error.why
        return
    after = parse(made, "page.md")
    _reads_back(page, after, wanted)
    assert splice(after, wanted) == made, "recording twice is not recording once"


def changes(page: Page, outputs: list[bytes]) -> Changes:
    """What the outputs would have ``page`` say, fence by fence."""
    found: Changes = {}
    for fence, output in zip(page.fences, outputs, strict=False):
        if not output:
            found[fence.number] = None
            continue
        region = output.startswith(b"!")
        lines = canonical(output.removeprefix(b"!"))
        said = PROVENANCE if len(output) % 2 else ()
        found[fence.number] = NewRecording(lines, said, bool(said), region)
    return found


def _reads_back(page: Page, after: Page, wanted: Changes) -> None:
    spoken = {fence.number for fence in page.fences if fence.transcript is not None}
    codes, now = ([f.code for f in each.fences] for each in (page, after))
    assert codes == now, "the code of a fence changed"
    there = {found.number: found.text for found in after.recordings}
    for found in page.recordings:
        if found.number not in wanted:
            assert there[found.number] == found.text, "another recording changed"
    for number, new in wanted.items():
        if number not in spoken:
            kept = new is not None and (new.lines or new.keep_empty)
            assert there.get(number) == (new.lines if new and kept else None)


def _is_merged(page: Page, wanted: Changes) -> None:
    """Merging into the page as it was is splicing what can be spliced."""
    data, refused = apply(page, page, wanted)
    after = parse(data, "page.md")
    assert {number for number, _ in refused} <= wanted.keys()
    if not page.broken:
        left = {n: new for n, new in wanted.items() if n not in dict(refused)}
        _reads_back(page, after, left)
