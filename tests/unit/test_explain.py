"""What `fencerun explain` says of a fence."""

from __future__ import annotations

import subprocess
from io import StringIO
from pathlib import Path

import pytest

from fencerun import inspection, state
from fencerun.errors import UsageError
from fencerun.events import Verdict

from .course import fence

SETTINGS = "[tool.fencerun.capabilities]\nlab = false\nhall = true\n"
ON = "nvidia-h200/torch-2.13.0/2026-11-20"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text(SETTINGS)
    return tmp_path


def page(*blocks: str) -> None:
    Path("p.md").write_text("\n".join(blocks))


def explain(*arguments: str) -> list[str]:
    stream = StringIO()
    assert inspection.explain(arguments, stream) == 0
    return stream.getvalue().splitlines()


def key(lines: list[str]) -> str:
    """The first half of the key that is told."""
    (line,) = [line for line in lines if "its key would begin" in line]
    return line.split("begin ")[1].partition(",")[0]


def test_a_chain_and_what_its_key_covers(here: Path) -> None:
    Path("helper.py").write_text("x = 1\n")
    page(
        fence("fence:1", code="import helper"),
        fence("fence:2 continues:1 mask:time", "a\nb", code="y = 2"),
    )
    lines = explain("p.md::2")
    assert lines == [
        "p.md:5: fence 2",
        "  chain: 1 → 2, run as one script",
        "  recorded (line 10)",
        f"  its key would begin {key(lines)}, which covers:",
        "    fence 1 that it continues",
        "    code of fence 2",
        "    tag mask",
        "    module helper.py",
    ]


def test_requirements_and_skips(here: Path) -> None:
    page(fence('fence:1 requires:lab,hall skip:"no licence"'))
    lines = explain("p.md")
    assert "  requires lab: not here, switched off in the configuration" in lines
    assert "  requires hall: holds here" in lines
    assert "  skipped on purpose: no licence" in lines
    assert "  no recording" in lines


def test_the_last_run(here: Path) -> None:
    page(fence("fence:1"), fence("fence:2"))
    verdicts = [Verdict("p.md::1", "failed", "p.md", 1, 1, seconds=0.125)]
    verdicts.append(Verdict("p.md::2", "blocked", "p.md", 2, 5))
    state.save(here, verdicts, {})
    lines = explain("p.md")
    assert "  last run here: failed, in 0.125 s" in lines
    assert "  last run here: blocked" in lines


def test_where_it_was_recorded_and_whether_it_is_fresh(here: Path) -> None:
    page(fence("fence:1 requires:lab", "a", said=f" key:{'0' * 8}.{'0' * 8} on:{ON}"))
    lines = explain("p.md::1")
    assert "  recorded on nvidia-h200, torch-2.13.0, 2026-11-20 (line 6)" in lines
    assert "  stale: its code changed since it was recorded" in lines
    assert lines[-1] == "  no commit has the code that was recorded (key 00000000)"


def test_what_changed_since(here: Path) -> None:
    def commit() -> str:
        git = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org"]
        for arguments in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "x"]):
            subprocess.run([*git, *arguments], check=True, capture_output=True)
        done = subprocess.run([*git, "rev-parse", "--short", "HEAD"], check=True,
                              capture_output=True, text=True)  # fmt: skip
        return done.stdout.strip()

    setting = fence("fence:1", code="y = 1")
    page(setting, fence("fence:2 continues:1 requires:lab", code="z = y"))
    recorded = key(explain("p.md::2"))
    first = commit()
    said = f" key:{recorded}.{'0' * 8} on:{ON}"
    gated = fence("fence:2 continues:1 requires:lab", "a", code="z = y", said=said)
    page(fence("fence:1", code="y = 2"), gated)
    commit()
    lines = explain("p.md::2")
    at = lines.index(f"  since commit {first}, whose code was recorded:")
    assert lines[at + 1 :] == ["    fence 1 that it continues changed"]


def test_a_fence_that_is_not_there(here: Path) -> None:
    page(fence())
    with pytest.raises(UsageError, match="no such fence"):
        explain("p.md::7")


def test_a_page_with_a_problem(here: Path) -> None:
    page(fence(), fence())
    stream = StringIO()
    assert inspection.explain(["p.md::1"], stream) == 3
    assert stream.getvalue() == (
        "p.md:5: problem: fence:1 stands twice. Give one of them another number [number-twice]\n"
    )


def test_a_warning_is_no_problem(here: Path) -> None:
    Path("pyproject.toml").write_text('[tool.fencerun]\nuntagged = "warn"\n')
    page(fence(), "```python\nx\n```\n")
    stream = StringIO()
    assert inspection.explain(["p.md::1"], stream) == 0
    assert "p.md:5: warning: " in stream.getvalue()
