"""Errors: faults of a call, its configuration or of fencerun itself, each with an exit code.

A fault of a page is a Problem and a fault of a fence a Failure; neither is an exception.
"""

from __future__ import annotations


class FencerunError(Exception):
    """Ends the run. ``remedy`` says what to do; ``exit_code`` is the process's."""

    exit_code = 6

    def __init__(self, what: str, remedy: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.remedy = remedy

    def __str__(self) -> str:
        return (
            f"{self.what}. {self.remedy[:1].upper()}{self.remedy[1:]}" if self.remedy else self.what
        )


class UsageError(FencerunError):
    """The command line or the configuration asks for something that makes no sense."""

    exit_code = 2
