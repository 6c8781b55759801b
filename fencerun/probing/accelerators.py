"""The accelerators that the lessons' torch can use, and what requirements make of them.

Finds none without starting a process where no file shows that there may be one, or where torch
is built for none of those. Pure but for the answers it asks an ``Inquiry`` for.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from operator import eq, ge, gt, le, lt, ne
from typing import Any

from fencerun.capabilities import Requirement, slug
from fencerun.frozen import dataclass
from fencerun.probing import machine
from fencerun.probing.inquiry import Inquiry

_BACKENDS = {"cuda": "CUDA", "rocm": "ROCm", "xpu": "XPU", "mps": "MPS"}
_COMPARE: Mapping[str, Callable[[int, int], bool]] = {
    ">=": ge, ">": gt, "<=": le, "<": lt, "==": eq, "!=": ne
}  # fmt: skip

#: Names that leave every accelerator out.
ALL = frozenset({"accelerator", "gpu", "gpus"})


@dataclass(frozen=True, slots=True)
class Device:
    """An accelerator: ``backend`` is cuda, rocm, xpu or mps; ``sm`` 90 is capability 9.0."""

    backend: str
    name: str
    sm: int = 0


@dataclass(frozen=True, slots=True)
class Accelerators:
    """What there is, without the backends that are left out."""

    inquiry: Inquiry
    without: frozenset[str]

    def found(self) -> tuple[Device, ...]:
        """The devices, the one that fences run on first. Raises Unanswered."""
        possible = (self._traces() & self._built()) - self.without
        if not possible or not ALL.isdisjoint(self.without):
            return ()
        answer: Any = self.inquiry.ask("devices")
        return tuple(
            Device(backend, device["name"], device.get("sm", 0))
            for backend in _BACKENDS
            if backend not in self.without
            for device in answer[backend]
        )

    def unmet(self, requirement: Requirement) -> str | None:
        """Why there is no accelerator as ``requirement`` asks for, or None. Raises Unanswered."""
        backend = {"sm": "cuda", "gpu": "", "gpus": "", "accelerator": ""}.get(
            requirement.name, requirement.name
        )
        devices = tuple(d for d in self.found() if not backend or d.backend == backend)
        if not devices:
            return self._none(backend)
        return _unfit(devices, requirement) if requirement.kind == "gpu" else None

    def _traces(self) -> frozenset[str]:
        env = self.inquiry.env
        found: Any = self.inquiry.once(
            "traces", "", lambda: machine.traces(sys.platform, env, machine.exists)
        )
        return frozenset(found)

    def _build(self) -> Mapping[str, str | None]:
        """The versions of torch and of what it is built for; empty without torch."""
        found: Any = self.inquiry.ask("basics")
        return found["torch"] or {}

    def _built(self) -> frozenset[str]:
        build = self._build()
        names = {"cuda": "cuda", "rocm": "hip", "xpu": "xpu"}
        built = {backend for backend, name in names.items() if build.get(name)}
        return frozenset(built | {"mps"} if build else ())

    def _none(self, backend: str) -> str:
        """Why there is no device of ``backend``; of any, where it is empty."""
        label = _BACKENDS.get(backend)
        what = f"no {label} device" if label else "no accelerator"
        build = self._build()
        if not build:
            return f"{what}: torch is not installed"
        if label and backend in self._traces() - self._built():
            return f"{what}: torch {build['__version__']} is built without {label}"
        return what


def _unfit(devices: tuple[Device, ...], requirement: Requirement) -> str | None:
    """How these devices miss the bound. The first counts: it is the one that fences run on."""
    if requirement.name == "gpu":
        name = slug(devices[0].name)
        # Whole words: gpu:a10 is not met by an A100.
        return None if f"-{requirement.value}-" in f"-{name}-" else f"the GPU is {name}"
    if requirement.name == "gpus":
        number = len(devices)
        have = "1 GPU" if number == 1 else f"{number} GPUs"
    else:
        number = devices[0].sm
        have = f"the GPU is sm {number}"
    if _COMPARE[requirement.operator](number, int(requirement.value)):
        return None
    return f"{have}, {requirement.operator}{requirement.value} is required"
