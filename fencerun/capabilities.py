"""Capabilities: what the names after `requires:` mean, as a table. Pure.

Reads names and says what is wrong with them; ``probing`` asks a machine whether they hold. An
unknown name is a fault of the page: a mistyped one would keep its fence from ever running.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Literal

from fencerun.capabilitynames import KNOWN, NAME, Kind, for_name, for_prefix, full
from fencerun.frozen import dataclass
from fencerun.patterns import later
from fencerun.tags import TagError, near_miss, nearest

_WHOLE = ("gpus", "sm")
_VARIABLE = later(r"[A-Za-z_][A-Za-z0-9_]*")
_COMPARED = later(r"([^\s<>=!~]+)\s*([<>=!~]+)\s*(.*)", re.DOTALL)
_OPERATORS = (">=", ">", "<=", "<", "==", "!=", "~=")


@dataclass(frozen=True, slots=True)
class Requirement:
    """One capability that a fence asks for; ``text`` is how the page writes it.

    ``operator`` and ``value`` bound a version or a number; ``value`` alone is a GPU's name, as
    ``slug`` writes it. ``name`` of a distribution or variable is its own.
    """

    text: str
    kind: Kind
    name: str
    operator: str = ""
    value: str = ""

    @property
    def accelerated(self) -> bool:
        """Whether what asks for it runs on an accelerator, of which machines have few."""
        return self.kind in ("accelerator", "gpu")


@dataclass(frozen=True, slots=True)
class Own:
    """A capability of the project's own, and how to find out whether it holds.

    ``value`` is a variable's name, a shell command, a Python expression, or ``yes`` or ``no``.
    """

    kind: Literal["env", "command", "python", "fixed"]
    value: str


def slug(name: str) -> str:
    """A device's name as provenance and ``gpu:`` write it: ``NVIDIA H200`` is ``nvidia-h200``."""
    return re.sub(r"[^a-z0-9.+_]+", "-", name.lower()).strip("-") or "unknown"


def normal(name: str) -> str:
    """A distribution's name as PEP 503 compares names: ``Flash_Attn`` is ``flash-attn``."""
    return re.sub(r"[-_.]+", "-", name).lower()


def parse(text: str, own: Collection[str] = ()) -> Requirement:
    """The requirement that ``text`` states; ``own`` are the project's own names.

    Raises TagError with what is wrong and what to write instead.
    """
    text = text.strip()
    if text in own:
        return Requirement(text, "own", text)
    compared = _COMPARED.fullmatch(text)
    prefix, colon, rest = text.partition(":")
    if colon and (compared is None or ":" in compared[1]):
        return _prefixed(text, prefix, rest)
    if compared is not None:
        return _compared(text, compared[1], compared[2], compared[3], own)
    if text.startswith(_OPERATORS):
        raise TagError("it bounds nothing", "repeat the name: `requires:torch>=2.11,torch<3`")
    if text in KNOWN and KNOWN[text][1] == text:
        return Requirement(text, KNOWN[text][0], text)
    raise TagError("no such capability", for_name(text, own))


def _prefixed(text: str, prefix: str, rest: str) -> Requirement:
    """``env:NAME``, ``gpu:NAME``, ``dist:NAME``."""
    if prefix not in ("env", "gpu", "dist"):
        raise TagError(f"no capability is written `{prefix}:…`", for_prefix(prefix, rest))
    if not rest:
        raise TagError(f"`{prefix}:` names nothing", f"write `{KNOWN[prefix][1]}`")
    if prefix == "gpu":
        if set(rest) & set("<>=!~"):
            raise TagError(f"`{text}` is two in one", "write `gpu:NAME,gpus>=2`")
        return Requirement(text, "gpu", "gpu", value=slug(rest))
    if prefix == "env":
        if not _VARIABLE.fullmatch(rest):
            raise TagError(f"{rest!r} is no variable's name", "write `env:HF_TOKEN`, say")
        return Requirement(text, "environment", rest)
    compared = _COMPARED.fullmatch(rest)
    if compared is not None:
        return _distribution(text, compared[1], compared[2], compared[3])
    return _distribution(text, rest, "", "")


