"""Cheap value classes against the library's: the same in all that anybody uses."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import field

import pytest

from fencerun import frozen as values


def _classes(frozen: bool) -> tuple[type, type]:
    def define() -> type:
        class Point:
            """A point."""

            x: int
            y: int = 2
            tags: list[str] = field(default_factory=list)
            shown: str = field(default="", repr=False, compare=False)
            made: int = field(init=False, default=7)

            def total(self) -> int:
                return self.x + self.y

        return Point

    library: type = dataclasses.dataclass(frozen=frozen, slots=True)(define())
    return values._cheap(frozen=frozen)(define()), library


BOTH = pytest.mark.parametrize("frozen", [True, False], ids=["frozen", "open"])


@BOTH
def test_objects_are_made_alike(frozen: bool) -> None:
    ours, library = _classes(frozen)
    for cls in (ours, library):
        assert dataclasses.asdict(cls(1)) == {
            "x": 1, "y": 2, "tags": [], "shown": "", "made": 7,
        }  # fmt: skip
        assert cls(1, y=3).total() == 4
        assert cls(1).tags is not cls(1).tags
    assert repr(ours(1, 5)) == repr(library(1, 5))
    assert ours.__match_args__ == library.__match_args__  # type: ignore[attr-defined]
    assert ours.__slots__ == library.__slots__  # type: ignore[attr-defined]


@BOTH
@pytest.mark.parametrize(
    ("positional", "named"),
    [
        pytest.param((), {}, id="missing"),
        pytest.param((1, 2, [], "", 7), {}, id="too many"),
        pytest.param((1,), {"x": 1}, id="twice"),
        pytest.param((1,), {"z": 1}, id="unknown"),
        pytest.param((1,), {"made": 1}, id="not for init"),
    ],
)
def test_wrong_calls_raise(frozen: bool, positional: tuple[int], named: dict[str, int]) -> None:
    for cls in _classes(frozen):
        for _ in range(2):  # the first call is the one that compiles
            with pytest.raises(TypeError):
                cls(*positional, **named)


@BOTH
def test_equality_ignores_what_is_not_compared(frozen: bool) -> None:
    ours, _ = _classes(frozen)
    assert ours(1, shown="a") == ours(1, shown="b")
    assert ours(1) != ours(2)
    assert ours(1) != (1, 2)


@BOTH
def test_replace_and_copies(frozen: bool) -> None:
    ours, _ = _classes(frozen)
    one = ours(1, 2, ["a"])
    assert dataclasses.replace(one, y=9) == ours(1, 9, ["a"])
    assert copy.copy(one) == one
    assert copy.deepcopy(one) == one


def test_frozen_is_frozen() -> None:
    ours, _ = _classes(True)
    one = ours(1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.x = 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        del one.x
    with pytest.raises(AttributeError):
        one.other = 2


def test_hash() -> None:
    @values.dataclass(frozen=True, slots=True)
    class Pair:
        left: int
        right: str = ""

    assert len({Pair(1), Pair(1), Pair(2)}) == 2
    with pytest.raises(TypeError):
        hash(_classes(False)[0](1))


@values.dataclass(frozen=True, slots=True)
class Picklable:
    """At module level, where pickle finds it."""

    x: int
    y: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "y", self.y.upper())


def test_pickle_and_post_init() -> None:
    one = Picklable(1, "a")
    assert one.y == "A"
    assert pickle.loads(pickle.dumps(one)) == one


def test_the_signature_is_that_of_the_library() -> None:
    import inspect

    from fencerun.engines.base import EngineOptions

    mine = inspect.signature(EngineOptions)
    assert list(mine.parameters) == [one.name for one in dataclasses.fields(EngineOptions)]
    assert mine.parameters["python"].default is inspect.Parameter.empty
    assert mine.parameters["env"].default == {}
    assert mine.parameters["threads"].annotation is int


def test_no_method_of_a_class_is_in_the_way() -> None:
    @values.dataclass(frozen=True)
    class Door:
        x: int

        def _open(self) -> int:
            return self.x

    # Filled in both ways: as the first few are, and as all others.
    assert [Door(number)._open() for number in range(9)] == list(range(9))
