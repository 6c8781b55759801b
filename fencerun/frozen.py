"""Value classes, made cheaply: ``dataclasses.dataclass(slots=True)`` at a tenth of its price.

The library's decorator compiles up to nine functions for each class, 0.7 ms, and a run defines
some seventy classes before it does anything. Here ``__init__`` is compiled when a few objects
were made, and all else is shared. The fields are the library's own, so that its ``replace``,
``fields`` and ``asdict`` work, and type checkers see the library's decorator. Knows nothing of
what the classes are for; inheritance between them is not offered.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any

_MISSING = dataclasses.MISSING

#: So many objects of a class are made without compiling its ``__init__``.
_FEW = 3


def _cheap(*, frozen: bool = False, slots: bool = True) -> Callable[[type], type]:
    """The class with fields for its annotated names, always with slots."""
    return lambda cls: _made(cls, frozen)


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    dataclass = _cheap


def _made(cls: type, frozen: bool) -> type:
    space = dict(cls.__dict__)
    fields = {name: _field(space, name, kind) for name, kind in cls.__annotations__.items()}
    space.pop("__dict__", None)
    space.pop("__weakref__", None)
    bases, slots = cls.__bases__, tuple(fields)
    if frozen:
        open_ = type(cls)(cls.__name__, bases, {"__slots__": slots, "__module__": cls.__module__})
        bases, space["__open__"] = (open_,), open_
    space["__slots__"] = () if frozen else slots
    space["__dataclass_fields__"] = fields
    space["__signature__"] = _Signature()
    space["__match_args__"] = tuple(name for name, one in fields.items() if one.init)
    for name, method in _methods(fields, frozen).items():
        space.setdefault(name, method)
    made = type(cls)(cls.__name__, bases, space)
    made.__qualname__ = cls.__qualname__
    made.__slots__ = slots  # type: ignore[attr-defined]
    made.__init__ = _first_init(made)  # type: ignore[misc]
    return made


class _Signature:
    """What ``inspect.signature`` and ``help`` say of a class, worked out when they ask."""

    def __get__(self, instance: Any, owner: Any) -> Any:
        import inspect
        from typing import get_type_hints

        hints = get_type_hints(owner)
        parameters = [
            inspect.Parameter(
                one.name,
                inspect.Parameter.POSITIONAL_OR_KEYWORD,
                default=_shown_default(one, inspect.Parameter.empty),
                annotation=hints[one.name],
            )
            for one in owner.__dataclass_fields__.values()
            if one.init
        ]
        return inspect.Signature(parameters, return_annotation=None)


def _shown_default(one: dataclasses.Field[Any], none: Any) -> Any:
    if one.default is not _MISSING:
        return one.default
    return none if one.default_factory is _MISSING else one.default_factory()


def _field(space: dict[str, Any], name: str, kind: Any) -> dataclasses.Field[Any]:
    default = space.pop(name, _MISSING)
    found: Any = default
    if not isinstance(default, dataclasses.Field):
        found = dataclasses.field(default=default)
    found.name, found.type = name, kind
    found._field_type = dataclasses._FIELD  # type: ignore[attr-defined]
    return found  # type: ignore[no-any-return]


def _methods(fields: dict[str, dataclasses.Field[Any]], frozen: bool) -> dict[str, Any]:
    compared = [name for name, one in fields.items() if one.compare]
    key = attrgetter(*compared) if len(compared) > 1 else _few(compared)

    def equals(self: Any, other: Any) -> Any:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return key(self) == key(other)

    def hashed(self: Any) -> int:
        return hash(key(self))

    methods: dict[str, Any] = {"__eq__": equals, "__repr__": _repr}
    if not frozen:
        return {**methods, "__hash__": None}
    return {
        **methods,
        "__hash__": hashed,
        "__setattr__": _refuse_set,
        "__delattr__": _refuse_delete,
        "__getstate__": _get_state,
        "__setstate__": _set_state,
    }


def _few(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    return lambda self: tuple(getattr(self, name) for name in names)


def _repr(self: Any) -> str:
    shown = (
        f"{name}={getattr(self, name)!r}"
        for name, one in self.__dataclass_fields__.items()
        if one.repr
    )
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _refuse_set(self: Any, name: str, value: Any) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_delete(self: Any, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _get_state(self: Any) -> list[Any]:
    return [getattr(self, name) for name in self.__slots__]


def _set_state(self: Any, state: list[Any]) -> None:
    for name, value in zip(self.__slots__, state, strict=True):
        object.__setattr__(self, name, value)


def _first_init(cls: Any) -> Any:
    """The ``__init__`` until it is worth compiling: of many classes a run makes one object."""
    made = 0

    def first(self: Any, *values: Any, **named: Any) -> None:
        nonlocal made
        made += 1
        if made > _FEW or not _filled(cls, self, values, named):
            cls.__init__ = _init(cls)
            cls.__init__(self, *values, **named)

    return first


def _filled(cls: Any, self: Any, values: tuple[Any, ...], named: dict[str, Any]) -> bool:
    """Fill a new object; whether that was simple: what may be an error is left to others."""
    rest = dict(zip((n for n, one in cls.__dataclass_fields__.items() if one.init), values))  # noqa: B905
    if len(rest) < len(values) or not rest.keys().isdisjoint(named):
        return False
    rest.update(named)
    for name, one in cls.__dataclass_fields__.items():
        if one.init and name in rest:
            value = rest.pop(name)
        elif one.default is not _MISSING:
            value = one.default
        elif one.default_factory is not _MISSING:
            value = one.default_factory()
        elif one.init:
            return False
        else:
            continue
        getattr(cls, name).__set__(self, value)
    if rest:
        return False
    if hasattr(cls, "__post_init__"):
        self.__post_init__()
    return True


#: Sets the class of an object, also of a frozen one.
_set_class = object.__dict__["__class__"].__set__


def _init(cls: Any) -> Any:
    """The compiled ``__init__``.

    A frozen object is filled while it is of a class with the same slots that does not refuse:
    setting its slots behind its back takes three times as long.
    """
    names: dict[str, Any] = {"_absent": _MISSING, "_set_class": _set_class, "_made": cls}
    parameters, body, after = ["self"], [], []
    if "__open__" in cls.__dict__:
        names["_open"] = cls.__open__
        body.append("_set_class(self, _open)")
        after.append("self.__class__ = _made")
    for name, one in cls.__dataclass_fields__.items():
        value, default = name, ""
        if one.default is not _MISSING:
            names[f"_default_{name}"] = one.default
            default = f"_default_{name}"
        elif one.default_factory is not _MISSING:
            names[f"_make_{name}"] = one.default_factory
            default = "_absent"
            value = f"_make_{name}() if {name} is _absent else {name}"
        if one.init:
            parameters.append(f"{name}={default}" if default else name)
        elif not default:
            continue
        else:
            value = f"_make_{name}()" if default == "_absent" else default
        body.append(f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        after.append("self.__post_init__()")
    body += after
    exec(f"def __init__({', '.join(parameters)}):\n " + "\n ".join(body or ["pass"]), names)
    made = names["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made