def _compared(text: str, name: str, operator: str, value: str, own: Collection[str]) -> Requirement:
    """A name with a bound: ``sm>=90``, ``python>=3.11``, ``torch>=2.13``."""
    # A distribution may have any name, but one that nearly is ours would never be installed.
    close = "sm" if name.lower() == "sm" else near_miss(name, ("python", "gpus"))
    if close and close != name and name != "gpu":
        raise TagError("no such capability", f"did you mean `{close}{operator}{value}`?")
    if name == "gpu":
        raise TagError("`gpu` takes a name", f"did you mean `gpus{operator}{value}`?")
    if name in own or (name in KNOWN and name not in ("python", "triton", *_WHOLE)):
        raise TagError(f"`{name}` has no version", f"write `{full(name)}`")
    if name in _WHOLE:
        _check_operator(name, operator, value)
        return Requirement(text, "gpu", name, operator, _whole(name, operator, value))
    if name == "python":
        _check_version(name, operator, value)
        return Requirement(text, "python", name, operator, value)
    return _distribution(text, name, operator, value)


def _distribution(text: str, name: str, operator: str, value: str) -> Requirement:
    if not NAME.fullmatch(name):
        raise TagError(f"{name!r} is no distribution's name", "write `dist:NAME`")
    if operator:
        _check_version(name, operator, value)
    return Requirement(text, "distribution", normal(name), operator, value)


def _check_operator(name: str, operator: str, value: str) -> None:
    if operator not in _OPERATORS:
        meant = {"=": "==", "=>": ">=", "=<": "<=", "<>": "!=", "===": "=="}.get(operator, ">=")
        raise TagError(f"`{operator}` compares nothing", f"write `{name}{meant}{value}`")


def _check_version(name: str, operator: str, value: str) -> None:
    _check_operator(name, operator, value)
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    try:
        if "," in value or not value:
            raise InvalidSpecifier
        SpecifierSet(operator + value)
    except InvalidSpecifier:
        what = f"{value!r} is no version that `{operator}` takes"
        raise TagError(what, f"write `{name}>=2.11`, say") from None


def _whole(name: str, operator: str, value: str) -> str:
    if value.isascii() and value.isdigit() and operator != "~=":
        return value
    digits = re.sub(r"[^0-9]", "", value) if value.isascii() else ""
    number = digits or ("90" if name == "sm" else "2")
    raise TagError(f"`{name}` is compared with a whole number", f"write `{name}>={number}`")


def parse_own(table: Mapping[str, object]) -> dict[str, Own]:
    """The project's own capabilities, of ``[tool.fencerun.capabilities]``.

    Raises TagError for a name that is taken or a value that says nothing.
    """
    return {name: _own(name, value) for name, value in table.items()}


_FORMS = '`{env = "NAME"}`, `{command = "…"}`, `{python = "expression"}`, true or false'


def _own(name: str, value: object) -> Own:
    if name in KNOWN:
        raise TagError(f"`{name}` is a capability of fencerun's own", "choose another name")
    if not NAME.fullmatch(name):
        raise TagError(f"{name!r} is no name", "write letters, digits, `.`, `_` and `-`")
    if isinstance(value, bool):
        return Own("fixed", "yes" if value else "no")
    if not isinstance(value, Mapping) or len(value) != 1:
        raise TagError(f"`{name}` does not say how to find out", f"write {_FORMS}")
    ((form, said),) = value.items()
    if form not in _OWN_FORMS:
        raise TagError(f"`{name}`: `{form}` is no way to find out", nearest(form, _OWN_FORMS))
    if not isinstance(said, str) or not said.strip():
        raise TagError(f"`{name}`: `{form}` holds no text", f"write {_FORMS}")
    return _OWN_FORMS[form](name, said.strip())


def _own_env(name: str, value: str) -> Own:
    if not _VARIABLE.fullmatch(value):
        raise TagError(f"`{name}`: {value!r} is no variable's name", 'write `{env = "WMT_DIR"}`')
    return Own("env", value)


def _own_python(name: str, value: str) -> Own:
    try:
        compile(value, "<capability>", "eval")
    except (SyntaxError, ValueError) as error:
        what = f"`{name}`: {value!r} is no Python expression ({error})"
        raise TagError(
            what, "write one expression, such as `torch.cuda.device_count() > 1`"
        ) from None
    return Own("python", value)


_OWN_FORMS: Mapping[str, Callable[[str, str], Own]] = {
    "env": _own_env,
    "command": lambda name, value: Own("command", value),
    "python": _own_python,
}

#: How a project may say whether a capability of its own holds.
OWN_FORMS = tuple(_OWN_FORMS)
