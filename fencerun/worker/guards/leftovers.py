"""Things that a chain leaves lying about: modules and open file descriptors.

Unlike a setting, each of them is found by name, not by comparing a value.
"""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import types

from fencerun.worker.capture import keep_high
from fencerun.worker.guards.internals import version_tag
from fencerun.worker.guards.probe import ABSENT, short

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from fencerun.worker.guards.origin import Origins

    #: what, was, now, words, whether it was undone
    Found = tuple[str, str, str, tuple[str, ...], bool]


#: Modules that the import system or the interpreter itself works with. What they were to it while
#: they were gone, nobody knows.
_CORE = frozenset(
    ("sys", "builtins", "_frozen_importlib", "_frozen_importlib_external", "_imp", "_thread",
     "_weakref", "_io", "io", "marshal", "_warnings", "codecs", "encodings", "abc", "os")
)  # fmt: skip

#: So many removed modules are named one by one.
_FEW = 5


class ModulesWatch:
    """``sys.modules``: what was there must be there again; stubs must go.

    Modules that a chain imports from its page's directory are the worker's loop's.
    """

    _WORDS = ("modules", "reload", "setitem")

    def __init__(self, origins: Origins) -> None:
        self._origins = origins
        self._live = sys.modules
        self._tag = version_tag(sys.modules)
        self._seen: int | None = None
        self._baseline: dict[str, Any] = {}
        self._mended: list[Found] = []

    def begin(self) -> None:
        """Remember what is loaded."""
        self._mended = []
        if not self._is_changed():
            return
        # Mostly it is another chain's main module alone. A new copy would be visited by the
        # next garbage collection, at six times the price of comparing with the old one.
        if "__main__" in sys.modules:
            self._baseline["__main__"] = sys.modules["__main__"]
        if self._tag is None or not _are_same(sys.modules, self._baseline):
            self._baseline = sys.modules.copy()
        self._seen = self._tag() if self._tag is not None else None

    def put_main(self, module: Any) -> None:
        """Make ``module`` (None: nothing) the main one: the loop's own doing, and no change.

        With torch there are two thousand others, which `begin` then need not compare.
        """
        known = self._tag is not None and self._tag() == self._seen
        if module is None:
            sys.modules.pop("__main__", None)
            self._baseline.pop("__main__", None)
        else:
            sys.modules["__main__"] = module
            self._baseline["__main__"] = module
        if known and self._tag is not None:
            self._seen = self._tag()

    def is_unchanged(self) -> bool:
        """Whether no module came, went or was replaced, where that shows at no price."""
        return self._tag is not None and self._live is sys.modules and not self._is_changed()

    def _is_changed(self) -> bool:
        if self._tag is not None:
            return self._tag() != self._seen
        return sys.modules != self._baseline

    def mend(self) -> None:
        """Put back what was removed, before any code of ours needs it; `settle` names it."""
        live = self._live
        if sys.modules is not live:
            self._mended.append(("sys.modules", "", short(sys.modules), self._WORDS, True))
            sys.modules = live
        if not self._is_changed():
            return
        gone = [name for name in self._baseline if name not in live and name != "__main__"]
        wrecked = not _CORE.isdisjoint(gone)
        for name in self._baseline if wrecked else gone:
            # Of a wreck, also what was imported a second time since.
            if name != "__main__":
                live[name] = self._baseline[name]
        if len(gone) > _FEW:
            what = f"{len(gone)} modules removed from sys.modules"
            self._mended.append((what, "", "", self._WORDS, not wrecked))
            return
        for name in gone:
            was = short(self._baseline[name])
            self._mended.append((f"sys.modules[{name!r}]", was, "", self._WORDS, not wrecked))

    def adopt(self) -> None:
        """An import of an installed module is over: what it added belongs there."""
        if self._is_changed():
            self._baseline = {**sys.modules, **self._baseline}

    def settle(self, mentions: Callable[[tuple[str, ...]], bool]) -> Iterator[Found]:
        """Put back what was replaced or deleted, remove stubs, name both.

        ``mentions`` tells whether the chain's code says a name: a module of an installed package
        that it doesn't was replaced by the package itself (Inductor reloads what it generates).
        """
        self.mend()
        yield from self._mended
        if not self._is_changed():
            return
        now = sys.modules
        for name, module in self._baseline.items():
            found = now.get(name, ABSENT)
            if found is module or name == "__main__":
                continue
            named = found is ABSENT or mentions((name,))
            # Generated code lies in a cache, under a name of the package that generated it.
            if named or not self._origins.is_installed_module(name.partition(".")[0]):
                now[name] = module
                yield f"sys.modules[{name!r}]", short(module), short(found), self._WORDS, True
        for name in [name for name in now if name not in self._baseline]:
            if self._is_stub(name, now[name]):
                stub = now.pop(name)
                yield f"sys.modules[{name!r}]", "", short(stub), self._WORDS, True

    def _is_stub(self, name: str, module: Any) -> bool:
        # What C code and generated code put there has a dot in its name, a spec or a file.
        bare = getattr(module, "__spec__", None) is None and not hasattr(module, "__file__")
        return type(module) is types.ModuleType and bare and "." not in name


