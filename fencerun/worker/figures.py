"""The matplotlib figures that a fence leaves open, as SVG text, the same on every machine.

Never imports matplotlib: where a fence has not, it has drawn nothing. Knows nothing of files.
"""

from __future__ import annotations

import io
import sys

from fencerun.worker import tracebacks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from fencerun.worker.namespace import Script

#: Characters that the figures of one fence may have together. Lessons show drawings of some
#: 100,000; a scatter plot of a million points belongs into a bitmap.
LIMIT = 8 << 20

# Text stays text: outlines of glyphs come from FreeType, and differ between its versions in
# their last digits. As text it can also be compared exactly, searched, and read aloud. Sizes
# are measured in the font that matplotlib brings along, so that the layout is the same anywhere.
# Identifiers are hashes with this salt, else random.
_SETTINGS = {
    "svg.fonttype": "none",
    "svg.hashsalt": "fencerun",
    "svg.id": None,
    "svg.image_inline": True,
}


class NoFigure(Exception):
    """No figure is open, or those that are cannot be shown; the message says why."""


def save(script: Script, name: str, *, needed: bool) -> tuple[list[str], dict[str, Any] | None]:
    """The open figures of pyplot, in the order of their numbers, and close them.

    Beside them the failure, or None: where none is open although ``needed``, where drawing one
    raises, and where they are too large. ``name`` is that of the tag, for messages.
    KeyboardInterrupt is raised on.
    """
    try:
        found = script.context.run(_save)
        if not found and needed:
            raise NoFigure(_why_none(name))
        size = sum(map(len, found))
        if size > LIMIT:
            what = f"`figure:{name}`: {size:,} characters of SVG, and {LIMIT:,} are allowed"
            raise NoFigure(f"{what} (draw with `rasterized=True`)")
    except KeyboardInterrupt:
        raise
    except NoFigure as error:
        return [], {"kind": "exception", "summary": str(error), "message": str(error)}
    except BaseException as error:
        failure = dict(tracebacks.describe(error, script.files))
        failure["summary"] = f"`figure:{name}` cannot be drawn: {failure['summary']}"
        return [], failure
    return found, None


def close() -> None:
    """Close what is still open: the next chain starts without figures."""
    pyplot: Any = sys.modules.get("matplotlib.pyplot")
    # A fence may have put anything there.
    numbers = getattr(pyplot, "get_fignums", None)
    if numbers is not None and numbers():
        pyplot.close("all")


def _save() -> list[str]:
    pyplot: Any = sys.modules.get("matplotlib.pyplot")
    matplotlib: Any = sys.modules.get("matplotlib")
    if pyplot is None or matplotlib is None:
        return []
    known = {key: value for key, value in _SETTINGS.items() if key in matplotlib.rcParams}
    found = []
    try:
        with matplotlib.rc_context(known):
            for number in pyplot.get_fignums():
                stream = io.StringIO()
                no_metadata = {"Date": None, "Creator": None}
                pyplot.figure(number).savefig(stream, format="svg", metadata=no_metadata)
                found.append(stream.getvalue())
    finally:
        pyplot.close("all")
    return found


def _why_none(name: str) -> str:
    if "matplotlib" not in sys.modules:
        from importlib.util import find_spec

        try:
            there = find_spec("matplotlib") is not None
        except (ImportError, ValueError):
            there = False
        if not there:
            return f"`figure:{name}`, and matplotlib is not installed for {sys.executable}"
    return f"`figure:{name}`, and no figure of matplotlib.pyplot is open when the fence ends"
