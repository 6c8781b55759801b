"""The table of fencerun in a ``pyproject.toml``: added at its end, every other byte kept. Pure."""

from __future__ import annotations

from typing import Any

from fencerun import tomltext

_TABLE = '[tool.fencerun]\npaths = ["lessons"]\n'


class Unfit(ValueError):
    """A file that the table cannot be added to. The argument says why."""


def with_table(text: bytes) -> bytes:
    """The file with ``[tool.fencerun]`` at its end, in the file's own line endings.

    Raises Unfit where it is no TOML, or has such a table, or would mean something else with it.
    """
    before = _parsed(text)
    tool = before.get("tool", {})
    if isinstance(tool, dict) and "fencerun" in tool:
        raise Unfit("it has a table [tool.fencerun] already")
    end = b"\r\n" if b"\r\n" in text else b"\n"
    table = _TABLE.encode().replace(b"\n", end)
    if not text.strip(b"\xef\xbb\xbf"):
        added = text + table
    else:
        added = text + (b"" if text.endswith(b"\n") else end) + end + table
    try:
        after = _parsed(added)
        own = after["tool"].pop("fencerun")
    except (Unfit, KeyError, AttributeError, TypeError):
        raise Unfit("a table [tool.fencerun] cannot be added at its end") from None
    same = after == before or (not after["tool"] and {**before, "tool": {}} == after)
    if not same or own != {"paths": ["lessons"]}:
        raise Unfit("a table [tool.fencerun] cannot be added at its end")
    return added


def _parsed(text: bytes) -> dict[str, Any]:
    try:
        return tomltext.parse(text)
    except ValueError as error:
        raise Unfit(f"it is no TOML: {error}") from None
