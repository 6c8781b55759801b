"""What goes on besides lessons: the run, the engine, trouble. Events in, messages out; pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from fencerun.events import EngineReady, FenceDone, LiveEvent, RunDone, RunStarted, Trouble
from fencerun.reporters.wording import capital


class Goings:
    """The last that was heard of each."""

    def __init__(self) -> None:
        self._run: dict[str, Any] = {"running": False}
        self._about = ""
        self._trouble: dict[str, str] = {}

    def status(self) -> dict[str, Any]:
        """All of it, for a browser that is new."""
        return {"run": self._run, "about": self._about, "trouble": self._trouble}

    def note(self, events: Sequence[LiveEvent]) -> Iterator[tuple[str, dict[str, Any]]]:
        """Take ``events`` in, and give kinds and data of the messages that they come to."""
        for event in events:
            if isinstance(event, RunStarted):
                self._run = {
                    "running": True,
                    "verb": event.verb,
                    "fences": event.fences,
                    "done": 0,
                }
                yield "run", self._run
            elif isinstance(event, RunDone):
                self._run = _over(event)
                yield "run", self._run
            elif isinstance(event, EngineReady):
                self._about = event.about
                yield "about", {"about": event.about}
            elif isinstance(event, Trouble):
                said = {"what": event.what, "remedy": capital(event.remedy)}
                self._trouble = said if event.what else {}
                yield "trouble", self._trouble
        done = sum(isinstance(event, FenceDone) for event in events)
        if done and self._run["running"]:
            self._run = {**self._run, "done": self._run["done"] + done}
            yield "run", self._run


def _over(event: RunDone) -> dict[str, Any]:
    return {
        "running": False,
        "counts": dict(Counter(verdict.kind for verdict in event.verdicts)),
        "seconds": event.seconds,
        "interrupted": event.interrupted,
        "notes": list(event.notes),
    }
