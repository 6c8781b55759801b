"""A child process as the parent holds it: how it starts, its files and its socket. No chains."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import fencerun
from fencerun.engines.base import EngineOptions, NotStarted
from fencerun.engines.environment import for_fences
from fencerun.engines.files import OutputFile, anonymous
from fencerun.engines.link import Gone, Link
from fencerun.worker import children, passing
from fencerun.worker.words import SIZE, Words

#: How long an interpreter may take to load what the pages need, in seconds.
START_LIMIT = 300.0

# The other interpreter need not have fencerun installed, and may have another version of it. Only
# the package itself is found through our directory, which may hold modules for another Python.
_BOOTSTRAP = """\
import gc, sys
gc.disable()  # until the first worker: all that is imported stays
if sys.version_info < (3, 10):
    sys.exit("fencerun needs Python 3.10 or newer to run fences")
path = [entry for entry in sys.path if entry]
sys.path[:] = [{root!r}]
import fencerun
sys.path[:] = path
from fencerun.worker.zygote import main
main(sys.argv[1:])
"""


class Worker:
    """One worker process as the parent sees it."""

    def __init__(self) -> None:
        ours, self.theirs = passing.pair()
        self.link = Link(ours)
        self.out, self.err = OutputFile("fence-stdout"), OutputFile("fence-stderr")
        self.fault = anonymous("fence-faults")
        Words.prepare(self.fault)
        self.words = Words(self.fault)
        self.pid = 0
        #: Its wait status, once it has ended and the source was asked.
        self.status: int | None = None
        self._handle = -1
        self._faults = SIZE
        #: The serial of the next job that is sent.
        self.serial = 1
        #: How far the two output files are accounted for, in bytes.
        self.seen = (0, 0)

    def descriptors(self) -> list[int]:
        """What the worker's side gets, in the protocol's order."""
        return [self.theirs.fileno(), self.out.descriptor, self.err.descriptor, self.fault]

    def born(self, pid: int) -> None:
        """The process is there; give up our copy of its end of the socket."""
        self.pid = pid
        self.theirs.close()
        if hasattr(os, "pidfd_open"):
            # A number may be given to another process as soon as this one is reaped.
            with contextlib.suppress(OSError):
                self._handle = os.pidfd_open(pid)

    def signal(self, number: int) -> bool:
        """Send a signal to the worker alone; whether it was there to get it."""
        try:
            if self._handle >= 0:
                signal.pidfd_send_signal(self._handle, number)
            else:
                os.kill(self.pid, number)
        except ProcessLookupError:
            return False
        return True

    def kill(self) -> None:
        """End the worker and everything that descends from it."""
        if not self.signal(0):
            return
        below = children.descendants(self.pid)
        self.signal(signal.SIGKILL)
        children.kill(below)

    def fault_size(self) -> int:
        """Bytes in the fault file."""
        return os.fstat(self.fault).st_size

    def new_faults(self) -> str:
        """What faulthandler wrote since the last call."""
        start, self._faults = self._faults, self.fault_size()
        return os.pread(self.fault, self._faults, start).decode("utf-8", "replace")

    def close(self) -> None:
        """Give up the files and the socket."""
        self.link.close()
        self.theirs.close()
        self.words.close()
        self.out.close()
        self.err.close()
        os.close(self.fault)
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


class Interpreter:
    """A new interpreter of the fences' environment, with a log of what it says while starting."""

    def __init__(self, options: EngineOptions, descriptors: list[int]) -> None:
        self._python = options.python
        self._log = anonymous("fence-start")
        root = str(Path(fencerun.__file__).resolve().parents[1])
        settings = {"preload": options.preload, "flood": options.flood, "root": str(Path.cwd())}
        command = [options.python, "-c", _BOOTSTRAP.format(root=root)]
        command += [str(os.getpid()), json.dumps(settings), *map(str, descriptors)]
        try:
            self.process = subprocess.Popen(
                command,
                pass_fds=descriptors,
                stdin=subprocess.DEVNULL,
                stdout=self._log,
                stderr=self._log,
                env=for_fences(os.environ, options),
                start_new_session=True,
            )
        except OSError as error:
            os.close(self._log)
            raise NotStarted(f"{options.python} does not start: {error.strerror}") from error

    def ready(self, link: Link) -> dict[str, Any]:
        """Wait for its first frame. Raises NotStarted, with what it said, if none comes."""
        frame = None
        with contextlib.suppress(Gone):
            frame = link.receive(START_LIMIT)
        if frame is not None:
            return frame
        try:
            why = f"ended at once with status {self.process.wait(1.0)}"
        except subprocess.TimeoutExpired:
            self.kill()
            why = "did not get ready"
        log = os.pread(self._log, 1 << 14, 0).decode("utf-8", "replace").strip()
        said = "\n".join(line[:200] for line in log.split("\n")[-8:])
        what = f"{self._python} {why}: name a Python that works with --python"
        raise NotStarted(what + (f". It said:\n{said}" if said else ""))

    def kill(self) -> None:
        """End it and everything below it, and wait until it is gone."""
        if self.process.poll() is None:
            below = children.descendants(self.process.pid)
            self.process.kill()
            children.kill(below)
            self.process.wait()

    def close(self) -> None:
        """End it, if it still runs. Safe to call twice."""
        self.kill()
        if self._log >= 0:
            os.close(self._log)
            self._log = -1
