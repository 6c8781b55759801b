"""Native libraries that a fence loads, and the operators that they register.

What a library registers while it is loaded (``TORCH_LIBRARY`` in C++) can't be undone: the
library stays in the process. It is named and policed like any other registration, and the
process is unfit for further chains.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fencerun.worker.guards.internals import TorchTables

#: Words by which a fence loads a library, most telling first.
WORDS = ("load_inline", "load_library", "load", "CDLL", "import_module", "LoadLibrary")

#: Names of the initialisers that torch's macros make; they are in the symbol table of any
#: library that wasn't stripped. A number at the end keeps fragments and kernels apart.
_INITIALISERS = re.compile(
    rb"\d+TORCH_LIBRARY_(?:(FRAGMENT|IMPL)_)?init_([A-Za-z_]\w*?)E?RN5torch7LibraryE\0"
)

#: What a library that registers operators refers to, stripped or not: torch's class for it, or
#: the functions of its stable interface. Drivers and the like have neither.
_REGISTRARS = (b"5torch7Library", b"aoti_torch_library_init")

#: Compiled code that torch and triton make themselves registers nothing of a fence's.
_GENERATED = ("torchinductor_", "/inductor/", "/.triton/", "triton_cache")


class Loaded:
    """One registration found in a newly loaded library."""

    __slots__ = ("key", "library", "name", "namespace")

    def __init__(self, library: str, namespace: str, name: str = "", key: str = "") -> None:
        self.library = library
        self.namespace = namespace
        self.name = name
        self.key = key


class NativeWatch:
    """Notices that a library was loaded, at the price of one system call a fence."""

    def __init__(
        self,
        counter: Callable[[], int] | None,
        names: Callable[[], list[str]],
        is_installed: Callable[[str], bool],
    ) -> None:
        """``counter`` changes with each load; ``names`` lists the libraries in the process."""
        self._counter = counter
        self._names = names
        self._is_installed = is_installed
        self._seen = counter() if counter is not None else 0
        self._known: set[str] | None = None
        self._operators: set[str] | None = None
        #: Whether the last look found nothing new.
        self._settled = False

    def begin(self, tables: TorchTables | None, undisturbed: bool = False) -> None:
        """Take stock of libraries and operators; cheap unless one was loaded since.

        ``undisturbed`` says that nothing ran since the last look.
        """
        known = self._known is not None and (self._operators is not None or tables is None)
        if self._counter is None or (undisturbed and known and self._settled):
            return
        stamp = self._counter()
        if self._known is None or stamp != self._seen:
            self._known, self._seen = set(self._names()), stamp
            self._operators = None
        if self._operators is None and tables is not None:
            self._operators = set(tables.operator_names())

    def settle(self, tables: TorchTables | None, known: set[str]) -> Iterator[Loaded]:
        """What libraries that were loaded since registered; ``known`` are other new operators."""
        if self._counter is None:
            return
        stamp = self._counter()
        self._settled = stamp == self._seen
        if self._settled:
            return
        before, operators = self._known or set(), self._operators
        self._seen, self._known = stamp, set(self._names())
        foreign = [name for name in self._known - before if self._is_foreign(name)]
        if tables is None or not foreign:
            self._operators = None
            return
        now = set(tables.operator_names())
        new = now - operators - known if operators is not None else set()
        self._operators = now
        yield from _registrations(sorted(foreign), new)

    def adopt(self, tables: TorchTables | None) -> None:
        """An import of an installed package is over; what it loaded is not the fence's."""
        if self._counter is not None and self._counter() != self._seen:
            self._operators = self._known = None
            self.begin(tables)

    def _is_foreign(self, name: str) -> bool:
        generated = any(part in name for part in _GENERATED)
        return bool(name) and not generated and not self._is_installed(name)


def _registrations(libraries: list[str], new: set[str]) -> Iterator[Loaded]:
    """Registrations of libraries that can make any, given the operators that came in with them."""
    for library in libraries:
        data = _content(library)
        if not any(mark in data for mark in _REGISTRARS):
            continue
        found = _initialisers(data)
        own = {target for kind, target in found if kind != "IMPL"}
        operators = {n for n in new if not found or n.partition("::")[0] in own}
        for operator in sorted(operators):
            namespace, _, name = operator.partition("::")
            yield Loaded(library, namespace, name.partition(".")[0])
        for namespace in sorted(own - {name.partition("::")[0] for name in operators}):
            yield Loaded(library, namespace)
        for kind, target in found:
            namespace, _, key = target.rpartition("_")
            if kind == "IMPL" and namespace not in own:
                yield Loaded(library, namespace, "", key)


def _content(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def _initialisers(data: bytes) -> list[tuple[str, str]]:
    found = set()
    for kind, name in _INITIALISERS.findall(data):
        target = name.decode()
        found.add((kind.decode(), target.rpartition("_")[0]) if kind else ("DEF", target))
    return sorted(found, key=lambda one: (one[0] == "IMPL", one))


def initialisers(path: str) -> list[tuple[str, str]]:
    """(``DEF``, ``FRAGMENT`` or ``IMPL``; namespace, for IMPL with ``_KEY``) of a library file.

    Definitions come first.
    """
    return _initialisers(_content(path))
