"""Process state around a chain: read before, compared and put back after, blamed on a fence.

Knows how probes and watches are used; what they look at is their own affair. Changes that an
installed package makes while it is imported are adopted; what torch changes on its own account
later is adopted or put back without blame; the rest is the chain's.
"""

from __future__ import annotations

import sys
import types

from fencerun.worker.guards import libraries, namespaces, python_state
from fencerun.worker.guards.internals import loaded
from fencerun.worker.guards.probe import (
    ABSENT,
    Probe,
    merged,
    reader,
    same,
    short,
    tags_reader,
)
from fencerun.worker.guards.watches import Watch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from fencerun.worker.guards.evidence import Evidence
    from fencerun.worker.guards.origin import Origins


class Change:
    """One difference that the end of a chain found. ``undone``: it was put back."""

    __slots__ = ("fence", "now", "undone", "was", "what", "words")

    def __init__(
        self, what: str, was: str, now: str, words: tuple[str, ...], undone: bool = True,
        fence: int | None = None,
    ) -> None:  # fmt: skip
        self.what = what
        self.was = was
        self.now = now
        self.words = words
        self.undone = undone
        #: The fence during which it changed; None: the chain's last.
        self.fence = fence


class State:
    """Every probe and watch that is active, with what they saw."""

    def __init__(self, origins: Origins) -> None:
        self._origins = origins
        self._probes: list[Probe] = []
        self._watches: list[Watch] = []
        self._began: list[Any] = []
        self._baseline: list[Any] = []
        self._last: list[Any] = []
        self._stamps: list[Any] = []
        self._changed_by: dict[object, int] = {}
        #: What the last chain's end read, where nothing had changed: good for steady probes, and
        #: for all of them where the next chain begins just as that one did.
        self._held: list[Any] | None = None
        self._place: object = None
        self._read: Callable[[list[Any] | None], list[Any]] | None = None
        #: What the version tags of all namespaces were when those were last known to be right.
        self._tags: list[int] | None = None
        self._tagged: list[Watch] = []
        self._read_tags: Callable[[], list[int]] = list
        self._untagged: list[Watch] = []
        #: Whether the last chain's end had to put something back, or the watches are new.
        self._is_dirty = True
        self._modules: tuple[int, str] | None = None
        self._waiting_items = list(libraries.BY_MODULE)
        self._waiting_names = namespaces.names()
        self._add(list(python_state.probes()))

    def begin(self, place: object = None, left_alone: bool = False) -> None:
        """Take the state as it is for the way it should be.

        ``place`` stands for all that the chain's own beginning changed; None for who knows what.
        ``left_alone`` says that nobody else changed anything since the last beginning.
        """
        modules = len(sys.modules), next(reversed(sys.modules))
        if modules != self._modules:
            self._modules = modules
            self.activate()
        if self._held is None or place is None or place != self._place:
            self._began = self._look(self._held)
        else:
            self._began = self._held
        self._place = place
        self._baseline, self._last = self._began[:], self._began[:]
        tags = self._read_tags()
        if self._is_dirty or not left_alone:
            for watch in self._watches if self._is_dirty else self._moved(tags):
                watch.begin()
        self._tags = tags
        self._stamps = []
        self._changed_by.clear()

    def _look(self, held: list[Any] | None = None) -> list[Any]:
        """The values of all probes; those of steady ones are taken from ``held``, if given."""
        if self._read is not None:
            try:
                return self._read(held)
            except Exception:
                self._read = None
        return [probe.look() for probe in self._probes]

    def _moved(self, tags: list[int]) -> list[Watch]:
        """The tagged watches that something was done to since ``_tags`` were read."""
        if self._tags is None:
            return self._tagged
        if tags == self._tags:
            return []
        return [w for w, now, was in zip(self._tagged, tags, self._tags) if now != was]  # noqa: B905

    def _add(self, items: list[Any]) -> None:
        for item in items:
            if isinstance(item, Probe):
                self._probes.append(item)
            else:
                self._watches.append(item)
        if items:
            self._held, self._tags, self._is_dirty = None, None, True
            self._read = reader(self._probes)
            self._tagged = [w for w in self._watches if w.cell is not None]
            self._read_tags = tags_reader([w.cell for w in self._tagged])
            self._untagged = [w for w in self._watches if w.cell is None]

    def activate(self) -> None:
        """Add the items of modules that were loaded since.

        Their state now is their baseline, but for those that know how they began.
        """
        probes, watches = len(self._probes), len(self._watches)
        for name in [name for name in self._waiting_items if name in sys.modules]:
            items = libraries.items(name)
            if items is not None:
                self._waiting_items.remove(name)
                self._add(items)
        for name in self._waiting_names[:]:
            module = loaded(name.partition(":")[0])
            if module is not None:
                self._waiting_names.remove(name)
                found = namespaces.watch(name, module)
                self._add([found] if found is not None else [])
        if len(self._baseline) == probes:
            new = [p.look() if p.first is ABSENT else p.first for p in self._probes[probes:]]
            self._began = [*self._began, *new]
            self._baseline, self._last = [*self._baseline, *new], [*self._last, *new]
        for watch in self._watches[watches:]:
            watch.begin()

    # Who changed what, in chains of several fences.

    def observe(self, fence: int) -> None:
        """Blame on ``fence`` what changed since the last observation."""
        now = self._look()
        for probe, before, after in zip(self._probes, self._last, now):  # noqa: B905
            if not same(before, after):
                self._changed_by[probe] = fence
        self._last = now
        stamps = [watch.stamp() for watch in self._watches]
        for watch, before, after in zip(self._watches, self._stamps, stamps):  # noqa: B905
            if before != after:
                self._changed_by[watch] = fence
        self._stamps = stamps

    # Imports.

    def before_import(self) -> tuple[list[Any], list[dict[Any, Any]]]:
        """What ``after_import`` compares with."""
        return (
            self._look(),
            [watch.differences() for watch in self._watches],
        )

    def after_import(self, token: tuple[list[Any], list[dict[Any, Any]]]) -> None:
        """Adopt what changed since ``before_import``."""
        befores, differences = token
        for place, before in enumerate(befores):
            after = self._probes[place].look()
            if not same(before, after):
                self._baseline[place] = merged(self._baseline[place], before, after)
                self._last[place] = merged(self._last[place], before, after)
        for watch, before in zip(self._watches, differences):  # noqa: B905
            for key in watch.differences():
                if key not in before:
                    watch.adopt(key)
        self._tags = None  # what was adopted is looked at once more
        self.activate()

    # The end of a chain.

    def left_alone(self) -> bool:
        """End a chain of harmless code; False if a namespace was touched: then nothing is ended."""
        if self._read_tags() != self._tags:
            return False
        self._held = self._began
        self._is_dirty = False
        return True

    def settle(self, evidence: Evidence) -> Iterator[Change]:
        """Put everything back; each difference that is the chain's doing."""
        now = self._look()
        if same(now, self._baseline):
            self._held = now
        else:
            self._held = None
            for place, probe in enumerate(self._probes):
                yield from self._settle_probe(probe, self._baseline[place], place, evidence)
        self._is_dirty = self._tags is None
        for watch in [*self._moved(self._read_tags()), *self._untagged]:
            if watch.differences():
                self._is_dirty = True
                for change in self._settle_watch(watch, evidence):
                    change.fence = self._changed_by.get(watch)
                    yield change

    def _settle_probe(
        self, probe: Probe, baseline: Any, place: int, evidence: Evidence
    ) -> Iterator[Change]:
        # Read again: putting one item back may have put this one back too.
        now = probe.look()
        # What an import added within `catch_warnings`, say, is gone again with it.
        if same(now, baseline) or same(now, self._began[place]):
            return
        if probe.once and not evidence.mentions(probe.words):
            return
        undone = probe.put_back(baseline)
        if undone and probe.quiet and not evidence.mentions(probe.words):
            return
        fence = self._changed_by.get(probe) if same(now, self._last[place]) else None
        if not (probe.by_key and isinstance(now, dict) and isinstance(baseline, dict)):
            yield Change(probe.name, short(baseline), short(now), probe.words, undone, fence)
            return
        for key in [*baseline, *(key for key in now if key not in baseline)]:
            was, became = baseline.get(key, ABSENT), now.get(key, ABSENT)
            text = key.decode("utf-8", "replace") if isinstance(key, bytes) else str(key)
            if same(was, became) or self._is_own_variable(probe, text, evidence):
                continue
            what = f"{probe.name} {text}"
            yield Change(what, _text(was), _text(became), (text, *probe.words), undone, fence)

    def _is_own_variable(self, probe: Probe, name: str, evidence: Evidence) -> bool:
        own = probe.name == "environment variable" and name.startswith(python_state.OWN_VARIABLES)
        return own and not evidence.mentions((name,))

    def _settle_watch(self, watch: Watch, evidence: Evidence) -> Iterator[Change]:
        for key, was in watch.differences().items():
            now = watch.current().get(key, ABSENT)
            if self._is_foreign(watch, key, now, evidence):
                watch.adopt(key)
                continue
            try:
                watch.put(key, was)
                undone = watch.holds(key, was)
            except Exception:
                undone = False
            words = (key, *watch.words) if isinstance(key, str) else watch.words
            yield Change(watch.label(key), short(was), short(now), words, undone)
        watch.settle()

    def _is_foreign(self, watch: Watch, key: Any, now: Any, evidence: Evidence) -> bool:
        """Whether installed code is to be believed to have made this change, for good."""
        if isinstance(now, types.ModuleType) and sys.modules.get(now.__name__) is now:
            return True  # a submodule was imported
        if watch.by_name:
            if now is ABSENT or key in evidence.stores:
                return False
            module = getattr(now, "__module__", None)
            installed = isinstance(module, str) and self._origins.is_installed_module(module)
            return installed or not callable(now)
        if watch.by_words:
            return bool(evidence.names) and not evidence.mentions((key, *watch.words))
        owners = [part for part in _flat(key, now) if isinstance(_module(part), str)]
        if owners:
            return all(self._origins.is_installed_module(_module(part)) for part in owners)
        return bool(evidence.names) and not evidence.mentions(watch.words)


def _flat(*things: Any) -> Iterator[Any]:
    for thing in things:
        if isinstance(thing, (tuple, list)):
            yield from _flat(*thing)
        else:
            yield thing


def _module(thing: Any) -> Any:
    # Of functions and classes; an instance has its class's.
    return getattr(thing, "__module__", None)


def _text(value: Any) -> str:
    return short(value.decode("utf-8", "replace") if isinstance(value, bytes) else value)
