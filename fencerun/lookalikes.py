"""Info strings that look tagged to their author and are not: what to write instead. Pure.

Such a block would silently never run. Knows the shapes of mistakes, not the tags' meanings.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from fencerun.patterns import later

#: Quoted text and other tools' ``key=value``: nothing in them is meant for us.
_FOREIGN = later(
    r'(?<![:=\\])"(?:[^"\\]|\\.)*"|'
    r'(?<![^\s{])(?![\w-]*(?:fence|output)=)[A-Za-z_][\w-]*=(?:"(?:[^"\\]|\\.)*"|[^\s"}]*)',
    re.IGNORECASE,
)
_SIGNED = later(r"(fence|output)[ \t]*[:=\uff1a][ \t]*[\"']?([0-9]+|none\b)", re.IGNORECASE)
_UNSIGNED = later(r"(?<![^\s{])(fence)[ \t]*[-_#]?[ \t]*([0-9]+)(?![^\s}])", re.IGNORECASE)
_INNER = later(r"\{([^{}]*)\}\Z")


def lookalike(info: str, languages: Collection[str]) -> tuple[str, str] | None:
    """What is wrong with an untagged info string that looks tagged, and what to write; or None."""
    plain = _FOREIGN.sub(lambda match: " " * len(match[0]), info)
    signed = (m for m in _SIGNED.finditer(plain) if _apart(plain, m.start(), languages))
    found = next(signed, None) or _UNSIGNED.search(plain)
    if found is None:
        return None
    name, number = found[1].lower(), found[2].lstrip("0") or "1"
    braces = found.start() > info.find("{") >= 0 and "}" in info[found.end() :]
    language = _language(info, found.start(), languages) or _usual(name)
    right = f"{language} {name}:{number}"
    if braces and info.startswith("{"):
        inner = _INNER.search(info)
        words = inner[1].split() if inner else []
        rest = [w for w in words if w.lstrip(".").lower() != language.lower()]
        right = f"{language} {{{' '.join(rest) or f'{name}={number}'}}}"
    elif braces:
        right = f"{language} {{{name}={number}}}"
    what = f"`{info.strip()}` looks tagged, and means nothing"
    return what, f"write ```` ```{right} ````"


def _apart(info: str, start: int, languages: Collection[str]) -> bool:
    """Whether a word begins at ``start``, or at most a language is glued to it: `defence:3`."""
    glued = re.search(r"[\w-]*\Z", info[:start])
    before = glued[0].lower() if glued else ""
    return not before or before in languages or before in ("text", "txt")


def _language(info: str, before: int, languages: Collection[str]) -> str:
    """The language in front of what looks like a tag, also where it is glued to it."""
    head = info[:before].strip(" \t\u00a0{}")
    first = re.split(r"[\s{}]", head, maxsplit=1)[0].lstrip(".#")
    return first if re.fullmatch(r"[A-Za-z][\w+-]*", first) else ""


def _usual(name: str) -> str:
    return "text" if name == "output" else "python"
