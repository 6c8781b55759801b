"""`fencerun audit` on real processes: what no guard sees shows all the same."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from io import StringIO
from pathlib import Path

import pytest

from fencerun import auditing
from fencerun.worker import children

#: Nothing watches the attributes of this module: it is one of hundreds.
PLANTED = """\
```python fence:1
import colorsys
colorsys.planted = 5
```

```python fence:2
print("clean")
```

```python fence:3
import colorsys
print(getattr(colorsys, "planted", 0))
```

```python fence:4
import colorsys
colorsys.times = getattr(colorsys, "times", 0) + 1
print(colorsys.times)
```

```python fence:5
import time
print(time.perf_counter_ns())
```

```python fence:6 varies:time
import time
print(f"{time.perf_counter():.9f} s")
```
"""

CLEAN = """\
```python fence:1
import os, random, sys
os.environ["PLANTED"] = "1"
sys.setrecursionlimit(5000)
print(random.random())
```

```python fence:2 continues:1
print(os.environ["PLANTED"], random.random())
```

```python fence:3
import os, random, sys
print(os.environ.get("PLANTED"), sys.getrecursionlimit(), random.random())
```

```python fence:4 requires:env:NO_SUCH_VARIABLE
print("elsewhere")
```
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("VIRTUAL_ENV", "FENCERUN_PAGE"):
        monkeypatch.delenv(name, raising=False)


def audit(
    page: str, *arguments: str, seed: int | None = 1, jobs: int | None = None
) -> tuple[int, str]:
    Path("p.md").write_text(page)
    stream = StringIO()
    code = auditing.audit(arguments or ("p.md",), None, None, seed, stream, jobs=jobs)
    return code, stream.getvalue()


def test_planted_dependences() -> None:
    code, said = audit(PLANTED)
    assert (
        "p.md:10: depends: fence 3, in page order: line 1 of its output is '5'; alone, '0'\n"
        "    the earliest that makes the difference is fence 1 (p.md:1)\n"
    ) in said
    assert (
        "p.md:15: depends: fence 4, when run again in the same process: "
        "line 1 of its output is '2'; alone, '1'\n"
        "    the earliest that makes the difference is fence 4 (p.md:15)\n"
    ) in said
    assert "p.md:21: depends: fence 5, in page order: line 1 of its output is" in said
    assert "it varies by itself" in said
    assert said.count("depends:") == 3
    assert said.endswith("6 fences audited: 2 depend on others, 1 varies by itself\n")
    assert code == 4


def test_a_clean_page() -> None:
    code, said = audit(CLEAN, seed=None)
    assert "depends" not in said
    assert "shuffled (seed " in said
    assert said.endswith("3 fences audited, 1 not run here: all independent\n")
    assert code == 0


def test_a_page_with_a_problem() -> None:
    code, said = audit("```python fence:1\n```\n\n```python fence:1\n```\n")
    assert "p.md:4: problem: fence:1 stands twice. Give one of them another number" in said
    assert code == 3


def test_nothing_to_audit() -> None:
    assert audit("Prose.\n") == (5, "no fence ran: nothing was audited\n")


# Side by side.


def findings(said: str) -> list[str]:
    """What an audit found, without the numbers that differ each time, and how it ended."""
    lines = said[said.index("in one process\n") :].splitlines()
    found = [line for line in lines if not line.endswith("in one process")]
    return [re.sub(r"\d{5,}", "…", line) for line in found]


@pytest.mark.parametrize(("page", "seed"), [(PLANTED, 7), (CLEAN, 1)], ids=["planted", "clean"])
def test_side_by_side_as_one_after_another(page: str, seed: int) -> None:
    code, said = audit(page, seed=seed)
    at_once = audit(page, seed=seed, jobs=3)
    assert (code, findings(said)) == (at_once[0], findings(at_once[1]))
    assert f"shuffled (seed {seed}): " in at_once[1]
    assert at_once[1].splitlines()[0].endswith(", side by side")
    assert audit(page, seed=seed, jobs=1)[1].splitlines()[0] == said.splitlines()[0]


#: Says whether it runs twice at the same time.
MEETS_ITSELF = """\
```python fence:1
import os, time
try:
    os.mkdir("busy")
except FileExistsError:
    print("met")
else:
    time.sleep(0.5)
    os.rmdir("busy")
```

```python fence:2
import time
time.sleep(0.1)
```
"""


def test_what_only_happens_side_by_side_is_no_dependence() -> None:
    assert audit(MEETS_ITSELF, jobs=3)[1].endswith("2 fences audited: all independent\n")


def cli(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "fencerun", "audit", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_how_many_at_once() -> None:
    Path("p.md").write_text(CLEAN)
    for arguments in (["-j2", "p.md"], ["-j", "2"], ["p.md", "-j2", "--seed=3"]):
        run = cli(*arguments)
        assert run.returncode == 0, run.stderr
        assert ", side by side\n" in run.stdout
        assert run.stdout.endswith("3 fences audited, 1 not run here: all independent\n")
    assert cli("-j", "p.md", "absent.md").returncode == 2
    assert "0 pages at once are none" in cli("-j0").stderr


def test_ctrl_c_ends_all_that_runs_at_once() -> None:
    code = "import time; open('began', 'a').write('x'); time.sleep(60)"
    fences = (f"```python fence:{number}\n{code}\n```\n\n" for number in (1, 2, 3))
    Path("p.md").write_text("".join(fences))
    command = [sys.executable, "-m", "fencerun", "audit", "-j3", "p.md"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        until = time.monotonic() + 30
        while time.monotonic() < until and not (
            Path("began").exists() and len(Path("began").read_text()) == 3
        ):
            time.sleep(0.02)
        below = children.descendants(run.pid)
        run.send_signal(signal.SIGINT)
        _, complaint = run.communicate(timeout=30)
    assert run.returncode == 130, complaint
    assert below
    assert not [pid for pid in below if Path(f"/proc/{pid}").exists()]
