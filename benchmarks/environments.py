"""Environments of other tools below ``.fencerun/bench/peers``, made on first use and kept.

Each tool has one of its own, so that none sees another's plugins, nor ours.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

WHERE = Path(".fencerun/bench/peers")

#: What torch imports besides itself, where it is installed.
_TORCH = (
    "torch", "torchgen", "functorch", "numpy", "numpy.libs", "sympy", "mpmath", "networkx",
    "jinja2", "markupsafe", "filelock", "fsspec", "typing_extensions.py",
)  # fmt: skip


def environment(name: str, requirements: Sequence[str]) -> Path:
    """The directory of programs of an environment with just these installed.

    Raises RuntimeError with pip's last line where they cannot be.
    """
    home = (WHERE / name).absolute()
    ready = home / "requirements.json"
    wanted = json.dumps(list(requirements))
    if not ready.exists() or ready.read_text() != wanted:
        shutil.rmtree(home, ignore_errors=True)
        _run([sys.executable, "-m", "venv", str(home)])
        if requirements:
            python = str(home / "bin" / "python")
            _run([python, "-m", "pip", "install", "--quiet", *requirements])
        ready.write_text(wanted)
    return home / "bin"


def torch_alone() -> Path:
    """A directory for PYTHONPATH from which torch, and nothing else of ours, can be imported.

    Raises RuntimeError where there is no torch.
    """
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        raise RuntimeError("torch is not installed")
    packages = Path(spec.origin).parents[1]
    made = (WHERE / "torch-alone").absolute()
    made.mkdir(parents=True, exist_ok=True)
    for name in _TORCH:
        link, target = made / name, packages / name
        if target.exists() and not link.exists():
            link.unlink(missing_ok=True)
            link.symlink_to(target)
    return made


def _run(words: Sequence[str]) -> None:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines() or [f"exit {done.returncode}"]
        raise RuntimeError(f"{' '.join(words[-2:])}: {said[-1]}")
