"""The files that CI systems read, and every command that the documentation shows."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from fencerun import cli

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / "docs/workflows").glob("*.yml"))
PAGES = sorted([*(ROOT / "docs").glob("*.md"), ROOT / "README.md"])
ACTION = "fencerun/fencerun@"


def load(path: Path) -> dict[Any, Any]:
    found = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def triggers(workflow: dict[Any, Any]) -> set[str]:
    # YAML 1.1 reads `on` as true.
    return set(workflow[True])


def steps(workflow: dict[Any, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    for job in workflow["jobs"].values():
        for step in job["steps"]:
            yield job, step


def parses(words: list[str]) -> None:
    """Whether the command line understands it; else it ends the process."""
    cli._parser().parse_args(words)


def test_there_are_workflows() -> None:
    assert [path.name for path in WORKFLOWS] == ["fences.yml", "gpu.yml"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_the_commands_of_a_workflow_parse(path: Path) -> None:
    found = [
        step["with"]["arguments"].split()
        for _, step in steps(load(path))
        if step.get("uses", "").startswith(ACTION)
    ]
    assert found
    for words in found:
        parses(words)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_strangers_get_no_rights(path: Path) -> None:
    workflow = load(path)
    assert "pull_request_target" not in path.read_text()
    assert workflow["permissions"] == {"contents": "read"}
    for job, step in steps(workflow):
        writes = "permissions" in job
        if step.get("uses", "").startswith("actions/checkout@") and not writes:
            assert step["with"]["persist-credentials"] is False
        if writes and step.get("uses", "").startswith(ACTION):
            words = step["with"]["arguments"]
            assert words.startswith("record ") and "--from" in words, (
                "a job that may write runs no fence"
            )
        assert "${{" not in step.get("run", ""), "what stands in a script, the shell runs"
    if "pull_request" in triggers(workflow):
        text = path.read_text()
        assert "secrets." not in text
        assert "self-hosted" not in text
        assert "permissions" not in {key for job in workflow["jobs"].values() for key in job}


def test_the_lanes_are_those_of_the_documentation() -> None:
    said = (ROOT / "docs/ci.md").read_text()
    for path in WORKFLOWS:
        for _, step in steps(load(path)):
            if step.get("uses", "").startswith(ACTION) and "cpu.jsonl" not in str(step):
                words = step["with"]["arguments"].replace("*.jsonl", "'*.jsonl'")
                assert f"`fencerun {words}`" in said


def test_yaml_in_the_documentation_is_yaml_and_names_what_there_is() -> None:
    hooks = {hook["id"] for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
    inputs = set(load(ROOT / "action.yml")["inputs"])
    blocks = re.findall(r"^```yaml\n(.*?)^```", (ROOT / "docs/ci.md").read_text(), re.M | re.S)
    action, config = (yaml.safe_load(block) for block in blocks)
    assert set(action[0]["with"]) <= inputs
    assert {hook["id"] for hook in config["repos"][0]["hooks"]} <= hooks


def commands(page: Path) -> Iterator[str]:
    """Commands in shell blocks, and in code spans with arguments."""
    text = page.read_text(encoding="utf-8")
    for block in re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S):
        yield from (line for line in block.splitlines() if line.startswith("fencerun "))
    prose = re.sub(r"^(`{3,}).*?^\1", "", text, flags=re.M | re.S)
    yield from re.findall(r"`(fencerun (?:check|record|status|audit|explain) [^`…]+)`", prose)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_that_the_documentation_shows_parse(page: Path) -> None:
    for command in commands(page):
        # What a shell does with the output is no part of it.
        parses(shlex.split(command.partition(" > ")[0], comments=True)[1:])


def test_the_documentation_shows_commands() -> None:
    assert sum(len(list(commands(page))) for page in PAGES) > 8


# pre-commit.


def hook(name: str) -> list[str]:
    """The command of a hook."""
    for one in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text()):
        if one["id"] == name:
            assert one["language"] == "python"
            return shlex.split(one["entry"])
    raise LookupError(name)


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("fencerun-check", "```python fence:1\nprint(1)\n```\n\n```text output:1\n1\n```\n", 0),
        ("fencerun-check", "```python fence:1\nprint(1)\n```\n", 1),
        ("fencerun-check", "prose\n", 0),
        ("fencerun-check", '```python fence:1 skip:"later"\n```\n', 0),
        ("fencerun-status", "```python fence:1\nprint(1)\n```\n", 0),
        ("fencerun-status", "```python fence:0\n```\n", 3),
    ],
)
def test_hooks(name: str, text: str, code: int, tmp_path: Path) -> None:
    (tmp_path / "p.md").write_text(text)
    bin_directory = Path(sys.executable).parent
    environment = {
        **os.environ,
        "PATH": f"{bin_directory}{os.pathsep}{os.environ['PATH']}",
        "VIRTUAL_ENV": str(tmp_path / "nowhere"),
    }
    environment.pop("FENCERUN_PAGE", None)
    done = subprocess.run(
        [*hook(name), "p.md"], cwd=tmp_path, env=environment, capture_output=True, timeout=60
    )
    assert done.returncode == code, done.stdout + done.stderr


# The action.

#: What it adds to a run.
OWN = ("--python", "{python}", "--report", "github")


def test_the_action_is_composite_and_has_no_expression_in_a_script() -> None:
    action = load(ROOT / "action.yml")
    assert action["runs"]["using"] == "composite"
    for step in action["runs"]["steps"]:
        assert step["shell"] == "bash"
        assert "${{" not in step["run"]
    assert all("description" in one for one in action["inputs"].values())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("check", ["check", *OWN]),
        (
            "check -k a\n  lessons/*.md $(touch x) `touch x`",
            ["check", *OWN, "-k", "a", "lessons/*.md", "$(touch", "x)", "`touch", "x`"],
        ),
        ("audit", ["audit", "--python", "{python}"]),
        ("status --from *.jsonl", ["status", "--from", "*.jsonl"]),
    ],
    ids=["check", "no shell", "audit", "status"],
)
def test_the_action_passes_arguments_on(arguments: str, words: list[str], tmp_path: Path) -> None:
    command = tmp_path / "fencerun/bin/fencerun"
    command.parent.mkdir(parents=True)
    command.write_text('#!/bin/sh\nfor word in "$@"; do echo "$word"; done\nexit 4\n')
    command.chmod(0o755)
    (tmp_path / "lessons").mkdir()
    (tmp_path / "lessons/a.md").write_text("")
    environment = {
        "PATH": os.environ["PATH"],
        "RUNNER_TEMP": str(tmp_path),
        "ARGUMENTS": arguments,
        "PYTHON": sys.executable,
    }
    script = load(ROOT / "action.yml")["runs"]["steps"][-1]["run"]
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.stdout.splitlines() == [word.format(python=sys.executable) for word in words]
    assert done.returncode == 4
    assert not (tmp_path / "x").exists()
