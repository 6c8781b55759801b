"""What the documentation says of itself and of the command line: links, options, names.

`test_format_page` holds the syntax; here are the pages as a whole.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from fencerun import cli, reader
from fencerun.capabilitynames import KNOWN
from fencerun.engines.base import EngineOptions
from fencerun.engines.environment import pinned
from fencerun.rendering.headings import slug

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "lessons").glob("*.md")),
]
COMMANDS = "docs/commands.md"


@cache
def text(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


@cache
def tokens(page: Path) -> list[Token]:
    found = MarkdownIt("commonmark").enable("table").parse(page.read_text(encoding="utf-8"))
    return [token for top in found for token in (top, *(top.children or []))]


@cache
def anchors(page: Path) -> frozenset[str]:
    used: dict[str, int] = {}
    opened = False
    found = []
    for token in tokens(page):
        if opened and token.type == "inline":
            shown = (c.content for c in token.children or [] if c.type in ("text", "code_inline"))
            found.append(slug("".join(shown), used))
        opened = token.type == "heading_open"
    return frozenset(found)


def links(page: Path) -> Iterator[str]:
    """The targets on ``page`` that are files of this repository."""
    for token in tokens(page):
        target = str(token.attrGet("href") or token.attrGet("src") or "")
        if target and not re.match(r"[a-z][a-z0-9+.-]*:", target):
            yield unquote(target)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(page: Path) -> None:
    wrong = []
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            wrong.append(link)
    assert not wrong


def test_links_are_found() -> None:
    assert len(list(links(ROOT / "README.md"))) > 10
    assert "three-carriers" in anchors(ROOT / "docs/format.md")


def test_the_readme_leads_to_every_page() -> None:
    told = {(ROOT / link.partition("#")[0]).resolve() for link in links(ROOT / "README.md")}
    assert not [page.name for page in (ROOT / "docs").glob("*.md") if page not in told]


def parser(verb: str) -> argparse.ArgumentParser:
    made = cli._parser([verb])
    (verbs,) = (a for a in made._actions if isinstance(a, argparse._SubParsersAction))
    found = verbs.choices[verb]
    assert isinstance(found, argparse.ArgumentParser)
    return found


def options(verb: str) -> dict[str, argparse.Action]:
    """The options of ``verb``, by the longest name of each, and `-h` left out."""
    given = (a for a in parser(verb)._actions if a.option_strings and a.dest != "help")
    return {max(action.option_strings, key=len): action for action in given}


def section(verb: str) -> str:
    """What commands.md says below the heading of ``verb``."""
    found = re.search(
        rf"^## `fencerun {verb}`\n(.*?)(?=^## |\Z)", text(COMMANDS), re.MULTILINE | re.DOTALL
    )
    assert found, f"{COMMANDS} has no section on {verb}"
    return found[1]


def rows(verb: str) -> str:
    """The first cells of the tables that tell the options of ``verb``."""
    told = section(verb) + (section("check") if verb == "record" else "")
    return "\n".join(re.findall(r"^\| (.*?) \|", told, re.MULTILINE))


@pytest.mark.parametrize("verb", cli.VERBS)
def test_every_option_is_told(verb: str) -> None:
    told = rows(verb)
    assert not [name for name in options(verb) if not re.search(rf"`{name}\b", told)]


@pytest.mark.parametrize("verb", cli.VERBS)
def test_no_other_option_is_told(verb: str) -> None:
    known = {word for action in parser(verb)._actions for word in action.option_strings}
    told = re.findall(r"`(--?[a-z][a-z-]*)", "\n".join(re.findall(r"^\| (.*?) \|", section(verb))))
    assert set(told) <= known


@pytest.mark.parametrize("verb", cli.VERBS)
def test_every_choice_is_told(verb: str) -> None:
    told = section(verb) + (section("check") if verb == "record" else "")
    choices = [word for action in options(verb).values() for word in action.choices or ()]
    assert not [word for word in choices if not re.search(rf"`[^`]*\b{word}\b[^`]*`", told)]


CALL = re.compile(rf"fencerun ({'|'.join(cli.VERBS)})\b([^`\n|#)]*)")
CALLS = [
    pytest.param(verb, rest, id=f"{page.name}: {verb}{rest}")
    for page in PAGES
    for verb, rest in dict.fromkeys(CALL.findall(page.read_text(encoding="utf-8")))
    if re.search(r"(?:^| )--?[a-z]", rest)
]


@pytest.mark.parametrize(("verb", "rest"), CALLS)
def test_the_options_of_calls_exist(verb: str, rest: str) -> None:
    known = {word for action in parser(verb)._actions for word in action.option_strings}
    used = re.findall(r"(?:^| )(--[a-z][a-z-]*|-[a-z]\b)", rest.partition(" -- ")[0])
    assert set(used) <= known


@pytest.mark.parametrize("full", [full for _, full in KNOWN.values()])
def test_every_capability_has_a_row(full: str) -> None:
    assert f"`{full}`" in "\n".join(re.findall(r"^\| (.*?) \|", text("docs/format.md"), re.M))


@pytest.mark.parametrize("name", pinned(EngineOptions("python")))
def test_every_variable_that_is_set_is_told(name: str) -> None:
    assert f"`{name}" in text("docs/format.md")


def test_every_package_has_its_row() -> None:
    told = "\n".join(re.findall(r"^\| (.*?) \|", text("CONTRIBUTING.md"), re.MULTILINE))
    packages = (file.parent.name for file in (ROOT / "fencerun").glob("*/__init__.py"))
    assert not [name for name in packages if f"`{name}/`" not in told]


def test_every_fence_of_the_lesson_is_evidence_of_a_claim() -> None:
    lesson = (ROOT / "lessons/25_custom_ops.md").read_bytes()
    fences = {fence.number for fence in reader.parse(lesson, "lesson.md").fences}
    told: set[int] = set()
    for listed in re.findall(r"fences? ((?:[0-9, ]|and|to|\([^)]*\))+)", text("docs/lessons.md")):
        numbers = re.sub(r"\([^)]*\)", "", listed)
        for first, last in re.findall(r"([0-9]+)(?: to ([0-9]+))?", numbers):
            told |= set(range(int(first), int(last or first) + 1))
    assert told == fences


@pytest.mark.parametrize("page", ["README.md", "docs/ci.md", COMMANDS])
def test_exit_codes_are_told(page: str) -> None:
    assert re.findall(r"^\| ([0-9]+) \|", text(page), re.MULTILINE)[:8] == [
        *"0123456",
        "130",
    ]
