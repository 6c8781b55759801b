"""`fencerun matrix` with pip and two versions of a package that is made here; no network."""

from __future__ import annotations

import json
import os
import re
import shlex
import zipfile
from pathlib import Path

import pytest

from fencerun import cli
from fencerun.matrix.environments import DIRECTORY
from fencerun.reporters.jsonl import read

PAGE = """\
```python fence:1
import tiny
print(tiny.VERSION)
```

```text output:1
2.0
```

```python fence:2
print("any version")
```

```text output:2
any version
```

```python fence:3 requires:tiny>=2 continues:1
print(tiny.NEW)
```
"""


def wheel(directory: Path, version: str) -> Path:
    """A wheel of the package `tiny`, which needs nothing."""
    code = f"VERSION = {version!r}\n" + ("NEW = 'new in 2'\n" if version == "2.0" else "")
    info = f"tiny-{version}.dist-info"
    path = directory / f"tiny-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("tiny.py", code)
        archive.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: tiny\nVersion: {version}\n"
        )
        archive.writestr(
            f"{info}/WHEEL",
            "Wheel-Version: 1.0\nGenerator: a test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        archive.writestr(f"{info}/RECORD", "")
    return path


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a page, and wheels beside it. Its environments serve all tests."""
    directory = tmp_path_factory.mktemp("matrix")
    (directory / "wheels").mkdir()
    for version in ("1.0", "2.0"):
        wheel(directory / "wheels", version)
    (directory / "pyproject.toml").write_text("[tool.fencerun]\npaths = ['.']\n")
    return directory


@pytest.fixture(autouse=True)
def _in_it(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    for name in ("VIRTUAL_ENV", "FENCERUN_PAGE", "PIP_FIND_LINKS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    Path("p.md").write_text(PAGE)


LOCAL = ("--installer", "pip", "--pip-args", "--find-links wheels")


def test_what_holds_where(capsys: pytest.CaptureFixture[str]) -> None:
    wanted = ("tiny==1.0", "tiny==2.0")
    # Fence 3 was recorded where there is a newer one: `kept` where there is none.
    assert cli.main(["matrix", "tiny==2.0", *LOCAL]) == 1
    python = next(Path(DIRECTORY).glob("tiny-2.0-*/bin/python"))
    assert cli.main(["record", "--python", str(python)]) == 0
    before = Path("p.md").read_bytes()
    capsys.readouterr()
    assert cli.main(["matrix", *wanted, *LOCAL, "--report", "jsonl=m.jsonl"]) == 1
    told = capsys.readouterr()
    assert told.err.splitlines() == ["tiny==1.0 is being built", "tiny==2.0 is there"]
    first, *_ = told.out.splitlines()
    assert re.fullmatch(r"p\.md:7: changed: fence 1, .* \[tiny==1\.0\]", first)
    assert told.out.splitlines()[-5:] == [
        "         tiny==1.0          tiny==2.0",
        "p.md::1  changed            passed",
        "p.md::3  kept               passed",
        "(1 fence that every environment agrees on: -v shows them)",
        "holds    1 of 2, 1 not run  3 of 3",
    ]
    assert Path("p.md").read_bytes() == before
    assert (
        not Path(".fencerun/last.json").exists()
        or "changed" not in Path(".fencerun/last.json").read_text()
    )
    lines = Path("m.jsonl").read_text().splitlines()
    where = [json.loads(line)["environment"] for line in lines]
    assert where == sorted(where) and set(where) == set(wanted)
    assert sum(type(event).__name__ == "RunDone" for event in read(lines)) == 2


@pytest.mark.parametrize(
    ("more", "code", "rows"),
    [
        (["--", "p.md::2"], 0, []),
        (["-v", "--", "p.md::2"], 0, ["p.md::2"]),
        (["--allow-empty", "--requires", "tiny>=2"], 5, ["p.md::3"]),
        (["-k", "any version", "-v"], 0, ["p.md::2"]),
    ],
    ids=["target", "verbose", "requires", "word"],
)
def test_which_fences(
    more: list[str], code: int, rows: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["matrix", "tiny==1.0", *LOCAL, *more]) == code
    found = re.findall(r"^p\.md::\d", capsys.readouterr().out, re.MULTILINE)
    assert found == rows


def test_problems_are_told_once_and_a_command_can_be_pasted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("p.md").write_text("see fence 7\n\n" + PAGE)
    assert cli.main(["matrix", "tiny==1.0", "tiny==2.0", *LOCAL, "--", "p.md::1"]) == 1
    out = capsys.readouterr().out
    assert out.count("p.md:1: warning: ") == 1
    command = re.search(r"^to see more: (fencerun check .*)$", out, re.MULTILINE)
    assert command is not None
    assert cli.main(shlex.split(command[1])[1:]) == 1
    Path("p.md").write_text(PAGE.replace("fence:2", "fence:1"))
    assert cli.main(["matrix", "tiny==1.0", "tiny==2.0", *LOCAL, "--", "p.md"]) == 3
    out = capsys.readouterr().out
    assert out.count(": problem: ") == 1
    assert out.endswith("holds  0 of 0 (exit 3)  0 of 0 (exit 3)\n")


def test_one_that_cannot_be_built(capsys: pytest.CaptureFixture[str]) -> None:
    target = ("--", "p.md::2")
    assert cli.main(["matrix", "tiny==1.0", "tiny==3.0", *LOCAL, *target]) == 5
    out = capsys.readouterr().out
    assert "tiny==3.0: not built: pip ended with status 1. `.fencerun/environments/tiny-3.0" in out
    assert "\n    | ERROR: No matching distribution found for tiny==3.0\n" in out
    assert out.endswith("holds  1 of 1     not built\n")


def test_none_can_be_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    uv = tmp_path / "uv"
    uv.write_text("#!/bin/sh\necho no interpreter\nexit 3\n")
    uv.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert cli.main(["matrix", "tiny==1.0 tiny"]) == 2
    out = capsys.readouterr().out
    assert "uv ended with status 3" in out and "\n    | no interpreter\n" in out
    assert out.endswith("       tiny==1.0 tiny\nholds  not built\n")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["a", "--report", "junit=x"], "--report junit=x: a matrix has no such report"),
        (["a", "--report", "jsonl"], "--report jsonl: a matrix has no such report"),
        (["a", "--pip-args", "'"], '--pip-args "\'": No closing quotation'),
        (["a", "--python", "/nowhere/python"], "--python /nowhere/python: no such interpreter"),
        (["a b", "--with", "--pre"], "expected one argument"),
        ([], "the following arguments are required: SPEC"),
        (["--", "p.md"], "the following arguments are required: SPEC"),
    ],
)
def test_calls_that_make_no_sense(
    words: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code = cli.main(["matrix", *words])
    except SystemExit as end:
        code = int(end.code or 0)
    assert code == 2
    assert why in capsys.readouterr().err
