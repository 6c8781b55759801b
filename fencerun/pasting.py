"""Words of a command that a message tells its reader to run.

Knows nothing of what the command is, and of where the message is shown only which characters that
place takes.
"""

from __future__ import annotations

import shlex
import sys


def pasted(word: str) -> str:
    """``word``, which names a page, a fence or a file, as it can be pasted into a shell.

    One that begins with ``-`` would be an option. What no terminal shows, or shows as another
    character, or what this one and its shell have no character for, stands as its bytes in the
    quotes that bash, zsh and ksh have for them.
    """
    if word.startswith("-"):
        word = f"./{word}"
    if word.isprintable() and (word.isascii() or _taken(word)):
        return shlex.quote(word)
    return f"$'{''.join(map(_piece, word))}'"


def _piece(character: str) -> str:
    if character in "\\'":
        return f"\\{character}"
    if character.isprintable() and (character.isascii() or _taken(character)):
        return character
    try:
        data = character.encode(sys.getfilesystemencoding(), "surrogateescape")
    except UnicodeEncodeError:
        data = character.encode("utf-8", "surrogatepass")
    return "".join(f"\\x{byte:02x}" for byte in data)


def _taken(text: str) -> bool:
    """Whether the characters of ``text`` are some where messages go, and to the user's shell.

    Under ``LC_ALL=C`` Python writes UTF-8 all the same, and readline takes bytes of eight bits for
    keys.
    """
    import locale  # few names are not ASCII

    for encoding in (getattr(sys.stdout, "encoding", None), locale.nl_langinfo(locale.CODESET)):
        try:
            text.encode(encoding or "utf-8")
        except (UnicodeEncodeError, LookupError):
            return False
    return True
