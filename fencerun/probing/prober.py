"""Whether the requirements of fences hold on this machine, in the Python that runs the lessons.

Each answer is found once, when it is first asked for, and cheaply where it is no. This process
never imports torch: what needs it is answered by one process of that Python, so that CUDA is up
in no process that forks.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Mapping
from typing import Any

from fencerun.capabilities import Own, Requirement, normal, slug
from fencerun.errors import UsageError
from fencerun.probing import accelerators, machine
from fencerun.probing.inquiry import Inquiry, Raised, Unanswered

LEFT_OUT = "left out by --without"

_SYSTEMS = {"linux": "Linux", "darwin": "macOS", "win32": "Windows", "cygwin": "Windows"}


class Prober:
    """Answers for one interpreter and one environment, those of the fences.

    ``env`` stands on top of this process's environment. ``without`` are names of capabilities
    and distributions that count as not there. What the project itself says how to find out is
    asked in its directory, ``root``, wherever the call came from.
    """

    def __init__(
        self,
        python: str,
        *,
        own: Mapping[str, Own] | None = None,
        without: Collection[str] = (),
        env: Mapping[str, str] | None = None,
        root: str | None = None,
    ) -> None:
        self._own = own or {}
        self._without = frozenset(without)
        self._env = {**os.environ, **(env or {})}
        self._root = root
        self._inquiry = Inquiry(python, self._env, root)
        self._accelerators = accelerators.Accelerators(self._inquiry, self._without)

    def unmet(self, requirement: Requirement) -> str | None:
        """Why ``requirement`` does not hold, in a few words; None when it does.

        Raises UsageError where that cannot be found out: a Python that does not start, or a torch
        that does not import, is no reason to keep a recording.
        """
        if self._is_left_out(requirement):
            return LEFT_OUT
        try:
            return _CHECKS[requirement.kind](self, requirement)
        except Unanswered as error:
            what = f"`requires:{requirement.text}` cannot be answered: {error}"
            remedy = "mend that Python, or name another with --python"
            if requirement.accelerated and self._answers():
                remedy = "mend that, or add `--without accelerator`"
            raise UsageError(what, remedy) from None

    def device(self) -> str:
        """Where fences that ask for an accelerator run: ``nvidia-h200``, ``apple-mps``, ``cpu``.

        Raises UsageError as ``unmet`` does.
        """
        try:
            devices = self._accelerators.found()
        except Unanswered as error:
            raise UsageError(f"the devices cannot be named: {error}", "mend that") from None
        return slug(devices[0].name) if devices else "cpu"

    def versions(self) -> Mapping[str, str]:
        """``python``, and ``torch`` where it is installed.

        Raises UsageError when the interpreter does not answer.
        """
        try:
            basics = self._basics()
        except Unanswered as error:
            raise UsageError(str(error), "name a Python that works with --python") from None
        torch = basics["torch"]
        return {"python": basics["python"], **({"torch": torch["__version__"]} if torch else {})}

    def _answers(self) -> bool:
        """Whether the interpreter is one: then what is to be mended is what it imported."""
        try:
            self._basics()
        except Unanswered:
            return False
        return True

    def _basics(self) -> dict[str, Any]:
        found: Any = self._inquiry.ask("basics")
        return dict(found)

    def _is_left_out(self, requirement: Requirement) -> bool:
        names = {requirement.text, requirement.name}
        if requirement.kind == "distribution":
            left = {normal(word.removeprefix("dist:")) for word in self._without}
            return requirement.name in left or requirement.text in self._without
        if requirement.accelerated:
            names |= accelerators.ALL
        if requirement.name == "sm":
            names.add("cuda")
        return not names.isdisjoint(self._without)

    def _accelerator(self, requirement: Requirement) -> str | None:
        return self._accelerators.unmet(requirement)

    def _machine(self, requirement: Requirement) -> str | None:
        name = requirement.name
        if name == "triton":
            return self._triton()
        if name == "cxx":
            return self._compiler(machine.cxx(sys.platform == "win32", self._env), "C++ compiler")
        if name == "nvcc":
            return self._compiler(machine.nvcc(self._env), "nvcc on PATH or in CUDA_HOME")
        here = _SYSTEMS.get(sys.platform, sys.platform)
        return None if here.lower() == name else f"this is {here}"

    def _compiler(self, command: tuple[str, ...] | None, what: str) -> str | None:
        if command is None:
            return f"no {what}"
        # It is run: on macOS a stub stands where no compiler is installed.
        return self._fails(command, " ".join(command[:-1]))

    def _fails(
        self, command: str | tuple[str, ...], name: str, directory: str | None = None
    ) -> str | None:
        find = lambda: machine.status(command, self._env, directory)  # noqa: E731
        status = self._inquiry.once("status", str(command), find)
        if status == 0:
            return None
        return (
            f"`{name}` ends with status {status}"
            if isinstance(status, int)
            else f"`{name}` {status}"
        )

    def _triton(self) -> str | None:
        """Triton's interpreter runs anywhere with NumPy; its compiler needs a GPU."""
        if not self._inquiry.ask("has_module", "triton"):
            return "triton is not installed"
        if self._inquiry.ask("has_module", "numpy") or self._accelerators.found():
            return None
        return "triton has no GPU here, and its interpreter no numpy"

    def _switch(self, requirement: Requirement) -> str | None:
        return None  # there, unless it is left out

    def _variable(self, requirement: Requirement) -> str | None:
        return self._unset(requirement.name)

    def _unset(self, name: str) -> str | None:
        if self._env.get(name):
            return None
        return f"{name} is empty" if name in self._env else f"{name} is not set"

    def _version(self, requirement: Requirement) -> str | None:
        # A Python built between two releases says 3.15.0a1+.
        version = str(self._basics()["python"]).rstrip("+")
        if _holds(version, requirement):
            return None
        return f"Python {version} runs the lessons, {_bound(requirement)} is required"

    def _distribution(self, requirement: Requirement) -> str | None:
        name = requirement.name
        # The wheels of torch on PyPI say 2.11.0 in their metadata, and 2.11.0+cu130 inside.
        torch = self._basics()["torch"] if name == "torch" else None
        version = torch["__version__"] if torch else self._inquiry.ask("version", name)
        if version is None:
            return f"{name} is not installed"
        if not requirement.operator or _holds(str(version), requirement):
            return None
        return f"{name} {version} is installed, {_bound(requirement)} is required"

    def _projects_own(self, requirement: Requirement) -> str | None:
        own = self._own[requirement.name]
        if own.kind == "fixed":
            return None if own.value == "yes" else "switched off in the configuration"
        if own.kind == "env":
            return self._unset(own.value)
        if own.kind == "command":
            return self._fails(own.value, own.value, self._root)
        try:
            holds = self._inquiry.ask("evaluate", own.value)
        except Raised as error:
            return f"`{own.value}`: {error}"
        return None if holds else f"`{own.value}` is not true"


def _bound(requirement: Requirement) -> str:
    return f"{requirement.operator}{requirement.value}"


def _holds(version: str, requirement: Requirement) -> bool:
    """PEP 440's comparison: a pre-release may be installed, and comes before its release."""
    from packaging.specifiers import SpecifierSet
    from packaging.version import InvalidVersion

    try:
        return SpecifierSet(_bound(requirement)).contains(version, prereleases=True)
    except InvalidVersion:
        return False


_CHECKS: Mapping[str, Callable[[Prober, Requirement], str | None]] = {
    "accelerator": Prober._accelerator,
    "gpu": Prober._accelerator,
    "machine": Prober._machine,
    "switch": Prober._switch,
    "environment": Prober._variable,
    "python": Prober._version,
    "distribution": Prober._distribution,
    "own": Prober._projects_own,
}
