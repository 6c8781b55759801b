"""Known faults."""

from __future__ import annotations

import pytest

from fencerun.events import Verdict, VerdictKind
from fencerun.known import excused, homeless, reference, settle, unmatched

KNOWN = {"07.md::4": "pytorch#12345", "docs/a.md::1": "x#1"}


@pytest.mark.parametrize(
    ("page", "fence", "found"),
    [
        ("07.md", 4, "pytorch#12345"),
        ("lessons/07.md", 4, "pytorch#12345"),
        ("lessons/107.md", 4, None),
        ("07.md", 5, None),
        ("07.md", 44, None),
        ("docs/a.md", 1, "x#1"),
        ("a.md", 1, None),
    ],
)
def test_reference(page: str, fence: int, found: str | None) -> None:
    assert reference(page, fence, KNOWN) == found


@pytest.mark.parametrize(
    ("kind", "after"),
    [
        ("failed", "known"),
        ("changed", "known"),
        ("rounding", "known"),
        ("unrecorded", "known"),
        ("passed", "failed"),
        ("kept", "kept"),
        ("blocked", "blocked"),
    ],
)
def test_settle(kind: VerdictKind, after: VerdictKind) -> None:
    verdict = Verdict("07.md::4", kind, "07.md", 4, 9)
    assert settle(verdict, "pytorch#12345").kind == after
    assert settle(verdict, None) is verdict


def test_what_a_known_fault_blocks_is_excused_with_it() -> None:
    verdict = Verdict("07.md::5", "blocked", "07.md", 5, 9, remedy="mend fence 4")
    found = excused(verdict, "pytorch#12345")
    assert (found.kind, found.reason, found.remedy) == ("known", "pytorch#12345", "")


def test_entries_that_no_fence_of_a_page_has() -> None:
    known = {"a.md::1": "x", "a.md::2": "x", "docs/a.md::3": "x", "b.md::9": "x", "ba.md::9": "x"}
    assert list(unmatched("docs/a.md", {1}, known)) == ["a.md::2", "docs/a.md::3"]
    assert list(unmatched("a.md", {1, 2}, known)) == []


def test_entries_that_no_page_has() -> None:
    known = {
        "a.md::1": "x",
        "docs/a.md::3": "x",
        "b.md::9": "x",
        "ocs/a.md::1": "x",
        "x::3.md::4": "x",
    }
    assert list(homeless(["docs/a.md", "x::3.md"], known)) == ["b.md::9", "ocs/a.md::1"]
    assert list(homeless([], known)) == list(known)
