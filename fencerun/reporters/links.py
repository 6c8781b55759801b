"""Links that a terminal opens (OSC 8): whether it has them, and where they lead.

Looks at which files are there.

The format, and who follows it: Egmont Koblinger, "Hyperlinks in terminal emulators". A terminal
that does not know them should show none of it, and yet some show it all: so they are asked for by
name.
"""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Mapping
from urllib.parse import quote

#: ``TERM_PROGRAM`` to the first version that has links.
_PROGRAMS = {
    "iTerm.app": (3, 1),
    "WezTerm": (2020, 6),
    "vscode": (1, 72),
    "ghostty": (1,),
    "rio": (0,),
    "mintty": (3,),
    "zed": (0,),
    "tmux": (3, 4),
}
_LOCATION = re.compile(r"(.+):([0-9]{1,9})(?=:?\Z)", re.DOTALL)
_TERMS = ("xterm-kitty", "xterm-ghostty", "alacritty", "foot", "contour")


def wanted(env: Mapping[str, str], terminal: bool) -> bool:
    """Whether messages are to have links.

    ``FORCE_HYPERLINK`` decides where it is set (0 is no); else a ``terminal`` that has them does,
    and CI never.
    """
    forced = env.get("FORCE_HYPERLINK", "")
    if forced:
        return forced.lower() not in ("0", "false", "no")
    if not terminal or env.get("CI") or env.get("TERM") == "dumb" or env.get("STY"):
        return False
    program = _PROGRAMS.get(env.get("TERM_PROGRAM", ""))
    if program is not None:
        return _version(env.get("TERM_PROGRAM_VERSION", "")) >= program
    return (
        env.get("TERM", "").startswith(_TERMS)
        or _number(env.get("VTE_VERSION")) > 5000  # 0.50.0 itself crashed on some
        or _number(env.get("KONSOLE_VERSION")) >= 201200
        or bool(env.get("WT_SESSION") or env.get("DOMTERM"))
    )


def lead(words: str, env: Mapping[str, str]) -> tuple[int, str] | None:
    """Where the ``path:line`` that ``words`` are leads, if that file is there.

    How many characters are to be the link, without a colon at the end, and its address.
    """
    place = _LOCATION.match(words)
    if place is None or not os.path.isfile(place[1]):
        return None
    # VS Code takes a host for a share on the network.
    host = "" if env.get("TERM_PROGRAM") == "vscode" else platform.node()
    return place.end(), url(os.path.abspath(place[1]), int(place[2]), host)


def url(path: str, line: int, host: str = "") -> str:
    """The link to a line of a file, whose ``path`` is absolute.

    ``host`` keeps a terminal from opening a file of another machine. The line is a fragment, as
    kitty, iTerm2 and VS Code read it.
    """
    return f"file://{quote(host)}{quote(path)}#{line}"


def _version(text: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d{1,9}", text)))


def _number(text: str | None) -> int:
    return int(text) if text and re.fullmatch(r"[0-9]{1,9}", text) else 0
