"""The worker's main loop: chains come in, one reply a fence goes out at once.

Each reply is written before the next fence starts, so that whatever happens to the process
happens to the first fence without a reply. Knows nothing of how a fence is run.
"""

from __future__ import annotations

import errno
import gc
import os
import traceback

from fencerun.protocol import EXIT_BROKEN, EXIT_CUT_OFF, Decoder, encode
from fencerun.worker import libc, memory
from fencerun.worker.capture import Capture, keep_high
from fencerun.worker.chain import Chain, may_be_meant
from fencerun.worker.interrupts import Interrupts
from fencerun.worker.words import Words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from fencerun.worker.process import Process

_READ = 1 << 20


def serve(process: Process, descriptors: list[int], config: dict[str, Any]) -> None:
    """Answer the parent until it says quit or is gone, or until this process is unfit.

    ``descriptors`` are the control socket and the stdout, stderr and fault files.
    """
    control, out, err, fault = descriptors
    control, fault = keep_high(control), keep_high(fault)
    interrupts = Interrupts(Words(fault), fault)
    capture = Capture(out, err)
    libc.adopt_orphans()
    gc.enable()
    memory.forgive()
    try:
        for frame in _frames(control):
            if frame["do"] == "quit":
                return
            chain = Chain(process, capture, interrupts, config["flood"])
            for reply in run_chain(chain, frame):
                _write(control, _encoded(reply))
                if "tainted" in reply:
                    return
    except Exception as error:
        _cut_off(error)
        # A fence broke something that we stand on; the parent blames it and shows this.
        os.write(fault, f"\0{traceback.format_exc()}".encode("utf-8", "backslashreplace"))
        os._exit(EXIT_BROKEN)


#: A reply that holds no more than these is written by hand: most do, and it takes a tenth.
_PLAIN = frozenset(("serial", "seconds", "out", "err", "leaks", "last"))


def _encoded(reply: dict[str, Any]) -> bytes:
    """``encode(reply)``, without what is empty."""
    get = reply.get
    if not reply.keys() <= _PLAIN or type(get("seconds")) is not float or get("leaks"):
        return encode(reply)
    text = f'{{"serial":{reply["serial"]},"seconds":{reply["seconds"]!r}'
    if out := get("out"):
        text += f',"out":{out}'
    if err := get("err"):
        text += f',"err":{err}'
    return (text + (',"last":true}\n' if get("last") else "}\n")).encode("ascii")


def run_chain(chain: Chain, frame: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The replies to one chain, each as soon as it is due."""
    serial = frame["serial"]
    try:
        chain.begin(
            frame["page"],
            frame["directory"],
            frame.get("tag", ""),
            setup=frame.get("setup"),
            scratch=frame.get("scratch", False),
        )
    except OSError as error:
        failure = {"kind": "exception", "summary": f"the working directory is not there: {error}"}
        yield {"serial": serial, "failure": failure, "last": True}
        return
    jobs = frame["jobs"]
    for place, job in enumerate(jobs, 1):
        last = place == len(jobs)
        reply = chain.fence(job, serial, last)
        serial += 1
        if last or _ends_chain(reply, job):
            chain.end(reply)
            yield reply
            return
        yield reply


def _ends_chain(reply: dict[str, Any], job: dict[str, Any]) -> bool:
    failure = reply.get("failure")
    if failure is None:
        return False
    return not may_be_meant(failure, job)


def _frames(control: int) -> Iterator[dict[str, Any]]:
    decoder = Decoder()
    while True:
        try:
            data = os.read(control, _READ)
        except ConnectionError:
            return
        if not data:
            return
        yield from decoder.feed(data)


def _write(control: int, data: bytes) -> None:
    try:
        while data:
            data = data[os.write(control, data) :]
    except ConnectionError:  # the parent is gone
        os._exit(0)


def _cut_off(error: Exception) -> None:
    """End with a status of its own if a fence closed what we talk through."""
    if isinstance(error, OSError) and error.errno in (errno.EBADF, errno.ENOTSOCK):
        os._exit(EXIT_CUT_OFF)
