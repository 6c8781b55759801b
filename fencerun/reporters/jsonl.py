"""JSON lines: the event stream as text, an event a line, and back. ``docs/jsonl.md`` says how.

The field names are those of ``fencerun.events``; a reader skips fields that it does not know.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from types import UnionType
from typing import Any, Literal, TextIO, Union, get_args, get_origin, get_type_hints

from fencerun.events import Event, RunDone
from fencerun.reporters.tally import Tally

#: Bumped when a field changes its meaning or goes away; new fields don't count.
VERSION = 1


class JsonlError(ValueError):
    """A line is not an event that this version can read."""


def _name(kind: type[Any]) -> str:
    """``FenceDone`` → ``fence_done``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind.__name__).lower()


_KINDS: dict[str, type[Any]] = {_name(kind): kind for kind in get_args(Event)}


def dump(event: Event) -> str:
    """The event as one line of ASCII JSON, without its line end."""
    frame = {"v": VERSION, "event": _name(type(event)), **dataclasses.asdict(event)}
    return json.dumps(frame, separators=(",", ":"), allow_nan=False)


def load(line: str) -> Event:
    """The event that ``dump`` made ``line`` of.

    Raises JsonlError when it is none, or of a newer version.
    """
    try:
        frame = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise JsonlError(f"not JSON: {line[:80]!r}") from error
    if not isinstance(frame, dict):
        raise JsonlError(f"not an event: {line[:80]!r}")
    if frame.get("v") != VERSION:
        raise JsonlError(f"written in version {frame.get('v')!r}, this reads {VERSION}")
    kind = _KINDS.get(str(frame.get("event")))
    if kind is None:
        raise JsonlError(f"no event is called {frame.get('event')!r}")
    event: Event = _record(frame, kind)
    return event


def read(lines: Iterable[str]) -> Iterator[Event]:
    """The events of a file, blank lines skipped.

    Raises JsonlError that names the line. A last line without its end is what a killed run
    leaves behind, and is skipped if it does not parse.
    """
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield load(line)
        except JsonlError as error:
            if not line.endswith("\n"):
                return
            raise JsonlError(f"line {number}: {error}") from error


@cache
def _fields(kind: Any) -> dict[str, tuple[Any, bool]]:
    """Name → type and whether it must be there."""
    hints = get_type_hints(kind)
    return {
        one.name: (
            hints[one.name],
            one.default is dataclasses.MISSING and one.default_factory is dataclasses.MISSING,
        )
        for one in dataclasses.fields(kind)
    }


def _record(frame: Any, kind: Any) -> Any:
    if not isinstance(frame, dict):
        raise JsonlError(f"{_name(kind)} is not an object")
    values = {}
    for name, (hint, needed) in _fields(kind).items():
        if name in frame:
            values[name] = _value(frame[name], hint, name)
        elif needed:
            raise JsonlError(f"{_name(kind)} lacks {name!r}")
    return kind(**values)


def _value(value: Any, hint: Any, name: str) -> Any:
    """``value`` as the type that ``hint`` names."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Union or origin is UnionType:
        if value is None and type(None) in arguments:
            return None
        (hint,) = (one for one in arguments if one is not type(None))
        return _value(value, hint, name)
    if origin is tuple and isinstance(value, list):
        if arguments[-1] is Ellipsis:
            return tuple(_value(one, arguments[0], name) for one in value)
        if len(value) == len(arguments):
            return tuple(_value(*pair, name) for pair in zip(value, arguments, strict=True))
    elif origin is Literal and value in arguments:
        return value
    elif dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return _record(value, hint)
    elif hint is float and type(value) in (int, float):
        return float(value)
    elif hint in (str, int, bool) and type(value) is hint:
        return value
    raise JsonlError(f"{name!r} cannot be {json.dumps(value)[:80]}")


class JsonlReporter:
    """Writes each event as it happens, and flushes, so that a killed run leaves what it knew."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._tally = Tally()

    def handle(self, event: Event) -> None:
        """Write the event. The end of the run repeats nothing that had a line of its own."""
        news = self._tally.add(event)
        if isinstance(event, RunDone):
            event = dataclasses.replace(event, verdicts=news.verdicts, problems=news.problems)
        self._stream.write(f"{dump(event)}\n")
        self._stream.flush()

    def close(self) -> None:
        """Nothing is left to write."""
