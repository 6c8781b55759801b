"""What each block continues: found in the names that it uses. Pure.

A block continues the nearest earlier one that makes, or may have changed, what it uses. Where what
it uses comes from several chains, these become one, in page order. Knows code by its ``Bindings``
alone, and blocks by their lines.
"""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from dataclasses import field
from itertools import pairwise

from fencerun.frozen import dataclass
from fencerun.tagging.bindings import Bindings

_BUILTINS = frozenset(dir(builtins)) | {"__file__", "__name__"}

#: So many blocks, and more than half of those that could, make a setting of the whole page.
MANY = 3


@dataclass(frozen=True, slots=True)
class Node:
    """A block of Python, or a fence that is one already (``fixed``). ``key`` is its page line.

    ``leaf`` says that others do not continue it unless they say so: it may not run everywhere.
    """

    key: int
    names: Bindings
    fixed: bool = False
    parent: int | None = None
    leaf: bool = False


@dataclass(frozen=True, slots=True)
class Links:
    """What each block continues, by line, and the names for which it does.

    ``previous`` says that the page is to be set so that each continues the one before; then
    ``parents`` holds what deviates from that.
    """

    parents: Mapping[int, int | None] = field(default_factory=dict)
    names: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    previous: bool = False


def link(nodes: Sequence[Node], also: Mapping[int, int]) -> Links:
    """The links of ``nodes``, which are in page order. ``also`` are further ones to continue."""
    linker = _Linker({node.key: node for node in nodes})
    for node in nodes:
        linker.add(node, also.get(node.key))
    return Links(linker.parents, linker.names)


def chained(nodes: Sequence[Node]) -> Links:
    """The links where each block continues the one before, but those that need a leaf."""
    parents: dict[int, int | None] = {}
    names: dict[int, tuple[str, ...]] = {}
    makers: dict[str, Node] = {}
    for node in nodes:
        leaves = {n: makers[n] for n in node.names.needs if n in makers and makers[n].leaf}
        if leaves and not node.fixed:
            parents[node.key] = max(leaf.key for leaf in leaves.values())
            names[node.key] = tuple(sorted(leaves))
        for name in node.names.makes:
            makers[name] = node
    return Links(parents, names, previous=True)


def worth_a_setting(nodes: Sequence[Node], links: Links) -> bool:
    """Whether so many blocks continue others that the page should say it once."""
    needy = sum(1 for node in nodes if links.parents.get(node.key) is not None)
    return needy >= MANY and 2 * needy > len(nodes) - 1


@dataclass(slots=True)
class _Linker:
    nodes: Mapping[int, Node]
    parents: dict[int, int | None] = field(default_factory=dict)
    names: dict[int, tuple[str, ...]] = field(default_factory=dict)
    #: The nearest block so far that makes or changes a name.
    sources: dict[str, int] = field(default_factory=dict)
    makers: dict[str, int] = field(default_factory=dict)
    stars: int | None = None

    def add(self, node: Node, also: int | None) -> None:
        wanted = self._wanted(node)
        if node.fixed:
            self.parents[node.key] = node.parent
        else:
            keys = {*wanted.values(), *([] if also is None else [also])}
            self.parents[node.key] = self._joined(keys) if keys else None
            self.names[node.key] = tuple(sorted(wanted))
        self._note(node)

    def _wanted(self, node: Node) -> dict[str, int]:
        """The blocks that the names come from which ``node`` needs."""
        found: dict[str, int] = {}
        for name in node.names.needs:
            if name in self.sources:
                found[name] = self.sources[name]
            elif self.stars is not None and name not in _BUILTINS:
                found[name] = self.stars
        return found

    def _note(self, node: Node) -> None:
        path = set(self.path(node.key))
        # What a leaf changes may be unchanged elsewhere: nobody has to continue it for that.
        for name in () if node.leaf else node.names.changes:
            maker = self.makers.get(name)
            if maker in path and name not in self.nodes[maker].names.imports:
                self.sources[name] = node.key
        for name in node.names.makes:
            self.sources[name] = self.makers[name] = node.key
        if node.names.stars:
            self.stars = node.key

    def path(self, key: int) -> list[int]:
        """The chain that ends with ``key``."""
        found: list[int] = []
        current: int | None = key
        while current is not None:
            found.append(current)
            current = self.parents.get(current)
        return found[::-1]

    def _joined(self, keys: set[int]) -> int:
        """A block whose chain holds all of ``keys``; chains are joined where there is none."""
        nearest = max(keys)
        if keys <= set(self.path(nearest)):
            return nearest
        for other in sorted((key for key in self.parents if key > nearest), reverse=True):
            if keys <= set(self.path(other)) and not self._asks_more(other, keys):
                return other
        union = sorted({one for key in keys for one in self.path(key)})
        pairs = list(pairwise(union))
        if all(self._may_continue(second, first) for first, second in pairs):
            self.parents.update({second: first for first, second in pairs})
            return union[-1]
        return max(keys, key=lambda key: (len(keys & set(self.path(key))), key))

    def _may_continue(self, key: int, parent: int) -> bool:
        """Whether a block can be made to continue another one without asking for more by it."""
        if self.parents.get(key) == parent:
            return True
        if self.nodes[key].fixed:
            return False
        return not self.nodes[parent].leaf

    def _asks_more(self, key: int, keys: set[int]) -> bool:
        """Whether the chain of ``key`` has leaves that none of ``keys`` is or continues."""
        asked = {one for wanted in keys for one in self.path(wanted)}
        return any(self.nodes[one].leaf for one in self.path(key) if one not in asked)
