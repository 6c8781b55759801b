"""Jobs as frames and answers as outcomes: the words of the protocol in the engine's types.

An answer comes from a process that runs anybody's code, so nothing in it is taken on trust.
"""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from fencerun.engines.base import Chain, Job
from fencerun.engines.blame import flood_summary, of_value, page_line, timeout_summary
from fencerun.engines.files import OutputFile
from fencerun.protocol import ProtocolError
from fencerun.result import Failure, Leak, Outcome, ValueResult

#: Of a flood so much is kept, in bytes.
KEPT_OF_FLOOD = 1 << 20

_DEFAULTS: dict[str, Any] = {
    "language": "python",
    "op_namespace": None,
    "allows": (),
    "stderr": False,
    "echo": False,
    "values": (),
    "figure": None,
    "may_raise": False,
    "turns": (),
    "exit": 0,
}
_optional, _ALL_DEFAULT = attrgetter(*_DEFAULTS), tuple(_DEFAULTS.values())

#: All that most answers say: what the fence printed, and how long it took.
_PLAIN = frozenset(("serial", "seconds", "out", "last"))


def chain_frame(chain: Chain, serial: int) -> dict[str, Any]:
    """The frame that asks a worker to run a chain."""
    frame: dict[str, Any] = {
        "do": "chain",
        "page": chain.page,
        "directory": chain.directory,
        "serial": serial,
        "tag": chain.tag,
        "jobs": [job_frame(job) for job in chain.jobs],
    }
    if chain.setup is not None:
        frame["setup"] = list(chain.setup)
    if chain.scratch:
        frame["scratch"] = True
    return frame


def job_frame(job: Job) -> dict[str, Any]:
    """What a worker needs to know of a job; defaults are left out."""
    frame: dict[str, Any] = {"number": job.number, "code": job.code, "line": job.line}
    if _optional(job) == _ALL_DEFAULT:
        return frame
    for name, default in _DEFAULTS.items():
        value = getattr(job, name)
        if value != default:
            frame[name] = value
    return frame


def outcome(
    reply: dict[str, Any],
    job: Job,
    page: str,
    files: tuple[OutputFile, OutputFile],
    flood: int,
) -> Outcome:
    """The outcome that an answer tells of. Raises ProtocolError when it makes no sense."""
    try:
        if reply.keys() <= _PLAIN:
            output, _ = _read(files[0], reply.get("out", []), None)
            return Outcome(output, b"", float(reply.get("seconds", 0.0)))
        failure = _failure(reply, job, page, flood)
        limit = KEPT_OF_FLOOD if failure is not None and failure.kind == "flood" else None
        output, dropped = _read(files[0], reply.get("out", []), limit)
        stderr, _ = _read(files[1], reply.get("err", []), KEPT_OF_FLOOD)
        return Outcome(
            output=output,
            stderr=stderr,
            seconds=float(reply.get("seconds", 0.0)),
            failure=failure,
            leaks=tuple(Leak(**leak) for leak in reply.get("leaks", ())),
            values=tuple(_value(value) for value in reply.get("values", ())),
            figures=tuple(str(figure) for figure in reply.get("figures", ())),
            replaced=reply.get("tainted"),
            dropped=dropped,
            turns=_turns(reply.get("turns", ()), output),
        )
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise ProtocolError(f"an answer that makes no sense: {error}") from error


def ends(reply: dict[str, Any]) -> tuple[int, int]:
    """Where the two files stand at the end of a sensible answer; 0 where it says nothing."""
    out, err = reply.get("out") or [0], reply.get("err") or [0]
    return int(out[-1]), int(err[-1])


def read_rest(file: OutputFile, start: int, flooded: bool) -> tuple[bytes, int]:
    """Output of a fence without an answer: what was written since ``start``, and bytes cut."""
    return _read(file, [start, file.size()], KEPT_OF_FLOOD if flooded else None)


def _read(file: OutputFile, ranges: list[int], limit: int | None) -> tuple[bytes, int]:
    if limit is None and len(ranges) == 2 and 0 <= ranges[0] <= ranges[1]:
        data = file.read(*ranges)
        if len(data) == ranges[1] - ranges[0]:
            return data, 0
    pairs = list(zip(ranges[::2], ranges[1::2], strict=True))
    if not pairs:
        return b"", 0
    if any(not 0 <= start <= end for start, end in pairs):
        raise ValueError(f"output at {ranges}")
    total = sum(end - start for start, end in pairs)
    kept: list[bytes] = []
    room = total if limit is None else min(limit, total)
    for start, end in pairs:
        wanted = min(end, start + room)
        piece = file.read(start, wanted)
        if len(piece) < wanted - start:
            raise ValueError(f"output at {ranges} of {file.size()}")
        room -= len(piece)
        kept.append(piece)
    data = b"".join(kept)
    return data, total - len(data)


def _failure(reply: dict[str, Any], job: Job, page: str, flood: int) -> Failure | None:
    said = reply.get("failure")
    if said is None:
        return None
    fields = {
        **said,
        "mro": tuple(said.get("mro", ())),
        "values": tuple((str(text), str(value)) for text, value in said.get("values", ())),
    }
    value = fields.pop("value", 0)
    if said["kind"] == "timeout":
        fields["summary"] = timeout_summary(job)
        fields["line"] = page_line(str(reply.get("fault", "")), page) or said.get("line")
    elif said["kind"] == "flood":
        fields["summary"] = flood_summary(flood)
    fields["summary"] = of_value(job, value) + fields["summary"]
    return Failure(**fields)


def _turns(lengths: Any, output: bytes) -> tuple[bytes, ...]:
    """The output of each turn; what came after the last one ended is its own, too."""
    found, at = [], 0
    for length in lengths:
        found.append(output[at : at + int(length)])
        at += int(length)
    if found and at < len(output):
        found[-1] += output[at:]
    return tuple(found)


def _value(said: dict[str, Any]) -> ValueResult:
    return ValueResult(said.get("text"), said.get("error"))
