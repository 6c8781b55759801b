"""coverage.py, measuring the fences of a page."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("coverage")

SETTINGS = """\
[tool.coverage.run]
plugins = ["fencerun.coverage_plugin"]
include = ["*.md", "lessons/beside.py"]
[tool.fencerun]
syntax = "mkdocs"
"""

PAGE = """\
# Signs

```python fence:1
import beside


def sign(x):
    if x < 0:
        return -1
    return max(
        0,
        min(1, x),
    )


print(sign(3))
```

```text output:1
1
```

!!! note

    ```python fence:2 continues:1
    print(sign(2))
    if beside.flag:
        print("not run")
    ```

    ```text output:2
    1
    ```

```pycon fence:3
>>> x = 2
>>> x if x else 3
2
```

```python fence:4 skip:"why not"
x = 4
```

```python fence:5 requires:env:NO_SUCH_VARIABLE
x = 5
```
"""


def coverage(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: text for name, text in os.environ.items() if "COVER" not in name}
    environment.pop("VIRTUAL_ENV", None)
    return subprocess.run(
        [sys.executable, "-m", "coverage", *arguments],
        cwd=directory, capture_output=True, text=True, timeout=120,
        env={**environment, "PYTHONHASHSEED": "0"},
    )  # fmt: skip


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("course")
    (directory / "pyproject.toml").write_text(SETTINGS)
    lessons = directory / "lessons"
    lessons.mkdir()
    (lessons / "beside.py").write_text("flag = 0\nif flag:\n    print()\n")
    (lessons / "signs.md").write_text(PAGE)
    (lessons / "never.md").write_text("```python fence:1\nx = 1\n```\n")
    (directory / "README.md").write_text("```python\nx = 1\n```\n")
    return directory


def run(course: Path) -> subprocess.CompletedProcess[str]:
    command = ("-m", "fencerun", "check", "-v", "--engine", "inprocess", "lessons/signs.md")
    return coverage(course, "run", *command)


def report(course: Path) -> dict[str, Any]:
    done = coverage(course, "json", "-q", "-o", "-")
    assert done.returncode == 0, done.stderr
    files: dict[str, Any] = json.loads(done.stdout)["files"]
    return files


def test_a_branch_not_taken_is_missing(course: Path) -> None:
    done = run(course)
    assert "3 passed" in done.stdout, done.stdout + done.stderr
    files = report(course)
    assert sorted(files) == ["lessons/beside.py", "lessons/signs.md"]
    page = files["lessons/signs.md"]
    assert page["missing_lines"] == [9, 28, 46]
    assert page["executed_lines"] == [4, 7, 8, 10, 16, 26, 27, 36, 37]
    assert page["excluded_lines"] == [42]
    assert files["lessons/beside.py"]["missing_lines"] == [3]


def test_the_tracer_is_no_leak(course: Path) -> None:
    done = run(course)
    assert "leak" not in done.stdout
    assert "trace" not in done.stdout
    assert done.stderr == ""


def test_a_fence_that_traces_stops_it_for_its_chain_only(course: Path) -> None:
    page = course / "tracing.md"
    page.write_text(
        "```python fence:1\nimport sys\nsys.settrace(None)\n```\n```python fence:2\nx = 1\n```\n"
    )
    command = ("-m", "fencerun", "check", "-v", "--engine", "inprocess", "tracing.md")
    done = coverage(course, "run", *command)
    assert "trace function" in done.stdout
    assert report(course)["tracing.md"]["missing_lines"] == []
    page.unlink()


def test_pages_that_were_not_run(course: Path) -> None:
    run(course)
    done = coverage(course, "report", "--include", "*.md")
    assert "never.md" not in done.stdout
    settings = course / "source.toml"
    settings.write_text(
        SETTINGS.replace('include = ["*.md", "lessons/beside.py"]', 'source = ["."]')
    )
    command = ("-m", "fencerun", "check", "--engine", "inprocess", "lessons/signs.md")
    coverage(course, "run", "--rcfile", "source.toml", *command)
    done = coverage(course, "report", "--rcfile", "source.toml")
    assert "lessons/never.md" in done.stdout, done.stdout + done.stderr
    assert "README.md" not in done.stdout
    settings.unlink()
