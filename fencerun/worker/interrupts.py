"""How a fence is stopped from outside, and how it names its line when it can't be stopped.

SIGINT raises KeyboardInterrupt in the fence that the parent meant and in no other. SIGUSR2 and
the fatal signals make faulthandler write a traceback into the fault file from C, so they work
while the interpreter lock is held. Knows nothing of time limits.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import faulthandler
import signal

from fencerun.worker.words import Words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType


# Python's signal module wraps these in enumerations, at ten times the cost.
_STOP, _DUMP = int(signal.SIGINT), int(signal.SIGUSR2)


class Interrupts:
    """The signal handlers of one worker."""

    def __init__(self, words: Words, fault: int) -> None:
        """``fault`` is the descriptor of the fault file."""
        self._words = words
        self._fault = fault
        self._running = 0
        #: How many of the parent's signals have arrived.
        self._met = 0
        self._registered = False

    def install(self) -> None:
        """Put the handlers in place, also where a fence replaced them (about 2 µs)."""
        faulthandler.enable(file=self._fault, all_threads=True)
        if not self._registered and hasattr(faulthandler, "register"):
            # Registering is a no-op as long as faulthandler believes that it is registered.
            faulthandler.unregister(_DUMP)
            faulthandler.register(_DUMP, file=self._fault, all_threads=True, chain=False)
            self._registered = True
        if _signal.getsignal(_STOP) != self._on_interrupt:
            signal.signal(_STOP, self._on_interrupt)

    def check(self) -> None:
        """Notice, before anything is put back, that a fence took the dumps' signal for itself.

        Python does not know of faulthandler's handler, so once Python's own is back at its
        default nothing would tell.
        """
        if _signal.getsignal(_DUMP) != signal.SIG_DFL:
            self._registered = False

    def begin(self, serial: int) -> None:
        """The job ``serial`` starts; from now on it can be interrupted."""
        self._words.begun = serial
        self._running = serial

    def end(self) -> None:
        """No fence runs; a signal that arrives now is late and dropped."""
        self._running = 0

    def evaluating(self, place: int) -> None:
        """The job's value at ``place``, counted from 1, is evaluated now; 0: none any more."""
        self._words.value = place

    def interrupted(self, serial: int) -> bool:
        """Whether the parent wanted this job ended, even if the code ended by itself since."""
        return self._words.interrupt == serial

    def _on_interrupt(self, number: int, frame: FrameType | None) -> None:
        if self._met < self._words.sent:
            # The parent's. It may be late, and meet another fence than the one it was meant for.
            self._met += 1
            if self._words.interrupt == self._running:
                raise KeyboardInterrupt
        elif self._running:
            # Not the parent's: the fence (or its child) sent it, and means what Python means.
            raise KeyboardInterrupt
