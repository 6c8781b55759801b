"""Namespaces and registries: containers whose entries code adds, replaces or removes.

A watch keeps a copy of a live dict, set or list and compares entry by entry, by identity; a
version tag makes the common case, no change, cost nothing. Who is to blame is decided in
``state``.
"""

from __future__ import annotations

from fencerun.worker.guards.internals import version_cell
from fencerun.worker.guards.probe import ABSENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


class Watch:
    """A mapping that is compared entry by entry. Subclasses say how to read and write it."""

    #: What a report calls it; ``words`` are the names by which code changes it.
    name: str
    words: tuple[str, ...] = ()
    #: Whether code that never says an entry's name is believed not to have changed it.
    by_name = False
    #: Whether code that says neither an entry's name nor one of the words is believed likewise.
    by_words = False
    #: What holds a number that differs after each change, where there is such a thing.
    cell: Any = None
    #: Entries that may change as they like.
    ignored: frozenset[str] = frozenset()

    def __init__(self, name: str, *words: str) -> None:
        self.name = name
        self.words = words
        self.baseline: dict[Any, Any] = {}
        self._seen: Any = ABSENT

    def current(self) -> Mapping[Any, Any]:
        """The entries now; may be the live dict, and is not changed."""
        raise NotImplementedError

    def stamp(self) -> Any:
        """A value that differs after a change."""
        raise NotImplementedError

    def put(self, key: Any, value: Any) -> None:
        """Make ``key`` lead to ``value`` again, or go if that is ABSENT."""
        raise NotImplementedError

    def holds(self, key: Any, value: Any) -> bool:
        """Whether ``key`` leads to ``value`` now."""
        return self.current().get(key, ABSENT) is value

    def label(self, key: Any) -> str:
        """What a report calls an entry."""
        return f"{self.name}: {key if isinstance(key, str) else _called(key)}"

    def begin(self) -> None:
        """Take the entries as they are for the way they should be."""
        stamp = self.stamp()
        if stamp is None:
            if not self._is_unchanged():
                self.baseline = dict(self.current())
        elif stamp != self._seen:
            self.baseline = dict(self.current())
        self._seen = stamp

    def _is_unchanged(self) -> bool:
        try:
            return bool(self.current() == self.baseline)  # C speed, identity is looked at first
        except Exception:  # values that refuse comparison, such as arrays
            return False

    def differences(self) -> dict[Any, Any]:
        """What each changed key led to at the beginning (ABSENT: nothing)."""
        stamp = self.stamp()
        if stamp is not None and stamp == self._seen:
            return {}
        if self._is_unchanged():
            return {}
        now, before = self.current(), self.baseline
        keys = [key for key, value in now.items() if before.get(key, ABSENT) is not value]
        keys += [key for key in before if key not in now]
        return {key: before.get(key, ABSENT) for key in keys if key not in self.ignored}

    def adopt(self, key: Any) -> None:
        """Take an entry as it is now for the way it should be."""
        value = self.current().get(key, ABSENT)
        if value is ABSENT:
            self.baseline.pop(key, None)
        else:
            self.baseline[key] = value

    def settle(self) -> None:
        """All differences are dealt with."""
        self._seen = self.stamp()


class NamespaceWatch(Watch):
    """The attributes of a module or class: catches what is patched into it."""

    by_name = True

    def __init__(self, name: str, owner: Any, ignored: frozenset[str] = frozenset()) -> None:
        super().__init__(name)
        self._owner = owner
        self.ignored = ignored
        self.cell = version_cell(vars(owner))

    def current(self) -> Mapping[Any, Any]:
        found: Mapping[Any, Any] = vars(self._owner)
        return found

    def stamp(self) -> Any:
        return None if self.cell is None else self.cell.value

    def put(self, key: Any, value: Any) -> None:
        if value is ABSENT:
            delattr(self._owner, key)
        else:
            setattr(self._owner, key, value)

    def label(self, key: Any) -> str:
        return f"{self.name}.{key}"


class RegistryWatch(Watch):
    """A dict, set or list that things are registered in; compared when its length changes."""

    def __init__(self, name: str, get: Callable[[], Any], *words: str) -> None:
        super().__init__(name, *words)
        self._get = get

    def current(self) -> Mapping[Any, Any]:
        live = self._get()
        if isinstance(live, dict):
            return live
        if isinstance(live, (set, frozenset)):
            return dict.fromkeys(live, True)
        # Entries of a list are told apart by identity; each is kept alive by the copy.
        return {id(item): item for item in live or ()}

    def stamp(self) -> Any:
        live = self._get()
        return (id(live), len(live)) if live is not None else (0, 0)

    def put(self, key: Any, value: Any) -> None:
        live = self._get()
        if isinstance(live, dict):
            if value is ABSENT:
                live.pop(key, None)
            else:
                live[key] = value
        elif isinstance(live, set):
            (live.discard if value is ABSENT else live.add)(key)
        elif isinstance(live, list):
            if value is ABSENT:
                live[:] = [item for item in live if id(item) != key]
            else:
                live.append(value)


class SmallRegistryWatch(RegistryWatch):
    """A registry of a few entries that are also replaced, which its length does not tell."""

    def stamp(self) -> Any:
        """There is none: entries are compared."""
        return None


def _called(thing: object) -> str:
    for name in ("__qualname__", "__name__"):
        found = getattr(thing, name, None)
        if isinstance(found, str):
            return found
    text = " ".join(repr(thing).split())
    return text[:60]
