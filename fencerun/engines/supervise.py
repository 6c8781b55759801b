"""Waiting for the answer to one job, and ending a worker that does not give it.

The job in hand is always the first without an answer, since a worker answers each at once. Knows
nothing of chains or of what an answer means.
"""

from __future__ import annotations

import os
import signal
import time
from typing import Any, Literal

from fencerun.engines import oom
from fencerun.engines.base import Job
from fencerun.engines.blame import Death
from fencerun.engines.launch import Worker
from fencerun.engines.link import Gone
from fencerun.engines.sources import Source

#: How often a silent worker's output is measured, in seconds.
TICK = 0.05

#: How long faulthandler may take to write where the fence is, in seconds.
_DUMP_LIMIT = 0.1

#: How long a dead worker's status may take to arrive, in seconds.
_STATUS_LIMIT = 2.0

Reply = dict[str, Any]


class Supervisor:
    """Waits for answers. ``grace`` is the time between SIGINT and SIGKILL, in seconds."""

    def __init__(self, source: Source, flood: int, grace: float) -> None:
        self._source = source
        self._flood = flood
        self._grace = grace
        self._oom_kills = oom.kills()

    def wait(self, worker: Worker, job: Job, serial: int, lag: float = 0.0) -> Reply | Death:
        """The answer to ``job``, or how the worker ended without one.

        It may be noticed ``lag`` seconds late, which is cheaper where many are to come. After a
        Death the worker is gone, with all its children.
        """
        if (known := worker.link.received()) is not None:
            return known
        started = time.monotonic()
        deadline = started + job.timeout
        try:
            while True:
                left = deadline - time.monotonic()
                reply = worker.link.receive(max(0.0, min(TICK, left)), lag)
                if reply is not None:
                    return reply
                lag = 0.0
                if self._written(worker) > self._flood:
                    return self._end(worker, serial, "flood", started)
                if left <= 0:
                    return self._time_out(worker, serial, started)
        except Gone as error:
            return self._end(worker, serial, "crash", started, note=str(error))

    def _written(self, worker: Worker) -> int:
        return max(worker.out.size() - worker.seen[0], worker.err.size() - worker.seen[1])

    def _time_out(self, worker: Worker, serial: int, started: float) -> Reply | Death:
        """Have the fence say where it is, interrupt it, and kill it if that does not help."""
        worker.words.interrupt = serial
        before = worker.fault_size()
        worker.signal(signal.SIGUSR2)
        until = time.monotonic() + _DUMP_LIMIT
        while worker.fault_size() == before and time.monotonic() < until:
            time.sleep(0.002)
        # The dump is written in pieces, and SIGINT could end the process in between.
        time.sleep(0.002)
        worker.words.sent += 1
        worker.signal(signal.SIGINT)
        try:
            reply = worker.link.receive(self._grace)
        except Gone:
            reply = None
        if reply is None:
            return self._end(worker, serial, "timeout", started)
        reply["fault"] = worker.new_faults()
        return reply

    def _end(
        self,
        worker: Worker,
        serial: int,
        kind: Literal["crash", "timeout", "flood"],
        started: float,
        note: str = "",
    ) -> Death:
        ended_by_itself = kind == "crash" and not note
        if not ended_by_itself:
            worker.kill()
        status = self._source.status(worker, _STATUS_LIMIT)
        if status is None:
            # It closed its socket and lives on, or its zygote is gone.
            worker.kill()
            status = self._source.status(worker, 0.0)
        death: Literal["crash", "timeout", "flood", "memory"] = kind
        if ended_by_itself and self._was_out_of_memory(status):
            death = "memory"
        return Death(
            death,
            status,
            worker.new_faults(),
            time.monotonic() - started,
            worker.words.begun >= serial,
            worker.words.value if worker.words.begun == serial else 0,
            note,
        )

    def _was_out_of_memory(self, status: int | None) -> bool:
        if status is None or not os.WIFSIGNALED(status) or os.WTERMSIG(status) != signal.SIGKILL:
            return False
        before, self._oom_kills = self._oom_kills, oom.kills()
        return self._oom_kills > before
