"""What CI asks of the command: lanes, shares, pages that changed, and no secret in any report."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from fencerun import cli

SECRET = "hf_QwErTy123456"


@pytest.fixture(autouse=True)
def _environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("VIRTUAL_ENV", "FENCERUN_PAGE", "GITHUB_STEP_SUMMARY", "LAB"):
        monkeypatch.delenv(name, raising=False)


def fencerun(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "fencerun", *arguments],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=120,
    )


def block(code: str, info: str = "python fence:1") -> str:
    return f"```{info}\n{code}\n```\n\n"


LAB = "[tool.fencerun.capabilities]\nlab = {env = 'LAB'}\n"


def test_two_lanes_from_the_first_run_to_the_verdict() -> None:
    """As docs/ci.md has it, with a capability of the project's own for a GPU."""
    Path("pyproject.toml").write_text(LAB)
    page = Path("p.md")
    page.write_text(
        block("print('cpu')")
        + block("x = 2; print('lab')", "python fence:2 requires:lab")
        + block("print(x)", "python fence:3 continues:2")
    )
    lane = ("check", "--requires", "lab", "--must-have", "lab", "--report", "jsonl=lab.jsonl")
    without = fencerun(*lane)
    assert without.returncode == 2
    assert "--must-have lab" in without.stderr

    assert fencerun(*lane, LAB="1").returncode == 1, "nothing is recorded yet"
    assert fencerun("record", "--from", "lab.jsonl", "--renew").returncode == 0
    assert "```text output:3 key:" in page.read_text()
    assert "output:1" not in page.read_text(), "another lane's fence"
    assert fencerun("record").returncode == 0
    before = page.read_text()

    cpu = fencerun("check", "--without", "slow,network", "--report", "jsonl=cpu.jsonl")
    assert cpu.returncode == 0, cpu.stdout
    assert fencerun(*lane, LAB="1").returncode == 0
    assert fencerun("record", "--from", "lab.jsonl", "--renew").returncode == 0
    assert page.read_text() == before
    verdict = fencerun("status", "--from", "*.jsonl")
    assert (verdict.returncode, verdict.stdout.splitlines()[-1]) == (
        0,
        "every fence is accounted for",
    )
    Path("cpu.jsonl").unlink()
    assert fencerun("status", "--from", "*.jsonl").returncode == 5


