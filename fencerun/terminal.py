"""What text with terminal control in it looks like once a terminal has shown it.

Pure text to text: carriage returns and backspaces overwrite, sequences that erase or move the
cursor are obeyed, all other escape sequences (colour, titles, links) vanish. It knows nothing of
lines worth keeping, masks or pages. A sequence that is cut off stays, for others to make visible.
"""

from __future__ import annotations

import unicodedata

from fencerun.patterns import later

#: Explicit cursor movement goes no further than this, so that a few bytes cannot ask for
#: gigabytes of blanks. Printed text may be as wide and as long as it likes.
COLUMNS, ROWS = 240, 24

#: More combining marks than this on one character are shown beside it.
_MARKS = 16

# ECMA-48 (5th edition) sections 5.3 to 5.6: escape, control sequence and control string syntax.
_STILL = later(
    r"\x1b(?:"
    r"\][^\x07\x1b\n]*(?:\x07|\x1b\\)"  # operating system command: titles, links
    r"|[PX^_][^\x1b]*\x1b\\"  # the other control strings: images, queries
    r"|\[(?![0-9;]*[A-HJKf])[0-?]*[ -/]*[@-~]"  # control sequence that moves nothing: colour
    r"|[ -/]+[0-~]"  # character sets
    r"|[0-OQ-WYZ\\`-~]"  # two-character escapes
    r")"
)
_MOVES = later(r"[\r\b]|\x1b\[[0-9;]*[A-HJKf]")
_BETWEEN_ROWS = later(r"\x1b\[[0-9;]*[ABEFHJf]")
_TOKEN = later(r"\x1b\[([0-9;]*)([A-HJKf])|[\n\r\b]|[^\n\r\b\x1b]+|\x1b")


def render(text: str) -> str:
    """``text`` as it stands on the screen at the end. Linear in its length."""
    text = text.replace("\r\n", "\n")
    if "\x1b" in text:
        text = _STILL.sub("", text)
    if not _MOVES.search(text):
        return text
    if _BETWEEN_ROWS.search(text):
        return _shown(text)
    return "\n".join(_shown(line) if _MOVES.search(line) else line for line in text.split("\n"))


def _shown(text: str) -> str:
    screen = _Screen()
    for token in _TOKEN.finditer(text):
        if token[2]:
            screen.command(token[2], token[1])
        else:
            screen.put(token[0])
    return screen.text()


class _Screen:
    """Rows of cells and a cursor. A wide character fills its cell and an empty one after it."""

    def __init__(self) -> None:
        self._rows: list[list[str]] = [[]]
        self._row = 0
        self._column = 0
        #: How many cells of a row, from its first, are known to be blank.
        self._blank: dict[int, int] = {}

    def text(self) -> str:
        return "\n".join("".join(row) for row in self._rows)

    def put(self, token: str) -> None:
        if token == "\n":
            self._go(self._row + 1, 0)
        elif token == "\r":
            self._column = 0
        elif token == "\b":
            self._column = max(0, self._column - 1)
        else:
            self._write(token)

    def command(self, final: str, parameters: str) -> None:
        """Obey the control sequence that ends in ``final``."""
        # Six digits are plenty, and int() refuses thousands of them.
        first, second = [int(each[:6] or 0) for each in (parameters + ";;").split(";")][:2]
        count = first or 1
        if final in "ABEF":
            row = self._row + (count if final in "BE" else -count)
            self._jump(row, 0 if final in "EF" else self._column)
        elif final in "CD":
            self._jump(self._row, self._column + (count if final == "C" else -count))
        elif final == "G":
            self._jump(self._row, count - 1)
        elif final in "Hf":
            self._jump(count - 1, (second or 1) - 1)
        elif final == "K":
            self._erase_in_row(first)
        else:
            self._erase_below(first)

    def _go(self, row: int, column: int) -> None:
        while len(self._rows) <= row:
            self._rows.append([])
        self._row, self._column = row, column

    def _jump(self, row: int, column: int) -> None:
        lowest = max(len(self._rows) - 1, ROWS - 1)
        rightmost = max(self._column, COLUMNS - 1)
        self._go(min(max(row, 0), lowest), min(max(column, 0), rightmost))

    def _write(self, run: str) -> None:
        row, start = self._rows[self._row], self._column
        if start > len(row):
            row.extend(" " * (start - len(row)))
        cells = list(run) if run.isascii() else _cells(run)
        end = start + len(cells)
        # Half of a wide character that is written over leaves a blank.
        if start < len(row) and row[start] == "" and start:
            row[start - 1] = " "
        row[start:end] = cells
        if start < self._blank.get(self._row, 0):
            self._blank[self._row] = start
        if end < len(row) and row[end] == "":
            row[end] = " "
        self._column = end

    def _erase_in_row(self, part: int) -> None:
        row = self._rows[self._row]
        if part == 0:
            del row[self._column :]
        elif part == 1:
            upto, blank = min(self._column + 1, len(row)), self._blank.get(self._row, 0)
            if blank < upto:
                row[blank:upto] = " " * (upto - blank)
                self._blank[self._row] = upto
        else:
            row.clear()

    def _erase_below(self, part: int) -> None:
        if part == 0:
            del self._rows[self._row + 1 :]
            self._erase_in_row(0)
        elif part in (2, 3):
            # What a cleared screen showed is gone; what follows starts at its top.
            self._rows = [[]]
            self._row = 0


def _cells(run: str) -> list[str]:
    cells: list[str] = []
    for character in run:
        if unicodedata.east_asian_width(character) in "WF":
            cells += (character, "")
        elif cells and (character == "\u200d" or unicodedata.category(character) in ("Mn", "Me")):
            at = -2 if cells[-1] == "" else -1
            if len(cells[at]) < _MARKS:
                cells[at] += character
            else:
                cells.append(character)
        else:
            cells.append(character)
    return cells
