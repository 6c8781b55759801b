"""Random numbers that come out the same in every chain: alone, after others, twice.

Each chain begins with the generators of ``random``, numpy and torch in one fixed state. numpy and
torch seed themselves from the system when they are first imported, which may be in the middle of
a chain, so these imports are watched. Generators that a fence makes itself are its own affair.
"""

from __future__ import annotations

import random
import struct
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any

SEED = 0

_STATE = random.Random(SEED).getstate()


class _Untouched:
    """Tells whether Python's own generator is still in its fixed state, by its very memory.

    Writing 624 numbers takes ten times as long as comparing their bytes. Where the object does
    not look as we know it, it is never known to be untouched.
    """

    def __init__(self) -> None:
        *numbers, position = _STATE[1]
        self._bytes = struct.pack(f"=i{len(numbers)}I", position, *numbers)
        self._generator: Any = vars(random).get("_inst")
        self._at = self._place()

    def _place(self) -> int:
        """Where in memory the generator keeps its state; 0 where that is not known."""
        kind = random.Random
        if sys.implementation.name != "cpython" or type(self._generator) is not kind:
            return 0
        try:
            import ctypes
        except ImportError:
            return 0
        self._read = ctypes.string_at
        head, size = object.__basicsize__, len(self._bytes)
        if kind.__basicsize__ < head + size:
            return 0
        other = kind(SEED)
        fixed = self._read(id(other) + head, size)
        other.random()
        moved = self._read(id(other) + head, size)
        return id(self._generator) + head if fixed == self._bytes != moved else 0

    def holds(self) -> bool:
        """Whether nothing was drawn from it or done to it."""
        generator = self._generator
        return (
            self._at != 0
            and generator.gauss_next is None
            and getattr(random, "_inst", None) is generator
            and self._read(self._at, len(self._bytes)) == self._bytes
        )


_untouched = _Untouched()


class Seeds:
    """Fixes the generators; also a finder that never finds, but sees imports pass."""

    def install(self) -> None:
        """Watch imports from now on; seed what is imported already."""
        sys.meta_path.insert(0, self)
        for seed in _ON_IMPORT.values():
            seed()

    def remove(self) -> None:
        """Stop watching."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Part of the import protocol: seed generators as soon as they exist."""
        seed = _ON_IMPORT.get(name)
        if seed is None:
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(name, path, target)
            if spec is not None:
                _after_import(spec.loader, seed)
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
    seed = getattr(sys.modules.get("numpy.random"), "seed", None)
    if seed is not None:
        seed(SEED)


def _seed_torch() -> None:
    """Seed all of torch; for devices that are not up yet it keeps the seed until they are."""
    torch = sys.modules.get("torch")
    seed = getattr(torch, "manual_seed", None)
    if torch is not None and seed is not None:
        seed(SEED)
        _State.queued = _queued_seed(torch)


def _queued_seed(torch: Any) -> Any:
    """What torch will seed CUDA with once it is up."""
    tracker = getattr(getattr(torch, "cuda", None), "_lazy_seed_tracker", None)
    return getattr(tracker, "manual_seed_all_cb", None)


class _State:
    #: What was queued when we last seeded all of torch.
    queued: Any = None


_ON_IMPORT = {"numpy.random": _seed_numpy, "torch": _seed_torch}


def fix() -> None:
    """Put every generator that exists into its fixed state (about 20 µs with numpy and torch)."""
    if not _untouched.holds():
        # A third of what seeding takes, to the same end.
        random.setstate(_STATE)
    _seed_numpy()
    torch = sys.modules.get("torch")
    default = getattr(torch, "default_generator", None)
    if torch is None or default is None:
        return
    if _queued_seed(torch) is not _State.queued:
        # A fence seeded devices that are not up.
        _seed_torch()
        return
    # torch.manual_seed() would take ten times as long.
    default.manual_seed(SEED)
    cuda = getattr(torch, "cuda", None)
    if cuda is not None and cuda.is_initialized():
        for generator in cuda.default_generators:
            generator.manual_seed(SEED)