@pytest.mark.parametrize("verb", ["check", "record", "status", "audit"])
def test_each_verb_selects_by_requirement(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("pyproject.toml").write_text("[tool.fencerun.capabilities]\nlab = true\n")
    Path("p.md").write_text(block("x = 1") + block("y = 1", "python fence:2 requires:lab"))
    assert cli.main([verb, "--requires", "lab"]) == 0
    assert re.search(r"\b1 (fences? audited|passed|unrecorded|recorded)\b", capsys.readouterr().out)
    assert cli.main([verb, "--requires", "labb"]) == 2
    assert "--requires labb: no such capability" in capsys.readouterr().err


def test_shares_run_every_fence_once(capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(5):
        Path(f"{number}.md").write_text(block("x = 1") + block("y", "python fence:none"))
    Path("prose.md").write_text("No fence.\n")
    ran: list[str] = []
    hashes = set()
    for index in (1, 2, 3, 4, 5, 6, 7):
        report = f"jsonl={index}.jsonl"
        assert cli.main(["check", "--shard", f"{index}/7", "--report", report]) == 0
        out = capsys.readouterr().out
        assert f"share {index} of 7: {int(index < 7)} of 6 pages" in out
        hashes.add(out.partition("by weights ")[2].partition(")")[0])
        lines = Path(f"{index}.jsonl").read_text().splitlines()
        events = [json.loads(line) for line in lines]
        ran += [event["verdict"]["id"] for event in events if event["event"] == "fence_done"]
    assert sorted(ran) == [f"{number}.md::1" for number in range(5)]
    assert len(hashes) == 1, "what a share took must not move the borders of the next"
    assert cli.main(["check", "--shard", "8/7"]) == 2


def test_a_share_whose_fences_cannot_run_here_is_no_failure() -> None:
    Path("p.md").write_text(block("x = 1", 'python fence:1 skip:"why"'))
    assert cli.main(["check"]) == 5
    assert cli.main(["check", "--shard", "1/1"]) == 0
    assert cli.main(["check", "--allow-empty"]) == 0


SHOWING = {
    "printed": ("import os; print(os.environ['HF_TOKEN'])", "python fence:1"),
    "to stderr": (
        "import os, sys; print(os.environ['HF_TOKEN'], file=sys.stderr)",
        "python fence:1 stderr",
    ),
    "in colour": (
        "import os; t = os.environ['HF_TOKEN']; print(t[:5] + '\\x1b[1m' + t[5:])",
        "python fence:1",
    ),
    "by a shell": ("echo $HF_TOKEN", "bash fence:1"),
    "in a session": ("$ echo $HF_TOKEN", "console fence:1"),
    "quoted": (">>> import os\n>>> os.environ['HF_TOKEN']", "pycon fence:1"),
    "raised": (
        "import os; raise ValueError(os.environ['HF_TOKEN'])",
        "python fence:1 raises:ValueError",
    ),
    "as a value": (
        "import os\n```\n\n<span data-fence=\"1:os.environ['HF_TOKEN']\">x</span>\n\n```python",
        "python fence:1",
    ),
}


@pytest.mark.parametrize(("code", "info"), SHOWING.values(), ids=list(SHOWING))
def test_no_secret_reaches_a_page(code: str, info: str) -> None:
    page = Path("p.md")
    page.write_text(block(code, info))
    done = fencerun("record", "--report", "jsonl=run.jsonl", "--report", "plain", HF_TOKEN=SECRET)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "***" in page.read_text().replace("\\", "")
    assert SECRET not in page.read_text() + Path("run.jsonl").read_text() + done.stdout
    assert fencerun("check", HF_TOKEN=SECRET).returncode == 0


def test_no_secret_reaches_a_report() -> None:
    """Neither from a failure nor from the recorded side of a difference."""
    Path("p.md").write_text(
        block("import os; token = os.environ['HF_TOKEN']; print(token)\nassert token == 1")
        + block("print(1)", "python fence:2")
        + block(f"recorded {SECRET}", "text output:2")
        + block(
            "import os, sys; sys.stderr.write(os.environ['HF_TOKEN']); os._exit(3)",
            "python fence:3",
        )
        + block("import os; os.environ['LEFT'] = os.environ['HF_TOKEN']", "python fence:4")
    )
    reports = [
        f"--report={name}={name}.out" for name in ("github", "junit", "jsonl", "plain", "rich")
    ]
    done = fencerun("check", "-v", *reports, "--report", "plain", HF_TOKEN=SECRET)
    assert done.returncode == 4
    for name in ("github", "junit", "jsonl", "plain", "rich"):
        text = Path(f"{name}.out").read_text()
        assert SECRET not in text, name
        assert "***" in text, name
    assert SECRET not in done.stdout + done.stderr


def test_audit_shows_no_secret() -> None:
    Path("p.md").write_text(
        block("import os, time; print(os.environ['HF_TOKEN'], time.perf_counter_ns())")
    )
    done = fencerun("audit", HF_TOKEN=SECRET)
    assert done.returncode == 4
    assert SECRET not in done.stdout
    assert "***" in done.stdout


@pytest.mark.parametrize(
    "narrowed", [("--since", "main"), ("--shard", "1/2"), ("--requires", "slow"), ("-k", "x")]
)
def test_stripping_is_never_more_than_was_asked_for(narrowed: tuple[str, str]) -> None:
    page = Path("p.md")
    page.write_text(block("print(1)") + block("1", "text output:1"))
    before = page.read_text()
    assert cli.main(["record", "--strip", *narrowed]) == 2
    assert page.read_text() == before
