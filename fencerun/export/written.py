"""Where exports go, and whether what is there already may go: only what was written by an export.

With ``files``, the only part of exporting that touches the disk. An export says which page it is
of, and holds a hash of itself, so that what its reader has changed since is not lost.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

from fencerun import files
from fencerun.pasting import pasted

_NO_HASH = "0" * 12
_MARK = re.compile(rb"fencerun export of ([^\s<>\"]+) \(([0-9a-f]{12})\)")


def mark(page: str) -> str:
    """What an export says of where it comes from; `sealed` puts its hash in."""
    from urllib.parse import quote

    # Two hyphens may not stand in a comment of HTML.
    name = quote(os.fsencode(os.path.basename(page)), safe="").replace("--", "-%2D")
    return f"fencerun export of {name} ({_NO_HASH})"


def sealed(text: str) -> bytes:
    """The bytes of an export, with the hash of all the rest of it in its mark."""
    data = text.encode("utf-8", "backslashreplace")
    match = _found(data)
    assert match is not None, "an export without its mark"
    return data[: match.start(2)] + _hash(data, match) + data[match.end(2) :]


def _found(data: bytes) -> re.Match[bytes] | None:
    """The mark of an export: near its end in a notebook, at its top elsewhere."""
    marks = list(_MARK.finditer(data))
    return (marks[-1] if data.startswith(b"{") else marks[0]) if marks else None


def _hash(data: bytes, match: re.Match[bytes]) -> bytes:
    blank = data[: match.start(2)] + _NO_HASH.encode() + data[match.end(2) :]
    return hashlib.sha256(blank).hexdigest()[:12].encode()


def insist(target: str, page: str) -> None:
    """Raise NotWritten where ``target`` is there, and is no untouched export of ``page``."""
    from urllib.parse import unquote_to_bytes

    try:
        data = Path(target).read_bytes()
    except FileNotFoundError:
        return
    except OSError as error:
        raise files.NotWritten(target, error.strerror or str(error)) from None
    match = _found(data)
    remedy = "give another with `-o`, or add `--force`"
    if match is None:
        raise files.NotWritten(target, "it is there, and no export of fencerun's", remedy)
    owner = os.fsdecode(unquote_to_bytes(match[1]))
    if owner != os.path.basename(page):
        raise files.NotWritten(target, f"it is an export of {owner}", remedy)
    if _hash(data, match) != match[2]:
        raise files.NotWritten(target, "it was changed since it was exported", remedy)


def insist_on_directory(target: str) -> None:
    """Raise NotWritten where the directory of ``target`` is not there.

    None is made: one that is not there was mistyped, or is made with one command.
    """
    directory = os.path.dirname(target) or "."
    if os.path.isdir(directory):
        return
    if os.path.lexists(directory):
        why, remedy = f"{directory} is no directory", "give another name with `-o`"
    else:
        why, remedy = f"there is no directory {directory}", f"run `mkdir -p {pasted(directory)}`"
    raise files.NotWritten(target, why, remedy)


def write(target: str, data: bytes) -> None:
    """Make ``data`` the file, whole or not at all. Raises NotWritten."""
    files.replace(target, data)
