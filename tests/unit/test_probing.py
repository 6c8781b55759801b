from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from fencerun.capabilities import parse, parse_own
from fencerun.errors import UsageError
from fencerun.probing import Prober, inquiry, machine
from fencerun.probing.inquiry import Inquiry, Raised, Unanswered
from fencerun.probing.prober import LEFT_OUT
from fencerun.worker import probe

CUDA_BUILD = {"__version__": "2.11.0+cu130", "cuda": "13.0", "hip": None, "xpu": None}
CPU_BUILD = {"__version__": "2.13.0+cpu", "cuda": None, "hip": None, "xpu": None}
ROCM_BUILD = {"__version__": "2.11.0+rocm7", "cuda": None, "hip": "7.0", "xpu": None}
NONE: dict[str, list[dict[str, object]]] = {"cuda": [], "rocm": [], "xpu": [], "mps": []}
H200 = {"name": "NVIDIA H200", "sm": 90}
A10 = {"name": "NVIDIA A10", "sm": 86}


class Machine:
    """A machine that answers as told, and counts what it was asked."""

    def __init__(
        self,
        monkeypatch: pytest.MonkeyPatch,
        *,
        build: Mapping[str, object] | None = None,
        traces: Sequence[str] = (),
        devices: Mapping[str, object] | None = None,
        answers: Mapping[str, object] | None = None,
    ) -> None:
        self.asked: list[str] = []
        self.known: dict[str, object] = {
            "basics": {"python": "3.12.3", "torch": build},
            "devices": {**NONE, **(devices or {})},
            **(answers or {}),
        }
        monkeypatch.setattr(inquiry, "_start", self._answer)
        monkeypatch.setattr(machine, "traces", lambda *_: frozenset(traces))

    def _answer(self, _: Inquiry, question: str, argument: str) -> object:
        self.asked.append(question)
        answer = self.known[f"{question} {argument}".strip()]
        if isinstance(answer, Exception):
            raise answer
        return answer


def prober(**options: Any) -> Prober:
    """A prober of a Python that is not this one, so that every question reaches the machine."""
    return Prober("elsewhere", **options)


def why(asked: Prober, text: str) -> str | None:
    return asked.unmet(parse(text, own=("wmt",)))


FOUND: dict[str, tuple[dict[str, Any] | None, tuple[str, ...], dict[str, Any]]] = {
    "a GPU": (CUDA_BUILD, ("cuda",), {"cuda": [H200]}),
    "two": (CUDA_BUILD, ("cuda",), {"cuda": [A10, H200]}),
    "no GPU": (CUDA_BUILD, (), {}),
    "no driver": (CUDA_BUILD, ("cuda",), {}),
    "CPU build": (CPU_BUILD, ("cuda",), {}),
    "no torch": (None, ("cuda",), {}),
    "AMD": (ROCM_BUILD, ("rocm",), {"rocm": [{"name": "AMD Instinct MI300X", "sm": 94}]}),
    "Mac": (CPU_BUILD, ("mps",), {"mps": [{"name": "Apple MPS"}]}),
}


