"""The only place that imports ray: a cluster, how much room it has, and links to stations on it.

A station is an actor. It keeps the CPUs and GPUs that it asked for until it is closed, and its
worker stays warm from page to page.
"""

from __future__ import annotations

import contextlib
import io
import logging
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from fencerun.distributed.lane import Cut
from fencerun.distributed.luggage import Luggage
from fencerun.distributed.room import fits, in_words
from fencerun.distributed.station import Answers, Contract, Station
from fencerun.engines.base import Chain, EngineError, EngineEvent
from fencerun.errors import FencerunError, UsageError

try:
    import ray
    from ray import exceptions
except ImportError:
    raise UsageError(
        "--engine ray needs Ray, which is not installed", "run `pip install 'fencerun[ray]'`"
    ) from None

#: Not all of it has types.
_ray: Any = ray

#: How often a station that waits for room is looked after, in seconds.
_TICK = 0.5

#: How long a station may take to put things away, in seconds.
_CLOSING = 5.0


class Cluster:
    """A Ray cluster: the one at ``address``, or of RAY_ADDRESS or this machine, or a new one.

    Raises UsageError where there is none at the address.
    """

    def __init__(self, address: str | None) -> None:
        if address is not None and address.startswith("ray://"):
            what = f"--address {address}: a Ray Client cannot stream what fences print"
            raise UsageError(what, "run fencerun on a node of the cluster, with --address auto")
        self._is_ours = not ray.is_initialized()
        if self._is_ours:
            _connect(address)
        # Ray prints what its daemons say into sys.stdout, where reports go.
        self._silence = contextlib.ExitStack()
        self._silence.enter_context(contextlib.redirect_stdout(io.StringIO()))
        self._station = ray.remote(Station)

    def close(self) -> None:
        """Leave the cluster; end it, if it was started for us. Safe to call twice."""
        if self._is_ours and ray.is_initialized():
            ray.shutdown()
        self._silence.close()

    def nodes(self) -> list[dict[str, float]]:
        """What each living node has, by Ray's names: ``CPU``, ``GPU``."""
        return [node["Resources"] for node in _ray.nodes() if node["Alive"]]

    def station(
        self, contract: Contract, gpus: int, cpus: int, given_up: Callable[[], bool]
    ) -> Link:
        """A link to a new station, once there is room for it.

        Raises EngineError where no node of the cluster is large enough, or ``given_up`` says so,
        and Cut where the node goes away meanwhile.
        """
        placed = self._station.options(
            num_cpus=cpus,
            num_gpus=gpus,
            max_restarts=0,
            max_concurrency=2,  # so that it can be halted while it runs
        )
        actor = placed.remote(contract, gpus)
        try:
            return Link(actor, self._started(actor, gpus, cpus, given_up))
        except BaseException:
            _ray.kill(actor)
            raise

    def _started(self, actor: Any, gpus: int, cpus: int, given_up: Callable[[], bool]) -> str:
        started = actor.start.remote()
        while not ray.wait([started], timeout=_TICK)[0]:
            if given_up():
                raise EngineError("the run was halted")
            if not any(fits(node, gpus, cpus) for node in self.nodes()):
                what = f"no node of the Ray cluster has {in_words(gpus, cpus)}"
                raise EngineError(what, "add one, or lower `threads` in the configuration")
        return str(_get(started))


def _connect(address: str | None) -> None:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=FutureWarning, module="ray")
        try:
            ray.init(
                address=address,
                log_to_driver=False,
                logging_level=logging.ERROR,
                include_dashboard=False,
            )
        except (ConnectionError, ValueError, RuntimeError) as error:
            where = f"--address {address}" if address else "--engine ray"
            what = f"{where}: there is no cluster to be had: {error}"
            raise UsageError(what, "start one with `ray start --head`") from None


class Link:
    """A station on a node. Every call may raise Cut, and what the station raised."""

    def __init__(self, actor: Any, node: str) -> None:
        self._actor = actor
        #: What the node is called.
        self.node = node

    def open(self, luggage: Luggage) -> Answers:
        """As `Station.open`."""
        answers: Answers = _get(self._actor.open.remote(luggage))
        return answers

    def run(self, chains: Sequence[Chain]) -> Iterator[EngineEvent]:
        """As `Station.run`, each event as soon as it is there."""
        events = self._actor.run.options(num_returns="streaming").remote(chains)
        while True:
            with _cut():
                event = next(events, None)
            if event is None:
                return
            yield _get(event)

    def fresh(self) -> None:
        """As `Station.fresh`."""
        _get(self._actor.fresh.remote())

    def halt(self) -> None:
        """As `Station.halt`, without waiting."""
        self._actor.halt.remote()

    def cut(self) -> None:
        """End the station's process, whatever it does."""
        ray.kill(self._actor)

    def close(self) -> None:
        """Have the station put its things away, and give back what it held."""
        with contextlib.suppress(exceptions.RayError):
            ray.get(self._actor.close.remote(), timeout=_CLOSING)
        ray.kill(self._actor)


def _get(reference: Any) -> Any:
    with _cut():
        return ray.get(reference)


@contextlib.contextmanager
def _cut() -> Iterator[None]:
    try:
        yield
    except exceptions.RayTaskError as error:
        if isinstance(error.cause, FencerunError):
            raise error.cause from None
        raise
    except (exceptions.RayActorError, exceptions.RaySystemError, exceptions.ObjectLostError) as one:
        said = str(one).strip()
        if "creation task" in said:
            what = f"a station does not start on its node: {said.splitlines()[-1].strip()}"
            raise EngineError(what, "install `fencerun[ray]` on every node") from None
        raise Cut(type(one).__name__) from None
