"""`fencerun audit` on real processes: what no guard sees shows all the same."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest

from fencerun import auditing

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


def audit(page: str, *arguments: str, seed: int | None = 1) -> tuple[int, str]:
    Path("p.md").write_text(page)
    stream = StringIO()
    code = auditing.audit(arguments or ("p.md",), None, None, seed, stream)
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
    assert said.endswith("6 fences audited: 3 depend on others\n")
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
