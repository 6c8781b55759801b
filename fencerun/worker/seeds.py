"""Random numbers that come out the same in every chain: alone, after others, twice.

Each chain begins with the generators of ``random``, numpy and torch in one fixed state. numpy
seeds itself from the system when it is first imported, which may be in the middle of a chain, so
that import is watched. torch starts from a constant of its own, and gets that again at each
chain's start. Generators that a fence makes itself are its own affair.
"""

from __future__ import annotations

import random
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any

SEED = 0


class Seeds:
    """Fixes the generators; also a finder that never finds, but sees imports pass."""

    def install(self) -> None:
        """Watch imports from now on."""
        sys.meta_path.insert(0, self)

    def remove(self) -> None:
        """Stop watching."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Part of the import protocol: seed numpy's generator as soon as it exists."""
        if name != "numpy.random":
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(name, path, target)
            if spec is not None:
                _after_import(spec.loader, _seed_numpy)
                return spec
        return None


def _after_import(loader: Any, do: Any) -> None:
    """Have ``do()`` called once the module is executed. The loader belongs to one module."""
    execute = loader.exec_module

    def execute_and_do(module: ModuleType) -> None:
        del loader.exec_module
        execute(module)
        do()

    loader.exec_module = execute_and_do


def _seed_numpy() -> None:
    numpy_random = sys.modules.get("numpy.random")
    seed = getattr(numpy_random, "seed", None)
    if seed is not None:
        seed(SEED)


def fix() -> None:
    """Put every generator that exists into its fixed state (about 20 µs with numpy and torch)."""
    random.seed(SEED)
    _seed_numpy()
    torch = sys.modules.get("torch")
    default = getattr(torch, "default_generator", None)
    if torch is None or default is None:
        return
    # A new generator has the seed that torch's own has after import.
    seed = torch.Generator().initial_seed()
    default.manual_seed(seed)
    cuda = getattr(torch, "cuda", None)
    if cuda is not None and cuda.is_initialized():
        for generator in cuda.default_generators:
            generator.manual_seed(seed)
