"""Which command of a fence in bash failed, and on which line.

bash is asked in a file that it reads before the code, so that the code is what it was, to the
line numbers in its messages. Needs Linux (``memfd_create`` and ``/proc``); elsewhere, and for a
plain ``sh``, nothing is found. Knows nothing of pages.
"""

from __future__ import annotations

import os
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

#: What bash reads a file from before a script's first line, and children of it would as well.
_VARIABLE = "BASH_ENV"

# Of the failure that ends the shell, ERR tells unless it lies in a function, which does not inherit
# the trap: there EXIT tells where the function was called from.
_WATCH = """\
trap '[[ $- != *e* ]] || echo "$LINENO" "$BASH_COMMAND" >|{report}' ERR
trap '[[ -z ${{FUNCNAME-}} ]] || echo "${{BASH_LINENO[-1]}}" >|{report}' EXIT
unset BASH_ENV
"""

#: Code that would show the traps, or that has its own.
_TELLTALE = re.compile(r"\btrap\b|xtrace|\bset\s+-\w*[xv]|verbose")


class FailingLine:
    """Watches one run. ``environment`` is what bash needs in its environment for that."""

    def __init__(self, language: str, code: str) -> None:
        self.environment: dict[str, str] = {}
        self._lines = code.split("\n")
        self._files: list[int] = []
        if language != "bash" or os.environ.get(_VARIABLE) or _TELLTALE.search(code):
            return
        if not hasattr(os, "memfd_create") or not os.path.isdir("/proc/self/fd"):
            return
        asked, self._report = os.memfd_create("fence-shell"), os.memfd_create("fence-failure")
        self._files += [asked, self._report]
        # Opened by name: no process that the fence starts inherits a descriptor.
        names = [f"/proc/{os.getpid()}/fd/{file}" for file in self._files]
        os.write(asked, _WATCH.format(report=names[1]).encode())
        self.environment[_VARIABLE] = names[0]

    def __enter__(self) -> FailingLine:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for file in self._files:
            os.close(file)

    def found(self) -> tuple[int, str] | None:
        """The line of the code (the first is 1), and the command there; None if bash told none."""
        if not self._files:
            return None
        said = os.pread(self._report, 1 << 16, 0).decode("utf-8", "replace")
        number, _, command = said.partition("\n")[0].partition(" ")
        if not number.isdecimal() or not 1 <= int(number) <= len(self._lines):
            return None
        written = self._lines[int(number) - 1].strip()
        # As it is written where that is all of it: of a pipe, bash names the last part only.
        return int(number), written if command in written else command
