"""Secrets: what no page and no report may show, whatever a fence prints. Pure.

Secret are the values of environment variables whose name says so. Only the very text is found, as
it stands or as Python or JSON would quote it: a fence that encodes a secret, or cuts it into
pieces, shows it. ``docs/security.md`` says so to authors.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import TypeVar

from fencerun.frozen import dataclass
from fencerun.patterns import later

#: What a secret is replaced by.
INSTEAD = "***"

#: Characters of the shortest secret: a shorter text stands in too much that is none.
SHORTEST = 8

_NAME = later("TOKEN|KEY|SECRET|PASSWORD", re.IGNORECASE)

#: What calls things by name, and would call nothing with a part of it replaced.
_HANDLES = frozenset({"id", "page", "kind", "key", "on", "mark"})

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Redaction:
    """Replaces secrets; the one without a pattern knows none, and costs nothing."""

    pattern: re.Pattern[str] | None = None

    def text(self, text: str) -> str:
        """``text`` without the secrets in it."""
        if self.pattern is None or self.pattern.search(text) is None:
            return text
        pieces, at = [], 0
        for start, end in _spans(self.pattern, text):
            pieces.append(text[at:start])
            at = end
        return INSTEAD.join((*pieces, text[at:]))

    def of(self, value: T) -> T:
        """A frozen value with no secret in any of its texts; names of things stay."""
        return value if self.pattern is None else self._of(value)

    def _of(self, value: T) -> T:
        if isinstance(value, str):
            return self.text(value)  # type: ignore[return-value]
        if isinstance(value, tuple):
            return tuple(map(self._of, value))  # type: ignore[return-value]
        if is_dataclass(value) and not isinstance(value, type):
            changed = {
                name: new
                for name in (field.name for field in fields(value))
                if name not in _HANDLES
                and (new := self._of(old := getattr(value, name))) is not old
                and new != old
            }
            return replace(value, **changed) if changed else value
        return value


#: Knows no secret.
NOTHING = Redaction()


def from_environment(environment: Mapping[str, str]) -> Redaction:
    """The redaction of every secret in ``environment``."""
    texts = {
        text for name, value in environment.items() if _NAME.search(name) for text in _forms(value)
    }
    if not texts:
        return NOTHING
    # The longest first: one secret may begin with another.
    ordered = sorted(texts, key=lambda text: (-len(text), text))
    return Redaction(re.compile("|".join(map(re.escape, ordered))))


def _spans(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    """Where secrets stand; of two that overlap, both are hidden by one."""
    start = end = 0
    for match in _anywhere(pattern).finditer(text):
        if end and match.start(1) >= end:
            yield start, end
            end = 0
        start = start if end else match.start(1)
        end = max(end, match.end(1))
    yield start, end


@cache
def _anywhere(pattern: re.Pattern[str]) -> re.Pattern[str]:
    """The pattern, found wherever it begins, in what was found before, too."""
    return re.compile(f"(?=({pattern.pattern}))")


def _forms(value: str) -> Iterator[str]:
    """The ways in which output may show a value: whole, quoted, and each of several lines."""
    # As canonical output shows bytes that are not UTF-8.
    shown = value.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    whole = shown.strip()
    lines = (line.strip() for line in whole.splitlines())
    quoted = (
        repr(whole)[1:-1],
        ascii(whole)[1:-1],
        repr(whole.encode("utf-8", "surrogateescape"))[2:-1],
        json.dumps(whole)[1:-1],
        json.dumps(whole, ensure_ascii=False)[1:-1],
    )
    yield from (text for text in (whole, *lines, *quoted) if len(text) >= SHORTEST)
