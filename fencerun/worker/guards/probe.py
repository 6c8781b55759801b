"""One item of process state: how to read it, how to put it back, what to call it.

A probe is small and dumb. When it is read, and who is to blame for a change, is decided in
``state``.
"""

from __future__ import annotations

import contextlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

#: Read in place of a value that could not be read.
UNREADABLE = object()

#: Missing from a mapping.
ABSENT = object()


class Probe:
    """One item of process state.

    ``read`` gives a comparable value, never the live object; ``write`` puts such a value back
    (None: there is no way back). ``words`` are the names by which code changes the item, best
    first. A ``quiet`` item is one that torch changes on its own account: it is put back, and is
    nobody's leak unless the chain's code says one of its words. One that torch changes ``once`` a
    process, when it is first needed, is left alone instead: torch would not set it again. The
    value of an item ``by_key``
    is a dict, and each key is reported by itself. A ``steady`` item is never changed between two
    chains, so the second need not read it again. ``first`` is what it was when its module was
    loaded, where that is known: by the time of the first look a fence may have changed it.
    """

    __slots__ = (
        "by_key", "first", "name", "once", "place", "quiet", "read", "steady", "words", "write",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        read: Callable[[], Any],
        write: Callable[[Any], object] | None,
        *words: str,
        quiet: bool = False,
        by_key: bool = False,
        steady: bool = False,
        once: bool = False,
        first: Any = ABSENT,
    ) -> None:
        self.name = name
        self.read = read
        self.write = write
        self.words = words
        self.quiet = quiet
        self.by_key = by_key
        self.steady = steady
        self.once = once
        self.first = first
        #: The object and attribute that ``read`` reads, where it does just that.
        self.place: tuple[Any, str] | None = None

    def look(self) -> Any:
        """The value now, or UNREADABLE."""
        try:
            return self.read()
        except Exception:
            return UNREADABLE

    def put_back(self, value: Any) -> bool:
        """Restore ``value``; whether it is there again."""
        if self.write is None or value is UNREADABLE:
            return False
        # A setter may raise after it did its work; what counts is what is read then.
        with contextlib.suppress(Exception):
            self.write(value)
        return same(self.look(), value)


def pair(owner: Any, name: str, get: str, put: str, *words: str) -> list[Probe]:
    """A probe made of a getter and a setter of ``owner``; none if it lacks either."""
    read, write = getattr(owner, get, None), getattr(owner, put, None)
    return [] if read is None or write is None else [Probe(name, read, write, put, *words)]


def attribute(owner: Any, name: str, field: str, *words: str, quiet: bool = False) -> list[Probe]:
    """A probe of an attribute that is rebound, not mutated; none if ``owner`` lacks it."""
    if not hasattr(owner, field):
        return []
    found = Probe(
        name,
        lambda: getattr(owner, field),
        lambda value: setattr(owner, field, value),
        field,
        *words,
        quiet=quiet,
    )
    found.place = owner, field
    return [found]


def reader(probes: list[Probe]) -> Callable[[list[Any] | None], list[Any]]:
    """One function that reads all probes, in half the time of asking each.

    Its argument are the values of an earlier reading, taken over for steady probes, or None. It
    raises whatever reading one of them raises.
    """
    names: dict[str, Any] = {}
    parts = []
    for at, probe in enumerate(probes):
        place = probe.place
        if place is not None and place[1].isidentifier() and hasattr(*place):
            names[f"_{at}"] = place[0]
            parts.append(f"_{at}.{place[1]}")
        else:
            # One that can't be read now would make every reading fail.
            names[f"_{at}"] = probe.look if probe.look() is UNREADABLE else probe.read
            parts.append(f"_{at}() if held is None else held[{at}]" if probe.steady else f"_{at}()")
    found: Callable[[list[Any] | None], list[Any]] = eval(
        f"lambda held: [{', '.join(parts)}]", names
    )
    return found


def tags_reader(cells: list[Any]) -> Callable[[], list[int]]:
    """One function that reads all version tags."""
    names = {f"_{at}": cell for at, cell in enumerate(cells)}
    found: Callable[[], list[int]] = eval(
        f"lambda: [{', '.join(f'{name}.value' for name in names)}]", names
    )
    return found


def sequence(owner: Any, name: str, field: str, *words: str) -> list[Probe]:
    """A probe of a list in an attribute: put back in place, the same list object."""
    live = getattr(owner, field, None)
    if not isinstance(live, list):
        return []

    def write(value: list[Any]) -> None:
        live[:] = value
        setattr(owner, field, live)

    return [Probe(name, lambda: list(getattr(owner, field)), write, field, *words)]


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal, as far as they let themselves be compared."""
    if one is other:
        return True
    try:
        return bool(one == other)
    except Exception:
        return False


def merged(baseline: Any, before: Any, after: Any) -> Any:
    """``baseline`` with what went from ``before`` to ``after`` adopted into it."""
    if same(baseline, before):
        return after
    if isinstance(baseline, dict) and isinstance(before, dict) and isinstance(after, dict):
        changed = {k: v for k, v in after.items() if not same(before.get(k, ABSENT), v)}
        return {**baseline, **changed}
    if isinstance(baseline, list) and isinstance(before, list) and isinstance(after, list):
        return [item for item in after if item not in before] + baseline
    return baseline


def short(value: Any, limit: int = 80) -> str:
    """A repr for a report: one line, cut, and never an error."""
    if value is ABSENT:
        return ""
    if value is UNREADABLE:
        return "(unreadable)"
    try:
        text = repr(value)
    except Exception as error:
        text = f"<{type(value).__name__}: repr raised {type(error).__name__}>"
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 1] + "…"
