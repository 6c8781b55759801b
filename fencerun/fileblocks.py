"""Files that pages have for their fences: whether two can lie in one directory. Pure."""

from __future__ import annotations


def clash(path: str, other: str) -> str | None:
    """Why two files cannot both be there, on any system; None when they can."""
    one, two = path.casefold(), other.casefold()
    if path == other:
        return f"`file:{path}` stands twice"
    if one == two:
        return f"`file:{path}` and `file:{other}` are one file on some systems"
    if one.startswith(f"{two}/") or two.startswith(f"{one}/"):
        return f"`file:{path}` and `file:{other}`: one would be a file and a directory"
    return None
