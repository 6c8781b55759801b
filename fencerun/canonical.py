"""From the bytes that a fence wrote to the lines that a page records.

Both sides of a comparison pass through here, so a page that was recorded yesterday and output
that was captured today differ only where a reader would see it. It knows nothing of fences,
pages or how lines are compared.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from fencerun.masks import Mask, apply
from fencerun.patterns import later
from fencerun.redaction import NOTHING, Redaction
from fencerun.terminal import render

#: A smaller limit leaves no room for the line that says what was left out.
MIN_LIMIT = 1024

# What a reader cannot see, or what changes how the rest of the page is read: controls (tab and
# line feed stay), soft hyphen, zero-width and bidirectional controls, line and paragraph
# separators, byte order marks, surrogates, noncharacters, tags. Joiners stay: emoji and Persian
# need them.
_UNSEEN = later(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    r"\ud800-\udfff\ufdd0-\ufdef\ufeff\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f"
    + "".join(rf"\U{plane:04x}fffe\U{plane:04x}ffff" for plane in range(1, 17))
    + "]"
)


def canonical(
    output: bytes,
    *,
    masks: Sequence[Mask] = (),
    limit: int = 64 * 1024,
    secrets: Redaction = NOTHING,
) -> tuple[str, ...]:
    """The lines a reader would see of ``output``; ``()`` when there are none but blank ones.

    Together they hold at most ``limit`` bytes of UTF-8, line ends included, and no secret. Raises
    ValueError when ``limit`` is below ``MIN_LIMIT``.
    """
    if limit < MIN_LIMIT:
        raise ValueError(f"a limit of {limit} bytes is below {MIN_LIMIT}")
    return _within(_lines(output.decode("utf-8", "backslashreplace"), masks, secrets), limit)


def recorded(text: str, *, masks: Sequence[Mask] = ()) -> tuple[str, ...]:
    """The lines of a recording, made canonical in the same way; nothing is left out of them.

    Without ``masks`` they are what stands on the page, which is what merging wants to keep;
    comparing applies masks to both sides anyway.
    """
    return _lines(text, masks)


def _lines(text: str, masks: Sequence[Mask], secrets: Redaction = NOTHING) -> tuple[str, ...]:
    # Once it is seen as a reader sees it: colours may cut a secret into pieces.
    plain = text.isascii() and text.replace("\n", "").isprintable()
    lines = secrets.text(text if plain else _UNSEEN.sub(_escape, render(text))).split("\n")
    if masks:
        lines = [apply(line, masks) for line in lines]
    lines = [line.rstrip() for line in lines]
    end = len(lines)
    while end and not lines[end - 1]:
        end -= 1
    return tuple(lines[:end])


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _size(line: str) -> int:
    """Bytes of ``line`` in UTF-8 with its line end."""
    return (len(line) if line.isascii() else len(line.encode())) + 1


def _within(lines: tuple[str, ...], limit: int) -> tuple[str, ...]:
    """``lines``, or a head and a tail of them around a line that says what is missing."""
    if sum(map(_size, lines)) <= limit:
        return lines
    shown = tuple(_shortened(line, limit) if _size(line) > limit // 4 else line for line in lines)
    if sum(map(_size, shown)) <= limit:
        return shown
    half = (limit - 128) // 2
    head = _fitting(shown, half)
    tail = _fitting(shown[:head:-1], half)
    hidden = lines[head : len(lines) - tail]
    count = f"{len(hidden):,} line{'s' if len(hidden) != 1 else ''}, "
    return (*shown[:head], _notice("\n".join(hidden).encode(), count), *shown[len(lines) - tail :])


def _fitting(lines: Sequence[str], room: int) -> int:
    """How many of ``lines``, from the first on, fit into ``room`` bytes."""
    for count, line in enumerate(lines):
        room -= _size(line)
        if room < 0:
            return count
    return len(lines)


def _shortened(line: str, limit: int) -> str:
    """``line`` with its middle replaced by a notice."""
    data = line.encode()
    keep = limit // 16
    # A character that the cut would halve goes into the middle.
    head = data[:keep].decode("utf-8", "ignore")
    tail = data[-keep:].decode("utf-8", "ignore")
    hidden = data[len(head.encode()) : len(data) - len(tail.encode())]
    return f"{head} {_notice(hidden)} {tail}"


def _notice(hidden: bytes, count: str = "") -> str:
    # The hash is written as part of a word, so that no tolerance ever takes it for a number.
    import hashlib  # loads OpenSSL, and few outputs are cut

    digest = hashlib.sha256(hidden).hexdigest()[:12]
    return f"[… {count}{len(hidden):,} bytes left out, sha256_{digest} …]"
