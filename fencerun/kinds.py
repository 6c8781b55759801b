"""What fences of each language may carry, and what is wrong with one that carries more. Pure.

Works on one fence; knows nothing of the rest of its page.
"""

from __future__ import annotations

from collections.abc import Iterator

from fencerun.page import Fence
from fencerun.transcript import SHOWN

#: The languages whose fences end with an exit status.
SHELLS = frozenset({"bash", "sh", "console"})
#: The languages whose fences share the names of a chain.
PYTHONS = frozenset({"python", "pycon"})

_NOT_ON_TRANSCRIPTS = (("raises", "raises"), ("as_", "as"), ("figure", "figure"), ("echo", "echo"))


def faults(fence: Fence) -> Iterator[tuple[int, str, str]]:
    """Page line, from 1, of each fault, what it is, and the remedy."""
    number, line, tags = fence.number, fence.line, fence.tags
    if tags.exit is not None and fence.language not in SHELLS:
        yield line, f"`exit:` on fence {number}, which is no shell", "write `raises:SystemExit`"
    if tags.raises and fence.language in SHELLS and fence.transcript is None:
        yield line, f"`raises:` on fence {number}, which is a shell's", "write `exit:1`, say"
    if tags.hidden and fence.block.markup != "<!--":
        yield (
            line,
            f"fence {number} says `hidden`, and readers see it",
            (f"write `<!-- fence:{number} hidden`, the code below, and `-->` alone on a line"),
        )
    if tags.as_ and tags.figure:
        what = f"fence {number} says `as:` and `figure:`"
        yield line, what, "print the table in a fence of its own"
    if tags.figure and fence.language not in PYTHONS:
        yield line, f"`figure:` on fence {number}, which is no Python", "delete it"
    if fence.transcript is None:
        for name, _ in fence.block.info.provenance:
            yield line, f"`{name}` on a fence", f"it belongs on `output:{number}`"
        return
    for field, name in _NOT_ON_TRANSCRIPTS:
        if getattr(tags, field, None):
            remedy = "delete it: the block shows what is printed and raised"
            yield line, f"`{name}` on fence {number}, which is a transcript", remedy
    prompt = SHOWN[fence.language]
    if fence.transcript.above:
        what = f"fence {number} has text above its first prompt: {fence.transcript.above[0]!r}"
        yield line, what, f"begin what is typed with `{prompt}`"
    elif not fence.transcript.turns:
        yield line, f"fence {number} has no prompt", f"begin what is typed with `{prompt}`"
