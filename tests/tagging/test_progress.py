"""The line that says what is being tried."""

from __future__ import annotations

from io import StringIO

from fencerun.events import FenceStarted, RunDone
from fencerun.tagging.progress import Progress


class Terminal(StringIO):
    """A stream that says that it is one."""

    def isatty(self) -> bool:
        return True


STARTED = FenceStarted("a.md::1", "a.md", 1, 7)


def test_on_a_terminal() -> None:
    stream = Terminal()
    with Progress(stream) as progress:
        progress.told(STARTED)
        progress.told(RunDone(0, 0.1))
        progress.clear()
        progress.clear()
        progress.told(STARTED)
    wipe = "\r\x1b[K"
    assert stream.getvalue() == f"{wipe}trying a.md:7{wipe}{wipe}trying a.md:7{wipe}"


def test_elsewhere() -> None:
    stream = StringIO()
    with Progress(stream) as progress:
        progress.told(STARTED)
    assert stream.getvalue() == ""
