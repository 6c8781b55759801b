"""A node's side: the ordinary engine, in a directory of its own, for whoever calls from afar.

Knows no Ray. Fences never run in this process but, as anywhere, in a worker of an interpreter of
its own session, so that neither signals nor what fences leave behind reach it.
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any

import fencerun
from fencerun.capabilities import parse, parse_own
from fencerun.distributed.luggage import Luggage, unpack
from fencerun.engines.base import Blocked, Chain, EngineEvent, EngineOptions, Finished
from fencerun.engines.pool import Pool
from fencerun.errors import UsageError
from fencerun.frozen import dataclass
from fencerun.probing import Prober
from fencerun.scratch import Scratch


@dataclass(frozen=True, slots=True)
class Contract:
    """What the calling machine asks of each station."""

    options: EngineOptions
    #: The project's own capabilities, as the configuration has them.
    own: Mapping[str, Any] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    #: The project's root on the calling machine.
    root: str = ""
    version: str = fencerun.__version__


@dataclass(frozen=True, slots=True)
class Answers:
    """What may run on a node, and how its recordings name it."""

    #: Why a requirement does not hold, None where it does, by its text.
    unmet: Mapping[str, str | None]
    device: str
    versions: Mapping[str, str]


class Station:
    """Runs the chains of one page after another.

    ``accelerators`` is how many of them belong to it; those of the node that don't, it hides.
    """

    def __init__(self, contract: Contract, accelerators: int) -> None:
        self._contract = contract
        if not accelerators:
            os.environ["CUDA_VISIBLE_DEVICES"] = ""
        options = _at_home(contract.options, contract.root)
        self._prober = Prober(
            options.python,
            own=parse_own(contract.own),
            without=contract.without,
            env=options.env,
        )
        self._engine = Pool(options, 1)
        self._scratch = Scratch()
        self._directory: str | None = None
        self._luggage: Luggage | None = None
        self._home = ""

    def start(self) -> str:
        """Begin to load what fences need; the node's name.

        Raises UsageError where fencerun is of another version here.
        """
        wanted = self._contract.version
        if wanted != fencerun.__version__:
            what = f"{platform.node()} has fencerun {fencerun.__version__}, and this is {wanted}"
            raise UsageError(what, "install the same on both")
        self._engine.start()
        return platform.node()

    def open(self, luggage: Luggage) -> Answers:
        """Get ready for a page. Raises UsageError for what cannot be answered."""
        self._tidy()
        self._directory = os.path.realpath(tempfile.mkdtemp(prefix="fencerun-"))
        self._home = unpack(luggage, self._directory)
        self._luggage = luggage
        wanted = {text: parse(text, self._contract.own) for text in luggage.requires}
        unmet = {text: self._prober.unmet(one) for text, one in wanted.items()}
        accelerated = any(one.accelerated and unmet[text] is None for text, one in wanted.items())
        device = self._prober.device() if accelerated else "cpu"
        return Answers(unmet, device, dict(self._prober.versions()))

    def run(self, chains: Sequence[Chain]) -> Iterator[EngineEvent]:
        """The events of these chains, wherever on the calling machine they were to run."""
        left = {job.key: place for place, chain in enumerate(chains) for job in chain.jobs[-1:]}
        made: dict[int, str] = {}

        def here() -> Iterator[Chain]:
            for place, chain in enumerate(chains):
                directory = self._home
                if chain.scratch and self._luggage is not None:
                    directory = made[place] = self._scratch.make(self._home, self._luggage.blocks)
                yield replace(chain, directory=directory)

        for event in self._engine.run(here()):
            yield event
            if isinstance(event, (Finished, Blocked)) and left.get(event.key) in made:
                self._scratch.remove(made.pop(left[event.key]))

    def fresh(self) -> None:
        """The next chain starts in a pristine process."""
        self._engine.fresh()

    def halt(self) -> None:
        """End what runs. Called by another thread."""
        self._engine.halt()

    def close(self) -> None:
        """End every process and leave nothing behind. Safe to call twice."""
        self._engine.close()
        self._tidy()

    def _tidy(self) -> None:
        self._scratch.close()
        if self._directory is not None:
            shutil.rmtree(self._directory, ignore_errors=True)
            self._directory = None


def _at_home(options: EngineOptions, root: str) -> EngineOptions:
    """The options on this machine: its Python where that one is not here, and its caches."""
    python = options.python if os.access(options.python, os.X_OK) else sys.executable
    env = dict(options.env)
    if not os.path.isdir(root):
        env = {name: value for name, value in env.items() if not _is_below(value, root)}
    return replace(options, python=python, env=env)


def _is_below(path: str, root: str) -> bool:
    return bool(root) and os.path.isabs(path) and Path(root) in Path(path).parents
