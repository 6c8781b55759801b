"""Words of a command that a message tells its reader to run. Pure.

Knows nothing of what the command is, nor of where the message is shown.
"""

from __future__ import annotations

import shlex


def pasted(word: str) -> str:
    """``word``, which names a page, a fence or a file, as it can be pasted into a shell.

    One that begins with ``-`` would be an option. What no terminal shows, or shows as another
    character, stands as its bytes in the quotes that bash, zsh and ksh have for them.
    """
    if word.startswith("-"):
        word = f"./{word}"
    if word.isprintable():
        return shlex.quote(word)
    return f"$'{''.join(map(_piece, word))}'"


def _piece(character: str) -> str:
    if character in "\\'":
        return f"\\{character}"
    if character.isprintable():
        return character
    if "\udc80" <= character <= "\udcff":  # a byte of a path that is not UTF-8
        return f"\\x{ord(character) & 0xFF:02x}"
    return "".join(f"\\x{byte:02x}" for byte in character.encode("utf-8", "surrogatepass"))
