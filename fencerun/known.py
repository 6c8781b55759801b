"""Fences known to fail or to differ: reported as known, red once they pass. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from fencerun.events import Verdict, VerdictKind
from fencerun.result import Failure

_RED: frozenset[VerdictKind] = frozenset({"failed", "changed", "rounding", "unrecorded"})


def reference(page: str, fence: int, known: Mapping[str, str]) -> str | None:
    """Where the configuration says that this fence's fault is tracked.

    ``page`` is relative to the project's root; an entry may leave out leading directories.
    """
    own = f"{page}::{fence}"
    return next((tracked for entry, tracked in known.items() if _ends(own, entry)), None)


def unmatched(page: str, fences: Collection[int], known: Iterable[str]) -> Iterator[str]:
    """The entries that are about ``page`` and name none of its ``fences``."""
    for entry in known:
        name, _, number = entry.rpartition("::")
        if _ends(page, name) and not (number.isdigit() and int(number) in fences):
            yield entry


def page_of(entry: str) -> str:
    """The page that an entry names."""
    return entry.rpartition("::")[0]


def homeless(pages: Iterable[str], known: Iterable[str]) -> Iterator[str]:
    """The entries that are about none of ``pages``, which are relative to the project's root."""
    endings = {page[at:] for page in pages for at in _starts(page)}
    return (entry for entry in known if page_of(entry) not in endings)


def _starts(page: str) -> Iterator[int]:
    yield 0
    yield from (at + 1 for at, letter in enumerate(page) if letter == "/")


def _ends(path: str, entry: str) -> bool:
    return path == entry or path.endswith("/" + entry)


def excused(verdict: Verdict, tracked: str) -> Verdict:
    """The verdict as known, for the reason that ``tracked`` names."""
    return replace(verdict, kind="known", reason=tracked, remedy="", diff=())


def settle(verdict: Verdict, tracked: str | None) -> Verdict:
    """The verdict of a fence that ``tracked`` excuses, or the same where None does."""
    if tracked is None:
        return verdict
    if verdict.kind in _RED:
        return excused(verdict, tracked)
    if verdict.kind != "passed":
        return verdict
    what = f"it passes, and is listed as known to fail ({tracked})"
    remedy = "delete its entry from `known` in the configuration"
    failure = Failure("exception", what)
    return replace(verdict, kind="failed", what=what, remedy=remedy, failure=failure)
