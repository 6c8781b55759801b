"""What docs/editors.md says to editors, against what `check` and `watch` really print."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from fencerun import cli
from fencerun.events import Verdict, VerdictKind
from fencerun.reporters.wording import needs_attention, severity

DOCS = (Path(__file__).resolve().parents[2] / "docs/editors.md").read_text(encoding="utf-8")

PAGES = {
    "drifts.md": "```python fence:1\nprint(2)\n```\n\n```text output:1\n1\n```\n",
    "fails.md": "# A page\n\n```python fence:1\nx = 1\n1 / 0\n```\n\n"
    "```python fence:2 continues:1\n```\n",
    "new.md": "```python fence:1\nprint('a.md:3: failed: no message')\n```\n",
    "problem.md": "```python fence:1\n```\n\n```python fence:1\n```\n\n"
    "```python fence:2 timeout:x\n```\n",
    "has blanks/fine.md": "```python fence:1\nprint('b.md:3: failed: none')\n1 / 0\n```\n",
    "gated.md": "```python fence:1 requires:cuda\n```\n\nsee fence 9\n",
}

#: Where messages are, and of what kind.
EXPECTED = {
    ("drifts.md", 6, "changed"),
    ("fails.md", 5, "failed"),
    ("fails.md", 8, "blocked"),
    ("new.md", 1, "unrecorded"),
    ("problem.md", 4, "problem"),
    ("problem.md", 7, "problem"),
    ("has blanks/fine.md", 3, "failed"),
    ("gated.md", 1, "missing"),
    ("gated.md", 4, "warning"),
}

#: Where Vim and Emacs go, the further places of a problem included.
PLACES = {*(one[:2] for one in EXPECTED), ("problem.md", 1)}


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The plain report of pages of all kinds; the working directory is theirs."""
    directory = tmp_path_factory.mktemp("editors")
    for name, text in PAGES.items():
        (directory / name).parent.mkdir(exist_ok=True)
        (directory / name).write_text(text)
    (directory / "pyproject.toml").touch()
    done = subprocess.run(
        [sys.executable, "-m", "fencerun", "check", "--without", "cuda", "--report", "plain"],
        cwd=directory,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"},
    )
    assert (done.returncode, done.stderr) == (3, "")
    os.chdir(directory)
    return done.stdout


@pytest.fixture(autouse=True)
def _stay() -> Iterator[None]:
    before = Path.cwd()
    yield
    os.chdir(before)


def block(language: str) -> str:
    """The only code block of the page in a language."""
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", DOCS, re.MULTILINE | re.DOTALL)
    return str(found)


def matchers() -> list[dict[str, Any]]:
    check, watch = json.loads(block("json"))["tasks"]
    return [*check["problemMatcher"], watch["problemMatcher"]]


def matched(matcher: dict[str, Any], text: str) -> list[tuple[str, int, str]]:
    """File, line and code of the lines that a matcher takes, as VS Code reads its pattern."""
    pattern = matcher["pattern"]
    expression = re.compile(pattern["regexp"], re.ASCII)
    hits = filter(None, map(expression.search, text.splitlines()))
    groups = [pattern[name] for name in ("file", "line", "code", "message")]
    assert groups == [1, 2, 3, 4]
    return [(hit[1], int(hit[2]), hit[3]) for hit in hits]


def test_vs_code_takes_every_message_and_nothing_else(printed: str) -> None:
    errors, warnings, _ = (matched(matcher, printed) for matcher in matchers())
    assert len(errors) + len(warnings) == len(EXPECTED)
    assert {*errors, *warnings} == EXPECTED
    assert {code for *_, code in errors} == {"failed", "blocked", "problem"}


def test_vs_code_knows_all_kinds() -> None:
    """A new kind of verdict that needs attention is to be in one of the two."""
    errors, warnings, _ = (matcher["pattern"]["regexp"] for matcher in matchers())
    for kind in get_args(VerdictKind):
        line = f"x.md:1: {kind}: fence 1, what"
        red = needs_attention(Verdict("x.md::1", kind, "x.md", 1, 1))
        assert bool(re.search(errors, line)) == (red and severity(kind) == "error")
        assert bool(re.search(warnings, line)) == (red and severity(kind) != "error")


WATCHED = """\
fencerun watch: 1 page, 1 fence
Python 3.11.7 (/usr/bin/python), ready in 169 ms
01:40:24 p.md: fence 1
p.md:6: changed: fence 1, it printed other text than recorded 0 ms
    6 - | 1
      + | 2
    fencerun record p.md::1
1 changed in 43 ms
"""


def test_the_watching_task_begins_and_ends() -> None:
    *_, watch = matchers()
    begins, ends = (
        [bool(re.search(watch["background"][name], line)) for line in WATCHED.splitlines()]
        for name in ("beginsPattern", "endsPattern")
    )
    assert begins == [index == 2 for index in range(8)]
    assert ends == [index in (1, 7) for index in range(8)]
    assert matched(watch, WATCHED) == [("p.md", 6, "changed")]


def test_commands_of_the_tasks_are_ours() -> None:
    check, watch = json.loads(block("json"))["tasks"]
    cli._parser(check["args"]).parse_args(check["args"])
    assert watch["command"] == "fencerun watch | cat"


@pytest.mark.skipif(shutil.which("nvim") is None, reason="there is no nvim")
def test_vim(printed: str, tmp_path: Path) -> None:
    report, found = tmp_path / "report", tmp_path / "found"
    report.write_text(printed)
    (tmp_path / "markdown.vim").write_text(block("vim"))
    subprocess.run(
        [
            *("nvim", "--headless", "-u", "NONE", "-i", "NONE", "drifts.md"),
            *("-c", f"source {tmp_path}/markdown.vim", "-c", f"cgetfile {report}"),
            *("-c", "let q = map(getqflist(), 'bufname(v:val.bufnr).\"|\".v:val.lnum')"),
            *("-c", f"call writefile(q, '{found}')", "-c", "qall!"),
        ],
        check=True,
        capture_output=True,
        timeout=60,
    )
    lines = [line.rpartition("|") for line in found.read_text().splitlines()]
    assert len(lines) == len(PLACES)
    assert {(page, int(line)) for page, _, line in lines} == PLACES


@pytest.mark.skipif(shutil.which("emacs") is None, reason="there is no emacs")
def test_emacs(printed: str, tmp_path: Path) -> None:
    (tmp_path / "report").write_text(printed)
    (tmp_path / "own.el").write_text(block("elisp"))
    code = f"""
(load "{tmp_path}/own.el")
(find-file "{tmp_path}/report")
(let ((default-directory "{Path.cwd()}/"))
  (fencerun-mode)
  (compilation--ensure-parse (point-max))
  (goto-char (point-min))
  (let (last)
    (while (< (point) (point-max))
      (let ((message (get-text-property (point) 'compilation-message)))
        (when (and message (not (eq message last)))
          (setq last message)
          (let ((place (compilation--message->loc message)))
            (princ (format "%s|%s\\n"
                           (caar (compilation--loc->file-struct place))
                           (compilation--loc->line place))))))
      (forward-char))))
"""
    done = subprocess.run(
        ["emacs", "--batch", "--quick", "--eval", f"(progn {code})"],
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    lines = [line.rpartition("|") for line in done.stdout.splitlines() if "|" in line]
    assert {(page, int(line)) for page, _, line in lines} == PLACES
