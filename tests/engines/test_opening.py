"""Tools that open the file which a code object names."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from fencerun.engines.base import Chain, EngineOptions, Finished, Job
from fencerun.engines.worker import WorkerEngine
from fencerun.result import Outcome

#: A page that no tokenizer takes for Python.
PAGE = "# Page\n\n```python fence:1\n```\n\n```text output:1\n    deep\n  less\n```\n"


def run(directory: Path, code: str, preload: tuple[str, ...] = ()) -> Outcome:
    (directory / "page.md").write_text(PAGE, encoding="utf-8")
    chain = Chain("page.md", str(directory), (Job("1", 1, code, 4),))
    with WorkerEngine(EngineOptions(sys.executable, preload=preload)) as engine:
        (end,) = (event for event in engine.run([chain]) if isinstance(event, Finished))
    return end.outcome


def test_tokenize_open_gives_the_script(tmp_path: Path) -> None:
    code = (
        "import tokenize\n"
        "def f():\n    pass\n"
        "with tokenize.open(f.__code__.co_filename) as file:\n"
        "    print([(n, line) for n, line in enumerate(file, 1) if 'def' in line][0])\n"
        "print(tokenize.open('other.py').read())"
    )
    (tmp_path / "other.py").write_text("x = 1", encoding="utf-8")
    done = run(tmp_path, code)
    assert done.failure is None
    assert done.output == b"(5, 'def f():\\n')\nx = 1\n"


def test_dynamo_does_not_read_the_page_as_python(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    code = (
        "import torch\n"
        "@torch.compile(backend='eager')\n"
        "def f(x):\n    y = x + 1\n    torch._dynamo.graph_break()\n    return y * 2\n"
        "print(f(torch.ones(2)))\n"
        "from torch._dynamo.funcname_cache import get_funcname\n"
        "print(get_funcname('page.md', 7))"
    )
    done = run(tmp_path, code, ("torch", "torch._dynamo"))
    assert done.failure is None
    assert done.output == b"tensor([4., 4.])\nf\n"
