"""Golden texts: what a reporter wrote once, and a person judged good."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture
def golden() -> Callable[[str, str], None]:
    """Compares a text with a file under golden/. Delete the file to have it written anew."""

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if not path.exists():
            path.write_text(text, encoding="utf-8", newline="\n")
            pytest.fail(f"{path.name} was written: look at it, and run again")
        assert text == path.read_text(encoding="utf-8")

    return compare