@pytest.mark.parametrize(
    ("here", "text", "expected"),
    [
        ("a GPU", "cuda", None),
        ("a GPU", "accelerator", None),
        ("a GPU", "sm>=90", None),
        ("a GPU", "sm==80", "the GPU is sm 90, ==80 is required"),
        ("a GPU", "gpus>=1", None),
        ("a GPU", "gpus>=2", "1 GPU, >=2 is required"),
        ("a GPU", "gpu:h200", None),
        ("a GPU", "gpu:nvidia-h200", None),
        ("a GPU", "gpu:h20", "the GPU is nvidia-h200"),
        ("a GPU", "rocm", "no ROCm device"),
        ("a GPU", "mps", "no MPS device"),
        ("two", "gpus>=2", None),
        ("two", "gpus>2", "2 GPUs, >2 is required"),
        ("two", "sm>=90", "the GPU is sm 86, >=90 is required"),
        ("two", "gpu:h200", "the GPU is nvidia-a10"),
        ("no GPU", "cuda", "no CUDA device"),
        ("no GPU", "sm>=90", "no CUDA device"),
        ("no GPU", "gpus>=1", "no accelerator"),
        ("no GPU", "accelerator", "no accelerator"),
        ("no driver", "cuda", "no CUDA device"),
        ("CPU build", "cuda", "no CUDA device: torch 2.13.0+cpu is built without CUDA"),
        ("CPU build", "rocm", "no ROCm device"),
        ("no torch", "cuda", "no CUDA device: torch is not installed"),
        ("AMD", "rocm", None),
        ("AMD", "cuda", "no CUDA device"),
        ("AMD", "sm>=90", "no CUDA device"),
        ("AMD", "gpu:mi300x", None),
        ("AMD", "accelerator", None),
        ("Mac", "mps", None),
        ("Mac", "accelerator", None),
        ("Mac", "cuda", "no CUDA device"),
    ],
)
def test_accelerators(
    here: str, text: str, expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    build, traces, devices = FOUND[here]
    Machine(monkeypatch, build=build, traces=traces, devices=devices)
    assert why(prober(), text) == expected


@pytest.mark.parametrize(
    ("here", "name"),
    [
        ("a GPU", "nvidia-h200"),
        ("two", "nvidia-a10"),
        ("no GPU", "cpu"),
        ("no torch", "cpu"),
        ("Mac", "apple-mps"),
    ],
)
def test_the_device_that_fences_run_on(
    here: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    build, traces, devices = FOUND[here]
    Machine(monkeypatch, build=build, traces=traces, devices=devices)
    assert prober().device() == name


@pytest.mark.parametrize("here", ["no GPU", "CPU build", "no torch"])
def test_no_process_imports_torch_where_no_accelerator_can_be(
    here: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    build, traces, devices = FOUND[here]
    there = Machine(monkeypatch, build=build, traces=traces, devices=devices)
    asked = prober()
    for text in ("cuda", "rocm", "mps", "xpu", "accelerator", "sm>=90", "gpus>=1", "gpu:h200"):
        assert why(asked, text) is not None
    asked.device()
    assert there.asked == ["basics"]


def test_all_that_needs_torch_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    there = Machine(monkeypatch, build=CUDA_BUILD, traces=("cuda",), devices={"cuda": [H200]})
    asked = prober()
    for text in ("cuda", "sm>=90", "gpus>=1", "gpu:h200", "accelerator", "torch>=2", "python>=3"):
        assert why(asked, text) is None
    assert asked.device() == "nvidia-h200"
    assert asked.versions() == {"python": "3.12.3", "torch": "2.11.0+cu130"}
    assert sorted(there.asked) == ["basics", "devices"]


@pytest.mark.parametrize(
    ("without", "text"),
    [
        ("cuda", "cuda"),
        ("cuda", "sm>=90"),
        ("accelerator", "gpus>=1"),
        ("accelerator", "cuda"),
        ("gpu", "gpu:h200"),
        ("slow", "slow"),
        ("network", "network"),
        ("sm>=90", "sm>=90"),
        ("cxx", "cxx"),
        ("env:HOME", "env:HOME"),
        ("Flash_Attn", "dist:flash-attn"),
        ("dist:torch", "torch>=2"),
        ("wmt", "wmt"),
    ],
)
def test_what_is_left_out_does_not_hold(
    without: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = Machine(monkeypatch, build=CUDA_BUILD, traces=("cuda",), devices={"cuda": [H200]})
    assert why(prober(without=(without,)), text) == LEFT_OUT
    assert there.asked == []


def test_leaving_cuda_out_leaves_no_device_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    there = Machine(monkeypatch, build=CUDA_BUILD, traces=("cuda",), devices={"cuda": [H200]})
    asked = prober(without=("cuda",))
    assert why(asked, "gpus>=1") == "no accelerator"
    assert why(asked, "accelerator") == "no accelerator"
    assert asked.device() == "cpu"
    assert "devices" not in there.asked


def test_slow_and_network_hold_unless_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    there = Machine(monkeypatch)
    assert why(prober(), "slow") is None
    assert why(prober(), "network") is None
    assert there.asked == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("python>=3.11", None),
        ("python<3.12", "Python 3.12.3 runs the lessons, <3.12 is required"),
        ("torch>=2.11", None),
        ("torch==2.11.0", None),
        ("torch>=2.13", "torch 2.11.0+cu130 is installed, >=2.13 is required"),
        ("dist:torch", None),
        ("dist:numpy", None),
        ("numpy<2", "numpy 2.5.0rc1 is installed, <2 is required"),
        ("numpy>=2.4", None),
        ("numpy>=2.5", "numpy 2.5.0rc1 is installed, >=2.5 is required"),
        ("dist:jax", "jax is not installed"),
        ("jax>=0.1", "jax is not installed"),
        ("own>=1", "own 1-of-ours is installed, >=1 is required"),
    ],
)
def test_versions_compare_as_pep_440_says(
    text: str, expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = {"version numpy": "2.5.0rc1", "version jax": None, "version own": "1-of-ours"}
    Machine(monkeypatch, build=CUDA_BUILD, answers=answers)
    assert why(prober(), text) == expected


def test_a_python_between_two_releases_has_a_version(monkeypatch: pytest.MonkeyPatch) -> None:
    Machine(monkeypatch, answers={"basics": {"python": "3.15.0a1+", "torch": None}})
    assert why(prober(), "python>=3.14") is None
    assert why(prober(), "python>=3.15") is not None


@pytest.mark.parametrize(
    ("triton", "numpy", "expected"),
    [
        (True, True, None),
        (False, True, "triton is not installed"),
        (True, False, "triton has no GPU here, and its interpreter no numpy"),
    ],
)
def test_triton_needs_a_gpu_or_its_interpreter(
    triton: bool, numpy: bool, expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = {"has_module triton": triton, "has_module numpy": numpy}
    Machine(monkeypatch, build=CPU_BUILD, answers=answers)
    assert why(prober(), "triton") == expected


def test_triton_without_numpy_runs_on_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = {"has_module triton": True, "has_module numpy": False}
    devices = {"cuda": [H200]}
    Machine(monkeypatch, build=CUDA_BUILD, traces=("cuda",), devices=devices, answers=answers)
    assert why(prober(), "triton") is None


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        ({"FENCERUN_X": "1"}, None),
        ({"FENCERUN_X": ""}, "FENCERUN_X is empty"),
        ({}, "FENCERUN_X is not set"),
    ],
    ids=["set", "empty", "unset"],
)
def test_a_variable_counts_as_the_fences_see_it(
    env: dict[str, str], expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FENCERUN_X", raising=False)
    assert why(prober(env=env), "env:FENCERUN_X") == expected
    own = parse_own({"wmt": {"env": "FENCERUN_X"}})
    assert why(prober(env=env, own=own), "wmt") == expected


@pytest.mark.parametrize("text", ["linux", "macos", "windows"])
@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_systems(text: str, platform: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    names = {"linux": "Linux", "darwin": "macOS", "win32": "Windows"}
    here = names[platform]
    expected = None if text == here.lower() else f"this is {here}"
    assert why(prober(), text) == expected


# Faults that are no answer: a wrong "no" would keep recordings, and call the run green.


@pytest.mark.parametrize(
    "error",
    [Raised("ImportError: libcudart.so.13: cannot open"), Unanswered("python died of signal 11")],
    ids=["torch does not import", "the probe crashed"],
)
def test_a_probe_that_fails_ends_the_run(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    there = Machine(monkeypatch, build=CUDA_BUILD, traces=("cuda",), answers={"devices": error})
    asked = prober()
    for text in ("cuda", "sm>=90"):
        with pytest.raises(UsageError, match=str(error)) as raised:
            why(asked, text)
        assert "--without accelerator" in raised.value.remedy
    with pytest.raises(UsageError, match=str(error)):
        asked.device()
    assert there.asked.count("devices") == 1


def test_a_python_that_does_not_start_ends_the_run(tmp_path: Path) -> None:
    nowhere = Prober(str(tmp_path / "python"))
    for ask in (nowhere.versions, lambda: why(nowhere, "python>=3")):
        with pytest.raises(UsageError, match="does not start"):
            ask()


@pytest.mark.parametrize("text", ["cuda", "sm>=90", "python>=3"])
def test_what_is_no_python_is_to_be_replaced(text: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        why(Prober(fake(tmp_path, "ls", 2)), text)
    assert "ls ended with status 2 when asked" in error.value.what
    assert error.value.remedy == "mend that Python, or name another with --python"


def test_an_own_expression_that_raises_does_not_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = {"evaluate wmt.there()": Raised("NameError: name 'wmt' is not defined")}
    Machine(monkeypatch, answers=answers)
    own = parse_own({"wmt": {"python": "wmt.there()"}})
    assert why(prober(own=own), "wmt") == "`wmt.there()`: NameError: name 'wmt' is not defined"


# The real thing: this interpreter, real commands.


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (True, None),
        (False, "switched off in the configuration"),
        ({"command": "exit 0"}, None),
        ({"command": "exit 3"}, "`exit 3` ends with status 3"),
        ({"python": "sys.maxsize > 0"}, None),
        ({"python": "1 > 2"}, "`1 > 2` is not true"),
        ({"python": "any(os for os in (1, 2))"}, None),
    ],
    ids=str,
)
def test_own_capabilities(said: object, expected: str | None) -> None:
    asked = Prober(sys.executable, own=parse_own({"wmt": said}))
    assert why(asked, "wmt") == expected


@pytest.mark.parametrize(
    "said",
    [{"command": "test -f here"}, {"python": "__import__('os').path.exists('here')"}],
    ids=str,
)
def test_what_the_project_asks_is_asked_in_its_directory(
    said: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").touch()
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    own = parse_own({"wmt": said})
    assert why(Prober(sys.executable, own=own, root=str(tmp_path)), "wmt") is None
    assert why(Prober(sys.executable, own=own), "wmt") is not None


def test_a_command_that_hangs_is_ended_with_what_it_started(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(machine, "COMMAND_SECONDS", 0.3)
    pid = tmp_path / "pid"
    own = parse_own({"wmt": {"command": f"sleep 60 & echo $! > '{pid}'; wait"}})
    assert "did not end in" in (why(Prober(sys.executable, own=own), "wmt") or "")
    child = int(pid.read_text())
    with pytest.raises(ProcessLookupError):
        # Killed; whoever adopts orphans may take a moment to reap it.
        for _ in range(200):
            os.kill(child, 0)
            if "Z" in Path(f"/proc/{child}/stat").read_text().split()[2]:
                raise ProcessLookupError
            time.sleep(0.01)


def fake(directory: Path, name: str, status: int) -> str:
    path = directory / name
    path.write_text(f"#!/bin/sh\nexit {status}\n")
    path.chmod(0o755)
    return str(path)


def test_the_compiler_is_the_one_that_torch_would_take(tmp_path: Path) -> None:
    good, bad = fake(tmp_path, "c++", 0), fake(tmp_path, "broken", 2)
    only = {"PATH": str(tmp_path), "CXX": ""}
    assert why(Prober(sys.executable, env=only), "cxx") is None
    assert why(Prober(sys.executable, env={**only, "CXX": f"{good} -O2"}), "cxx") is None
    said = why(Prober(sys.executable, env={**only, "CXX": bad}), "cxx")
    assert said == f"`{bad}` ends with status 2"
    gone = why(Prober(sys.executable, env={**only, "CXX": "nowhere"}), "cxx")
    assert gone is not None
    assert gone.startswith("`nowhere` does not start")
    quoted = why(Prober(sys.executable, env={**only, "CXX": f"{good} '"}), "cxx")
    assert quoted is not None
    assert quoted.endswith("does not start: No such file or directory")
    nothing = {"PATH": str(tmp_path / "empty"), "CXX": ""}
    assert why(Prober(sys.executable, env=nothing), "cxx") == "no C++ compiler"


def test_nvcc_is_looked_for_in_cuda_home_first(tmp_path: Path) -> None:
    home = tmp_path / "cuda"
    (home / "bin").mkdir(parents=True)
    nvcc = fake(home / "bin", "nvcc", 0)
    assert machine.nvcc({"CUDA_HOME": str(home), "PATH": ""}) == (nvcc, "--version")
    assert machine.nvcc({"PATH": str(home / "bin")}) == (nvcc, "--version")


def traces(
    files: Sequence[str], platform: str = "linux", env: Mapping[str, str] | None = None
) -> set[str]:
    from fnmatch import fnmatchcase

    def exists(pattern: str) -> bool:
        return any(fnmatchcase(file, pattern) for file in files)

    return set(machine.traces(platform, {"PATH": "/nowhere", **(env or {})}, exists))


LIBCUDA = "/usr/lib/x86_64-linux-gnu/libcuda.so.1"


@pytest.mark.parametrize(
    ("files", "platform", "env", "expected"),
    [
        ((), "linux", {}, set()),
        (("/dev/nvidia0", "/dev/nvidiactl"), "linux", {}, {"cuda"}),
        ((LIBCUDA,), "linux", {}, {"cuda"}),
        (("/opt/nv/libcuda.so.1",), "linux", {"LD_LIBRARY_PATH": "/a:/opt/nv"}, {"cuda"}),
        (("/cuda/stubs/libcuda.so",), "linux", {"LD_LIBRARY_PATH": "/cuda/stubs"}, set()),
        (("/dev/nvidia0",), "linux", {"CUDA_VISIBLE_DEVICES": ""}, set()),
        (("/dev/nvidia0",), "linux", {"CUDA_VISIBLE_DEVICES": "-1"}, set()),
        (("/dev/nvidia0",), "linux", {"CUDA_VISIBLE_DEVICES": "0"}, {"cuda"}),
        (("/dev/kfd",), "linux", {}, {"rocm"}),
        (("/dev/dri/renderD128",), "linux", {}, {"xpu"}),
        (("/dev/dxg",), "linux", {}, {"cuda", "rocm", "xpu"}),
        ((), "darwin", {}, {"mps"}),
        ((), "win32", {}, {"rocm", "xpu"}),
    ],
    ids=lambda value: str(sorted(value) if isinstance(value, set) else value),
)
def test_traces_of_accelerators(
    files: Sequence[str], platform: str, env: Mapping[str, str], expected: set[str]
) -> None:
    assert traces(files, platform, env) == expected


def test_nvidia_smi_is_a_trace(tmp_path: Path) -> None:
    fake(tmp_path, "nvidia-smi", 0)
    assert traces((), env={"PATH": str(tmp_path)}) == {"cuda"}


def test_another_python_answers_for_itself(tmp_path: Path) -> None:
    """A link to this Python is another environment's: it is started, and answers the same."""
    link = tmp_path / "python"
    link.symlink_to(Path(sys.executable).resolve())
    other = Inquiry(str(link), dict(os.environ))
    found: Any = other.ask("basics")
    assert found["python"] == probe.basics()["python"]
    assert other.ask("has_module", "json") is True
    assert other.ask("has_module", "no_such_module") is False
    assert other.ask("version", "no-such-distribution") is None


def test_the_working_directory_hides_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "torch.py").write_text("raise SystemExit(3)\n")
    (tmp_path / "json.py").write_text("raise SystemExit(3)\n")
    monkeypatch.chdir(tmp_path)
    link = tmp_path / "python"
    link.symlink_to(Path(sys.executable).resolve())
    found: Any = Inquiry(str(link), dict(os.environ)).ask("basics")
    assert found["python"]


def test_what_a_library_prints_is_no_answer(tmp_path: Path) -> None:
    (tmp_path / "noisy.py").write_text("print('{\"value\": false}')\nYES = True\n")
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    assert Inquiry(sys.executable, env).ask("evaluate", "noisy.YES") is True


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("raise ValueError('no\\nsecond line')", "ValueError: no"),
        ("raise SystemExit(4)", "SystemExit: 4"),
        ("import os; os._exit(5)", "status 5"),
        ("import os; os.abort()", "died of signal 6"),
    ],
)
def test_a_question_may_end_any_way(body: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(body + "\n")
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    with pytest.raises(Unanswered, match=said):
        Inquiry(sys.executable, env).ask("evaluate", "bad.YES")


def test_the_mark_is_the_same_on_both_sides() -> None:
    assert inquiry._MARK == probe.MARK


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "from typing import Optional\n__version__ = '2.13.0+cpu'\ncuda: Optional[str] = None\n",
            {"__version__": "2.13.0+cpu", "cuda": None},
        ),
        (
            "__version__ = '1.11.0'\ncuda = '10.2'\nhip = None\n",
            {"__version__": "1.11.0", "cuda": "10.2", "hip": None},
        ),
        ("", None),
    ],
)
def test_what_torch_is_built_for_is_read_and_not_run(
    text: str, expected: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "torch"
    package.mkdir()
    (package / "__init__.py").write_text("raise SystemExit('imported')\n")
    (package / "version.py").write_text(text)
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert probe.torch_build() == expected


@pytest.mark.skipif(find_spec("torch") is None, reason="needs torch")
def test_the_real_torch_is_asked_and_never_imported_here() -> None:
    before = "torch" in sys.modules
    here = Inquiry(sys.executable, dict(os.environ))
    devices: Any = here.ask("devices")
    assert set(devices) == set(NONE)
    build: Any = here.ask("basics")
    assert here.ask("evaluate", f"torch.__version__ == {build['torch']['__version__']!r}") is True
    assert ("torch" in sys.modules) == before
