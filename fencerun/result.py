"""What running a fence gave: outcomes, failures, leaks. Frozen data; knows nothing of pages.

An :class:`Outcome` is all that comparing, recording and reporting could need to know of one
execution. Engines make them, nothing else does.
"""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from fencerun.frozen import dataclass

#: How a fence can fail. ``exception``: it raised. ``exit``: ``SystemExit`` with a status that is
#: not 0, or a shell that ended with one. ``crash``: its process died (signal, ``os._exit``).
#: ``timeout``, ``flood`` (too much output), ``memory`` (killed by the system for want of it).
#: ``syntax``: it does not compile. ``namespace``: it registered an operator where it may not.
#: ``leak``: it left process state behind and leaks count as errors. ``refused``: it would have
#: run fencerun on its own page.
FailureKind = Literal[
    "exception",
    "exit",
    "crash",
    "timeout",
    "flood",
    "memory",
    "syntax",
    "namespace",
    "leak",
    "refused",
]


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a fence failed, in words and on page lines.

    ``summary`` is one line (``NameError: name 'opt' is not defined``). ``line`` is the page line,
    counted from 1, of the innermost frame that lies on the page. ``traceback`` is formatted text
    that holds no frame of fencerun. ``mro`` are the dotted names of the exception's classes, most
    derived first, which is what ``raises:`` matches. ``values`` are the operands of a failed
    ``assert``, as (source text, repr) pairs in source order.
    """

    kind: FailureKind
    summary: str
    line: int | None = None
    traceback: str = ""
    mro: tuple[str, ...] = ()
    message: str = ""
    values: tuple[tuple[str, str], ...] = ()
    #: The name that a NameError did not find.
    missing_name: str | None = None


@dataclass(frozen=True, slots=True)
class Leak:
    """Process state that a fence left changed.

    ``what`` names it (``default dtype``); ``was`` and ``now`` are reprs. ``undone`` says whether
    it was put back; a leak that was not makes the worker unfit for further fences. ``fence`` and
    ``line`` place it on the page where that is known.
    """

    what: str
    was: str = ""
    now: str = ""
    undone: bool = True
    fence: int | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class ValueResult:
    """What an expression bound to a fence came to: its text, or the error it raised."""

    text: str | None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """One execution of one fence.

    ``output`` is what it wrote to file descriptor 1 (and 2, when its fence asks for ``stderr``),
    as raw bytes in the order written; ``stderr`` is the rest of file descriptor 2, for reports.
    ``seconds`` is wall time of the code alone, without clean-up.
    """

    output: bytes = b""
    stderr: bytes = b""
    seconds: float = 0.0
    failure: Failure | None = None
    leaks: tuple[Leak, ...] = ()
    values: tuple[ValueResult, ...] = ()
    #: The figures that it left open, as SVG texts, where it was asked for them.
    figures: tuple[str, ...] = ()
    #: Why the worker was replaced after this fence, where it was.
    replaced: str | None = None
    #: Bytes of output beyond what was kept in ``output``.
    dropped: int = field(default=0)
    #: Of a transcript that did not fail, the part of ``output`` that each of its turns printed.
    turns: tuple[bytes, ...] = ()
