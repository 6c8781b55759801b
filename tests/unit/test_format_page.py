"""`docs/format.md` is the only statement of the syntax: it has every name that a page may hold."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from fencerun.configvalues import READERS
from fencerun.events import VerdictKind
from fencerun.frontmatter import NAMES
from fencerun.masks import NAMED
from fencerun.tags import FLAGS, VALUED

ROOT = Path(__file__).resolve().parents[2]
FORMAT = (ROOT / "docs/format.md").read_text(encoding="utf-8")
CODES = {
    code
    for file in (ROOT / "fencerun").glob("*.py")
    for code in re.findall(
        r"[Pp]roblem\([^\"()]*(?:\([^()]*\)[^\"()]*)*\"([a-z-]+)\",", file.read_text("utf-8")
    )
}


def rows() -> str:
    """The first cells of all table rows."""
    return "\n".join(re.findall(r"^\| (.*?) \|", FORMAT, re.MULTILINE))


@pytest.mark.parametrize("tag", [*VALUED, *FLAGS])
def test_every_tag_has_a_row(tag: str) -> None:
    assert re.search(rf"`{tag}(?::[^`]*)?`", rows())


@pytest.mark.parametrize("key", [*READERS, "pages", *NAMES])
def test_every_setting_has_a_row(key: str) -> None:
    assert re.search(rf"`{key}\b[^`]*`", rows())


@pytest.mark.parametrize("name", NAMED)
def test_every_mask_has_a_row(name: str) -> None:
    assert f"`{name}`" in rows()


def test_every_problem_has_a_row() -> None:
    assert len(CODES) > 20
    assert not {code for code in CODES if f"`{code}`" not in rows()}


def test_every_verdict_is_explained() -> None:
    concepts = (ROOT / "docs/concepts.md").read_text(encoding="utf-8")
    told = set(re.findall(r"^\| ([a-z]+) \|", concepts, re.MULTILINE))
    assert set(get_args(VerdictKind)) <= told
