"""Recordings as the outputs of notebook cells: plain dictionaries in nbformat's form. Pure."""

from __future__ import annotations

from typing import Any

from fencerun import figures
from fencerun.export.sheet import Read
from fencerun.members import Member
from fencerun.page import Fence
from fencerun.patterns import later
from fencerun.tags import Raises

Output = dict[str, Any]

_RAISED = later(r"[A-Za-z_][\w.]*(?:: |\Z)")


def of(member: Member, read: Read) -> list[Output]:
    """What the page says that a fence printed; ``read`` gives the files of its figures."""
    fence = member.fence
    if fence.recording is None:
        return []
    text = fence.recording.text
    if fence.recording.region and fence.tags.figure:
        return _figures(fence, read)
    if fence.recording.region:
        return [_shown({"text/markdown": "\n".join(text)})] if text else []
    if member.tags.raises is not None:
        return _raised(text, member.tags.raises)
    return stream(text)


def stream(lines: tuple[str, ...]) -> list[Output]:
    """Printed lines."""
    if not lines:
        return []
    return [{"output_type": "stream", "name": "stdout", "text": "\n".join(lines) + "\n"}]


def result(lines: tuple[str, ...]) -> list[Output]:
    """The value of a last expression."""
    if not lines:
        return []
    data = {"text/plain": "\n".join(lines)}
    return [{"output_type": "execute_result", "execution_count": None, "metadata": {},
             "data": data}]  # fmt: skip


def error(lines: tuple[str, ...]) -> list[Output]:
    """An exception, as ``TYPE: message``."""
    name, _, value = "\n".join(lines).partition(": ")
    return [{"output_type": "error", "ename": name, "evalue": value, "traceback": list(lines)}]


def _raised(text: tuple[str, ...], raises: Raises) -> list[Output]:
    """What was printed, and the exception that a recording ends with."""
    bare = raises.type.rpartition(".")[2]
    for wanted in (bare, None):
        for at in range(len(text) - 1, -1, -1):
            match = _RAISED.match(text[at])
            if match is None:
                continue
            said = match[0].removesuffix(": ").rpartition(".")[2]
            if wanted is None or said == wanted:
                return stream(text[:at]) + error(text[at:])
    return stream(text)


def _figures(fence: Fence, read: Read) -> list[Output]:
    shown = figures.read(fence.recording.text if fence.recording else ())
    made = stream(shown.text)
    for path, line in shown.images:
        data = read(path)
        if data is None:
            made.append(_shown({"text/markdown": line}))
        else:
            made.append(_shown({"image/svg+xml": data.decode("utf-8", "replace")}))
    return made


def _shown(data: dict[str, str]) -> Output:
    return {"output_type": "display_data", "metadata": {}, "data": data}