def _are_same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    try:
        return one == other
    except Exception:  # what stands for a module may refuse to be compared
        return False


class DescriptorsWatch:
    """Open file descriptors that no Python object will close."""

    _DIRECTORIES = ("/proc/self/fd", "/dev/fd")
    #: What code says that opens one, by what it leads to. Others belong to native libraries
    #: (drivers, a runtime's own threads), and closing those would break them.
    _WORDS = (
        ("pipe:", ("pipe", "pipe2", "Pipe")),
        ("socket:", ("socket", "socketpair", "create_connection", "detach", "accept")),
        ("anon_inode:", ("eventfd", "epoll", "pidfd_open", "timerfd_create", "inotify_init")),
        ("/memfd:", ("memfd_create",)),
        ("/dev/pts/", ("openpty", "open", "dup", "dup2")),
        ("/dev/nvidia", ()),
        ("/dev/dri", ()),
        ("/dev/kfd", ()),
        ("/dev/infiniband", ()),
        ("/", ("open", "dup", "dup2", "detach", "mkstemp", "TemporaryFile")),
    )

    def __init__(self) -> None:
        self._directory = next((d for d in self._DIRECTORIES if os.path.isdir(d)), None)
        self._baseline: frozenset[str] = frozenset()
        self._seen: tuple[int, int] | None = None
        #: Whether the last chain's end saw what its beginning saw: then the next need not look.
        self._settled = False
        #: The listing of this process, kept open; a fork has to open its own.
        self._listing = -1

    def close(self) -> None:
        """Give up what is kept open."""
        if self._listing >= 0:
            os.close(self._listing)
            self._listing = -1

    def begin(self) -> None:
        """Remember what is open."""
        if self._settled:
            return
        if self._listing < 0:
            with contextlib.suppress(OSError):
                self._listing = keep_high(os.open("/proc/self/fd", os.O_RDONLY))
        stamp = self._stamp()
        if stamp is None or stamp != self._seen:
            self._baseline = self.opened()
            self._seen = self._stamp()

    def _stamp(self) -> tuple[int, int] | None:
        """How many are open, and the lowest that is free: a sixth of a listing's time.

        None where the system doesn't say (Linux does from 6.2 on).
        """
        try:
            count = os.fstat(self._listing).st_size
            lowest = os.dup(1)
        except OSError:
            return None
        os.close(lowest)
        return (count, lowest) if count else None

    def opened(self) -> frozenset[str]:
        """The open descriptors, as the system lists them."""
        if self._directory is None:
            return frozenset()
        names = os.listdir(self._directory)
        # The listing itself had a descriptor, the lowest free one, as the next one to be made.
        with contextlib.suppress(OSError, ValueError):
            lowest = os.open(os.devnull, os.O_RDONLY)
            os.close(lowest)
            names.remove(str(lowest))
        return frozenset(names)

    def adopt(self, before: frozenset[str]) -> None:
        """An import of an installed module is over: what it opened belongs there."""
        self._baseline |= self.opened() - before
        self._seen = self._stamp()

    def settle(self, mentions: Callable[[tuple[str, ...]], bool]) -> Iterator[Found]:
        """Close and name each new descriptor that nothing else is going to close."""
        stamp = self._stamp()
        self._settled = stamp is not None and stamp == self._seen
        if self._settled:
            return
        self._seen = None
        now = self.opened()
        if now <= self._baseline:
            return
        found = {int(name): self._target(name) for name in now - self._baseline}
        new = {number: target for number, target in found.items() if target is not None}
        if new:
            for number in _owned_descriptors():
                new.pop(number, None)
        for number, target in sorted(new.items()):
            words = next((words for start, words in self._WORDS if target.startswith(start)), ())
            if mentions(words) or (mentions(("dup", "fcntl")) and words):
                os.close(number)
                yield f"file descriptor {number}", "", target, words, True

    def _target(self, name: str) -> str | None:
        try:
            return os.readlink(f"{self._directory}/{name}")
        except OSError:
            return None


def _owned_descriptors() -> Iterator[int]:
    """The descriptors of live Python objects: those close them when they go."""
    for thing in gc.get_objects():
        # By type, not by looking: an attribute of an arbitrary object may run code.
        kind = type(thing)
        if kind.__module__ in _FILE_MODULES and hasattr(kind, "fileno"):
            try:
                yield thing.fileno()
            except (OSError, ValueError, TypeError, AttributeError):
                continue
    tracker = sys.modules.get("multiprocessing.resource_tracker")
    number = getattr(getattr(tracker, "_resource_tracker", None), "_fd", None)
    if number is not None:
        yield number
    server = getattr(sys.modules.get("multiprocessing.forkserver"), "_forkserver", None)
    for name in ("_forkserver_fd", "_forkserver_alive_fd"):
        number = getattr(server, name, None)
        if number is not None:
            yield number


_FILE_MODULES = frozenset(
    ("_io", "io", "socket", "_socket", "select", "multiprocessing.connection", "tempfile")
)
