"""How a fence and a lesson look from outside: views of the live core as what browsers get. Pure,
but for the clock that running fences are measured by."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import replace
from typing import Any

from fencerun.live import FenceView, PageView
from fencerun.page import Fence, Page
from fencerun.rendering import Decoration, FenceState, decoration, panel
from fencerun.reporters import wording
from fencerun.serve import pictures, shell
from fencerun.serve.state import Line

#: States of fences, the gravest first. ``rendering`` says what each means.
_GRAVEST = ("running", "waiting", "error", "outdated", "stale", "warning", "note", "ok", "unknown")


def signature(view: FenceView) -> tuple[Any, ...]:
    """Equal for two views that look the same."""
    # A verdict's page lines move with the page, and its panel shows them.
    facts = view.before, view.stale, view.held, view.queued, view.running_since
    return (view.line, view.verdict, *facts)


def state(view: FenceView, fence: Fence | None) -> FenceState:
    """What is known of a fence, for its badge and panel."""
    running = None if view.running_since is None else time.monotonic() - view.running_since
    recording = fence.recording if fence is not None else None
    return FenceState(view.verdict, running, view.queued, (recording and recording.on) or "")


def decorated(view: FenceView | None, fence: Fence) -> Decoration:
    """A fence's badge, panel and buttons."""
    actions = shell.actions(fence.number)
    return Decoration(actions=actions) if view is None else _decoration(view, fence, actions)


def _decoration(view: FenceView, fence: Fence | None, actions: str = "") -> Decoration:
    shown = state(view, fence)
    made, on = decoration(shown, actions), shown.on
    figures = pictures.drawn(view.verdict)
    if figures:
        made = replace(made, panel=made.panel + figures)
    if view.queued or view.running_since is not None:
        return made
    if view.held:
        took = f"took {wording.duration(view.seconds)}" if view.seconds else "takes long"
        return replace(made, state="stale", badge=panel.label("stale", "held back", took))
    if view.stale:
        said = "changed since it ran" if view.verdict or view.before else "not run yet"
        return replace(made, state="stale", badge=panel.label("stale", "stale", said))
    if view.verdict is None and (view.before is not None or on):
        said = view.before or "recorded"
        return replace(
            made, badge=panel.label("unknown", said, panel.origin(on) or "an earlier run")
        )
    return made


def message(view: FenceView, page: Page) -> dict[str, Any]:
    """What a browser needs to show a fence whose state changed."""
    fence = page.fence(view.number)
    made = _decoration(view, fence)
    running = view.running_since
    return {
        "number": view.number,
        "state": made.state,
        "badge": made.badge,
        "panel": made.panel,
        "running": None if running is None else time.monotonic() - running,
    }


def line(view: PageView, name: str, title: str) -> Line:
    """A lesson in the list."""
    counts = Counter(_word(fence) for fence in view.fences)
    gravest = next((word for word in _GRAVEST if counts[word]), "empty")
    return Line(
        name,
        title,
        "problem" if view.broken else gravest,
        len(view.fences),
        tuple(sorted(counts.items())),
    )


def _word(view: FenceView) -> str:
    return _decoration(view, None).state
