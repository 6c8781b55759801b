"""An author's desk: a directory of pages that are kept open, and all that is told of them."""

from __future__ import annotations

import time
from pathlib import Path
from types import TracebackType

from fencerun.events import FenceDone, FenceStarted, LiveEvent, PageRead, Trouble, Verdict
from fencerun.live import FenceView, Live


def fence(tags: str, *lines: str, recorded: str | None = None) -> str:
    """A fence, and its recording."""
    number = tags.partition("fence:")[2].split()[0]
    text = "\n".join((f"```python {tags}", *lines, "```", ""))
    return text if recorded is None else f"{text}\n```text output:{number}\n{recorded}\n```\n"


class Desk:
    """A project in ``directory``, which has to be the working directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.events: list[LiveEvent] = []
        self.live = Live((), self.events.append)
        self.write("pyproject.toml", "[tool.fencerun]\n")

    def write(self, name: str, *parts: str) -> Path:
        """A file, written."""
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(parts))
        return path

    def open(self, *targets: str) -> Desk:
        """Open the pages."""
        self.live = Live(targets, self.events.append)
        self.live.start()
        return self

    def save(self, name: str, *parts: str) -> None:
        """Write a file, tell of it, and wait for what comes of that."""
        self.write(name, *parts)
        self.tell(name)

    def tell(self, *names: str) -> None:
        """Tell of changed files, from here on without the events before."""
        self.events.clear()
        self.live.saved(str(self.directory / name) for name in names)
        self.settle()

    def settle(self) -> None:
        """Wait until nothing is left to do."""
        assert self.live.wait(60), "it never comes to rest"

    def until(self, what: type[LiveEvent]) -> None:
        """Wait for an event of a kind."""
        end = time.monotonic() + 60
        while not any(isinstance(event, what) for event in list(self.events)):
            assert time.monotonic() < end, self.events
            time.sleep(0.005)

    @property
    def started(self) -> list[str]:
        """Ids of the fences that began to run, since the last call of ``tell``."""
        return [event.id for event in self.events if isinstance(event, FenceStarted)]

    @property
    def verdicts(self) -> list[Verdict]:
        """The verdicts, as they came."""
        return [event.verdict for event in self.events if isinstance(event, FenceDone)]

    @property
    def said(self) -> dict[str, str]:
        """What each fence printed."""
        return {v.id: "\n".join(v.printed or ()) for v in self.verdicts}

    @property
    def kinds(self) -> dict[str, str]:
        """The kind of each verdict."""
        return {v.id: v.kind for v in self.verdicts}

    @property
    def read(self) -> list[PageRead]:
        """The pages that were read."""
        return [event for event in self.events if isinstance(event, PageRead)]

    @property
    def trouble(self) -> list[str]:
        """What kept everything from running; empty texts where that is over."""
        return [event.what for event in self.events if isinstance(event, Trouble)]

    def fence(self, name: str) -> FenceView:
        """What is known of a fence now."""
        page = self.live.page(name.partition("::")[0])
        assert page is not None
        return next(one for one in page.fences if one.id == name)

    def __enter__(self) -> Desk:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.live.close()
