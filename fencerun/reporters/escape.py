"""Text that is safe to show. Knows nothing of events.

Summaries, paths and tracebacks come from fences, so they may hold anything: escape sequences,
newlines that forge a second message, bidirectional controls, lone surrogates.
"""

from __future__ import annotations

import re

# C0 and C1 controls, line and paragraph separators, bidirectional controls, the byte order mark,
# lone surrogates. Tab and newline are left to the two functions below.
_UNSAFE = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff"
)
_IN_BLOCK = f"[{_UNSAFE}]"
_IN_LINE = f"[{_UNSAFE}\t\n]"
#: What a diff must not show as a plain space or as nothing: its two lines would look alike.
_IN_DIFF = f"[{_UNSAFE}\t\n\xa0\xad\u200b\u2060]"

_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}

#: Spellings for streams that cannot take the character.
_ASCII = str.maketrans({"→": "->", "…": "...", "×": "x", "━": "#", "─": "-", "·": "-"})

#: A line longer than this is cut: a report is no place for a 70,000-character line.
MAX_LINE = 600


def _escaped(match: re.Match[str]) -> str:
    char = match.group()
    if char in _NAMED:
        return _NAMED[char]
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def _escape(unsafe: str, text: str) -> str:
    # All that is unsafe is unprintable. Most text is neither, and a run in which all is well
    # does not even compile the patterns.
    return text if text.isprintable() else re.sub(unsafe, _escaped, text)


def one_line(text: str) -> str:
    """``text`` as one line without control characters."""
    return _escape(_IN_LINE, text)


def diff_line(text: str) -> str:
    """As one_line, with invisible differences made visible."""
    return _escape(_IN_DIFF, text)


def block(text: str) -> list[str]:
    """The lines of ``text``, without control characters other than tabs."""
    if not text.strip("\n"):
        return []
    return _escape(_IN_BLOCK, text).rstrip("\n").split("\n")


def cut(text: str, limit: int = MAX_LINE) -> str:
    """``text``, or its first ``limit`` characters and how many follow."""
    left = len(text) - limit
    return text if left <= 0 else f"{text[:limit]}… ({left:,} more characters)"


def encodable(text: str, encoding: str | None) -> str:
    """``text`` in characters that ``encoding`` has: plainer glyphs first, escapes for the rest."""
    if encoding is None:
        return text
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        plainer = text.translate(_ASCII)
        return plainer.encode(encoding, "backslashreplace").decode(encoding)
    except LookupError:
        return text.translate(_ASCII).encode("ascii", "backslashreplace").decode("ascii")
    return text
