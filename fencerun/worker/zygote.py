"""The first child process: loads what the fences need, then forks workers, and runs no fence.

A fork of it is a pristine worker in milliseconds, where a new interpreter would import torch for
seconds. It reaps its workers, and what a dead worker leaves behind. In plain mode there is no
fork: the process is the worker. Knows nothing of chains.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import select
import signal
import sys
import time

from fencerun.protocol import Decoder, encode
from fencerun.worker import children, libc, loop, passing
from fencerun.worker.process import Process

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _socket
    from typing import Any, NoReturn

#: Descriptors that travel with a fork request.
FILES = 4


def main(arguments: list[str]) -> NoReturn:
    """Run as ``python -c``: arguments are the parent's pid, the settings, the descriptors.

    With one descriptor (a socket) this is the zygote, with four it is a plain worker.
    """
    parent, config, *numbers = arguments
    libc.die_with(int(parent))
    # Whoever started us may block signals, in the thread that did or altogether; a fence that
    # takes too long would never notice that it is interrupted.
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    settings: dict[str, Any] = json.loads(config)
    descriptors = [int(number) for number in numbers]
    for number in descriptors:
        os.set_inheritable(number, False)
    loaded = preload(settings["preload"])
    process = Process(settings["root"])
    gc.collect()
    gc.freeze()
    ready = {"ready": True, "python": sys.version.split()[0], "loaded": loaded}
    os.write(descriptors[0], encode(ready))
    if len(descriptors) == FILES:
        loop.serve(process, descriptors, settings)
    else:
        # The parent's end of the socket closes when the parent is gone, so its death need not
        # be tied to the thread that started us.
        libc.outlive_parent()
        Zygote(passing.adopt(descriptors[0]), process, settings).serve()
    os._exit(0)


#: Imports of these ask a device what it can do, and no fork can use a device that was in use.
_ASKS_DEVICES = ("torch._inductor",)

#: How the device files of accelerators begin: NVIDIA, also under WSL and on a Jetson; AMD; Intel.
_DEVICES = ("nvidia", "dxg", "nvhost", "nvgpu", "kfd", "dri", "accel")


def preload(names: list[str]) -> dict[str, str]:
    """Import what is safe to import before a fork; the versions of what there is."""
    loaded = {}
    for name in names:
        if name.startswith(_ASKS_DEVICES) and may_use_a_device():
            continue
        try:
            module = importlib.import_module(name)
        except Exception:
            # The fence that needs it will say so, with its own traceback.
            continue
        loaded[name] = str(getattr(module, "__version__", ""))
    return loaded


def may_use_a_device(devices: str = "/dev") -> bool:
    """Whether this torch is made for accelerators, and the machine seems to have one."""
    version = getattr(sys.modules.get("torch"), "version", None)
    if not any(getattr(version, kind, None) for kind in ("cuda", "hip", "xpu")):
        return False
    try:
        return any(name.startswith(_DEVICES) for name in os.listdir(devices))
    except OSError:
        return True


class Zygote:
    """Forks workers for the parent and tells it when they end."""

    def __init__(self, control: _socket.socket, process: Process, config: dict[str, Any]) -> None:
        self._control = control
        self._process = process
        self._config = config
        self._workers: set[int] = set()
        self._wakeup, self._alarm = os.pipe()
        os.set_blocking(self._wakeup, False)
        os.set_blocking(self._alarm, False)

    def serve(self) -> None:
        """Answer until the parent says quit or is gone; end every worker then."""
        libc.adopt_orphans()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.set_wakeup_fd(self._alarm, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        decoder = Decoder()
        control = self._control.fileno()
        while True:
            ready, _, _ = select.select([control, self._wakeup], [], [])
            if self._wakeup in ready:
                os.read(self._wakeup, 4096)
                self._reap()
            if control in ready:
                try:
                    data, files = passing.receive(self._control, 4096, FILES)
                except OSError:
                    data, files = b"", []
                if not data or any(frame["do"] == "quit" for frame in decoder.feed(data)):
                    break
                self._fork(files)
        self._end_all()

    def _fork(self, files: list[int]) -> None:
        zygote = os.getpid()
        pid = os.fork()
        if pid == 0:
            try:
                self._become_worker(zygote, files)
            finally:
                os._exit(1)
        for file in files:
            os.close(file)
        self._workers.add(pid)
        self._tell({"pid": pid})

    def _become_worker(self, zygote: int, files: list[int]) -> None:
        libc.die_with(zygote)
        os.setsid()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._control.close()
        os.close(self._wakeup)
        os.close(self._alarm)
        loop.serve(self._process, files, self._config)
        os._exit(0)

    def _reap(self) -> None:
        """Collect what ended; kill what a dead worker left: its orphans are our children now."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if not pid:
                break
            if pid in self._workers:
                self._workers.discard(pid)
                self._tell({"pid": pid, "status": status})
        children.kill(children.children() - self._workers)

    def _tell(self, frame: dict[str, Any]) -> None:
        try:
            self._control.sendall(encode(frame))
        except OSError:
            # The parent is gone; the next read of the socket says so.
            return

    def _end_all(self) -> None:
        self._workers.clear()
        until = time.monotonic() + 2.0
        while time.monotonic() < until:
            self._reap()
            if not children.have_children():
                return
            time.sleep(0.002)
        for pid in children.children():
            os.kill(pid, signal.SIGKILL)


if __name__ == "__main__":
    main(sys.argv[1:])
