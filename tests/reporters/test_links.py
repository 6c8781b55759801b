"""Links of a terminal: who gets them, and where they lead."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from fencerun.events import FenceDone, Problem, ProblemFound, RunStarted
from fencerun.reporters import make
from fencerun.reporters.links import lead, url, wanted
from fencerun.reporters.rich import RichReporter

from .scripted import verdict

KITTY = {"TERM": "xterm-kitty"}


@pytest.mark.parametrize(
    ("env", "terminal", "expected"),
    [
        ({}, True, False),
        (KITTY, True, True),
        (KITTY, False, False),
        ({**KITTY, "CI": "true"}, True, False),
        ({**KITTY, "STY": "1.pts"}, True, False),
        ({**KITTY, "FORCE_HYPERLINK": "0"}, True, False),
        ({**KITTY, "FORCE_HYPERLINK": ""}, True, True),
        ({"FORCE_HYPERLINK": "1"}, False, True),
        ({"FORCE_HYPERLINK": "1", "CI": "true"}, True, True),
        ({"FORCE_HYPERLINK": "false"}, True, False),
        ({"TERM": "dumb", "WT_SESSION": "x"}, True, False),
        ({"TERM": "xterm-256color", "VTE_VERSION": "6003"}, True, True),
        ({"TERM": "xterm-256color", "VTE_VERSION": "5000"}, True, False),
        ({"TERM": "xterm-256color", "VTE_VERSION": "new"}, True, False),
        ({"TERM_PROGRAM": "vscode", "TERM_PROGRAM_VERSION": "1.71.2"}, True, False),
        ({"TERM_PROGRAM": "vscode", "TERM_PROGRAM_VERSION": "1.105.1"}, True, True),
        ({"TERM_PROGRAM": "tmux", "TERM_PROGRAM_VERSION": "3.3a"}, True, False),
        ({"TERM_PROGRAM": "tmux", "TERM_PROGRAM_VERSION": "3.4"}, True, True),
        ({"TERM_PROGRAM": "WezTerm", "TERM_PROGRAM_VERSION": "20240203-110809"}, True, True),
        ({"TERM_PROGRAM": "Apple_Terminal", "TERM": "xterm-256color"}, True, False),
        ({"KONSOLE_VERSION": "220401"}, True, True),
        ({"WT_SESSION": "3f"}, True, True),
    ],
    ids=lambda value: " ".join(map("=".join, value.items())) if isinstance(value, dict) else None,
)
def test_wanted(env: Mapping[str, str], terminal: bool, expected: bool) -> None:
    assert wanted(env, terminal) is expected


@pytest.mark.parametrize(
    ("path", "host", "expected"),
    [
        ("/a/b.md", "", "file:///a/b.md#7"),
        ("/a/b.md", "here", "file://here/a/b.md#7"),
        ("/a b/ü#1;.md", "", "file:///a%20b/%C3%BC%231%3B.md#7"),
    ],
)
def test_url(path: str, host: str, expected: str) -> None:
    assert url(path, 7, host) == expected


OSC = re.compile(r"\x1b\]8;[^;]*;([^\x1b]*)\x1b\\")


class Terminal(io.StringIO):
    """A stream that says it is one."""

    def isatty(self) -> bool:
        return True


def shown(page: str) -> str:
    stream = Terminal()
    reporter = RichReporter(stream, width=200, live=False)
    reporter.handle(RunStarted("check", "", 1, 1))
    reporter.handle(FenceDone(verdict("failed", page=page, line=41, seconds=2.0)))
    reporter.handle(ProblemFound(Problem(page, 3, "code", "a fault")))
    reporter.close()
    return stream.getvalue()


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A page in the working directory, which is a terminal's of a kind that has links."""
    for name in ("NO_COLOR", "FORCE_COLOR", "FORCE_HYPERLINK", "CI", "STY", "TERM_PROGRAM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-kitty")
    monkeypatch.chdir(tmp_path)
    Path("a b.md").write_text("")
    return "a b.md"


def test_a_message_links_to_its_line(page: str, tmp_path: Path) -> None:
    found = shown(page)
    targets = [target for target in OSC.findall(found) if target]
    assert {target.rpartition("/")[2] for target in targets} == {"a%20b.md#41", "a%20b.md#3"}
    assert all(f"{tmp_path}/a%20b.md#" in target for target in targets)
    assert re.search(r"a b\.md:41\x1b[^ ]*\\", found), "the colon behind the place is no part of it"


def test_a_link_changes_no_character(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    linked = shown(page)
    monkeypatch.setenv("FORCE_HYPERLINK", "0")
    plain = shown(page)
    assert not OSC.search(plain)
    codes = re.compile(r"\x1b\[[0-9;]*m")
    assert codes.sub("", OSC.sub("", linked)) == codes.sub("", plain)


def test_colours_are_no_condition(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert OSC.search(shown(page))


def test_a_file_that_is_not_there_has_no_link(page: str) -> None:
    assert not OSC.search(shown("other.md"))


@pytest.mark.parametrize("name", ["plain", "github", "rich"])
def test_a_pipe_gets_none(name: str, page: str) -> None:
    stream = io.StringIO()
    reporter = make(name, stream)
    reporter.handle(RunStarted("check", "", 1, 1))
    reporter.handle(FenceDone(verdict("failed", page=page, line=41)))
    reporter.close()
    assert "\x1b" not in stream.getvalue()


@pytest.mark.parametrize(
    ("words", "end"),
    [("a:b.md:7", 8), ("a:b.md:7:", 8), ("a:b.md", None), ("none.md:7", None),
     ("a:b.md:²", None), (f"a:b.md:{'9' * 5000}", None), ("", None)],
)  # fmt: skip
def test_a_place_leads_to_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, end: int | None
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a:b.md").touch()
    found = lead(words, {"TERM_PROGRAM": "vscode"})
    assert found == (None if end is None else (end, url(f"{tmp_path}/a:b.md", 7)))
