"""This machine, seen without Python's help: traces of accelerators, compilers, commands.

An edge below ``probing``. It knows no capabilities, and keeps no answers.
"""

from __future__ import annotations

import glob
import os
import shlex
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence

#: Seconds that a compiler or a project's own command may take.
COMMAND_SECONDS = 30

# Toolkits bring a libcuda of their own that drives no device: in stubs/ and compat/.
_DRIVERS = (
    *("/usr/lib/*/libcuda.so*", "/usr/lib64/libcuda.so*", "/usr/lib/libcuda.so*"),
    *("/usr/lib/wsl/lib/libcuda.so*", "/usr/local/nvidia/lib*/libcuda.so*"),
)
# /dev/dxg is WSL's, /dev/nvhost* and /dev/nvgpu are Jetson's.
_DEVICES = ("/dev/nvidia*", "/dev/dxg", "/dev/nvhost*", "/dev/nvgpu*")


def traces(platform: str, env: Mapping[str, str], exists: Callable[[str], bool]) -> frozenset[str]:
    """The backends (cuda, rocm, xpu, mps) that this machine may have, as far as files show.

    Cheap, and meant never to miss one; ``exists`` says whether a pattern matches a file.
    """
    if platform == "darwin":
        return frozenset({"mps"})
    windows = platform == "win32"
    found = set()
    if env.get("CUDA_VISIBLE_DEVICES", "0").strip() not in ("", "-1") and (
        any(map(exists, _cuda_signs(windows, env))) or which(("nvidia-smi",), env)
    ):
        found.add("cuda")
    if windows or exists("/dev/kfd") or exists("/dev/dxg"):
        found.add("rocm")
    if windows or exists("/dev/dri/renderD*") or exists("/dev/dxg"):
        found.add("xpu")
    return frozenset(found)


def _cuda_signs(windows: bool, env: Mapping[str, str]) -> tuple[str, ...]:
    if windows:
        root = env.get("SystemRoot", "C:\\Windows")
        return (f"{root}\\System32\\nvcuda.dll",)
    entries = env.get("LD_LIBRARY_PATH", "").split(":")
    real = (e for e in entries if e and "/stubs" not in e and "/compat" not in e)
    return (*_DEVICES, *_DRIVERS, *(f"{glob.escape(entry)}/libcuda.so*" for entry in real))


def exists(pattern: str) -> bool:
    """Whether any file matches."""
    return next(glob.iglob(pattern), None) is not None


def which(names: Sequence[str], env: Mapping[str, str]) -> str | None:
    """The path of the first program of these on the PATH of ``env``."""
    import shutil

    found = (shutil.which(name, path=env.get("PATH", os.defpath)) for name in names)
    return next((path for path in found if path), None)


def cxx(windows: bool, env: Mapping[str, str]) -> tuple[str, ...] | None:
    """The C++ compiler that torch.utils.cpp_extension takes, as a command that should succeed.

    CXX, and nothing else where it is set.
    """
    if chosen := env.get("CXX", "").strip():
        return (*_words(chosen, windows), "--version")
    found = which(("cl",) if windows else ("c++", "g++", "clang++"), env)
    return found and (found, "/?" if windows else "--version")  # type: ignore[return-value]


def _words(command: str, windows: bool) -> list[str]:
    try:
        return shlex.split(command, posix=not windows)
    except ValueError:  # a quote that nothing closes: no shell would run it either
        return [command]


def nvcc(env: Mapping[str, str]) -> tuple[str, ...] | None:
    """CUDA's compiler, as a command: in CUDA_HOME or CUDA_PATH, on the PATH, or its usual place."""
    homes = (env.get("CUDA_HOME"), env.get("CUDA_PATH"))
    places = [os.path.join(home, "bin", "nvcc") for home in homes if home]
    found = which((*places, "nvcc", "/usr/local/cuda/bin/nvcc"), env)
    return (found, "--version") if found else None


def status(
    command: str | Sequence[str], env: Mapping[str, str], directory: str | None = None
) -> int | str:
    """A command's exit status, its output thrown away; in words where there is none.

    A string goes through the shell. It runs in ``directory``, else in the working directory.
    """
    try:
        process = subprocess.Popen(
            command,
            shell=isinstance(command, str),
            env=dict(env),
            cwd=directory,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        return f"does not start: {error.strerror}"
    try:
        return process.wait(COMMAND_SECONDS)
    except subprocess.TimeoutExpired:
        return f"did not end in {COMMAND_SECONDS} s"
    finally:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process that still runs, with what it started."""
    if process.poll() is not None:
        return
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()
