"""What the page's fences find."""

from __future__ import annotations

PREPARED = "prepared"
print("not in any recording")


def answer() -> NoSuchName:
    return 42
