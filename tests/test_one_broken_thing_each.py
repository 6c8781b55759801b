"""A page on which every other fence breaks one thing of the process it shares with all others."""

from __future__ import annotations

import pytest

from fencerun import launch
from fencerun.events import Verdict
from fencerun.selection import Target
from fencerun.session import Request

pytest.importorskip("torch")

#: What a fence does, and what must be said of it: its verdict, and a word of the report.
BREAKS: dict[str, tuple[str, str, str]] = {
    "meta-then-raise": (
        'import torch\ntorch.set_default_device("meta")\nraise RuntimeError("after that")',
        "failed",
        "default device",
    ),
    "aten-override": (
        'import torch\nlib = torch.library.Library("aten", "IMPL")\n'
        'lib.impl("gelu", lambda x, approximate="none": x * 0, "CPU")',
        "failed",
        "overrides a CPU kernel of aten::gelu",
    ),
    "dispatch-mode": (
        "from torch.utils._python_dispatch import TorchDispatchMode\n"
        "class Mode(TorchDispatchMode):\n"
        "    def __torch_dispatch__(self, f, types, args=(), kwargs=None):\n"
        "        return f(*args, **(kwargs or {}))\n"
        "Mode().__enter__()",
        "passed",
        "torch dispatch modes",
    ),
    "closed-stdout": ("import os\nos.close(1)", "passed", "file descriptor 1 closed"),
    "left-thread": (
        "import threading, time\n"
        "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()",
        "passed",
        "thread left running",
    ),
    "library": (
        'import torch\nlib = torch.library.Library("broken_twice", "DEF")\n'
        'lib.define("f(Tensor x) -> Tensor")',
        "passed",
        "",
    ),
    "library-again": (
        'import torch\nlib = torch.library.Library("broken_twice", "DEF")\n'
        'lib.define("f(Tensor x) -> Tensor")',
        "failed",
        "claims the operator namespace broken_twice",
    ),
    "segfault": ("import ctypes\nctypes.string_at(0)", "failed", "SIGSEGV"),
    "endless-c-loop": (
        'import re\nre.match(r"(a+)+$", "a" * 40 + "b")',
        "failed",
        "no end after 2 s",
    ),
    "dtype": ("import torch\ntorch.set_default_dtype(torch.float64)", "passed", "default dtype"),
    "environment": (
        'import os\nos.environ["BROKEN"] = "1"',
        "passed",
        "variable BROKEN",
    ),
    "directory": ('import os\nos.chdir("/")', "passed", "working directory"),
}

INNOCENT = """\
import os, pathlib, torch
from torch.nn.functional import gelu
print(torch.rand(1), torch.ones(1).device, gelu(torch.ones(1)), torch.get_default_dtype())
print(os.environ.get("BROKEN"), pathlib.Path("page.md").is_file())"""

PRINTED = """\
tensor([0.4963]) cpu tensor([0.8413]) torch.float32
None True"""


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Verdict]:
    """The verdicts of one run over the page, by fence number: odd ones break, even ones do not."""
    directory = tmp_path_factory.mktemp("broken")
    blocks = []
    for index, (code, _, _) in enumerate(BREAKS.values()):
        odd, even = 2 * index + 1, 2 * index + 2
        blocks += [f"```python fence:{odd} timeout:2\n{code}\n```\n"]
        blocks += [f"```python fence:{even}\n{INNOCENT}\n```\n"]
        blocks += [f"```text output:{even}\n{PRINTED}\n```\n"]
    (directory / "page.md").write_text("\n".join(blocks), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(directory)
        request = Request("check", (Target("page.md"),))
        done = launch.session(request, lambda event: None).run()
    assert done.exit_code == 4
    return {verdict.fence: verdict for verdict in done.verdicts}


@pytest.mark.parametrize("index", range(len(BREAKS)), ids=list(BREAKS))
def test_what_was_broken_is_named_and_the_next_fence_sees_nothing(
    verdicts: dict[int, Verdict], index: int
) -> None:
    _, kind, word = list(BREAKS.values())[index]
    broken, innocent = verdicts[2 * index + 1], verdicts[2 * index + 2]
    assert broken.kind == kind
    assert word in "\n".join((broken.what, *(leak.what for leak in broken.leaks)))
    assert innocent.kind == "passed", innocent.what


def test_only_what_cannot_be_undone_costs_the_worker(verdicts: dict[int, Verdict]) -> None:
    replaced = {list(BREAKS)[fence // 2] for fence, one in verdicts.items() if one.replaced}
    assert replaced == {"left-thread", "segfault"}
