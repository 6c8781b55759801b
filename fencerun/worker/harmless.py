"""Code that can only compute and print, told by looking at it: nothing to clean up after it.

A fence begins with an empty namespace, so all that it reaches, it reaches by name: through an
import, a builtin, or an attribute of what it has. Code that imports nothing, says no builtin but
those that compute, and no attribute that leads from an object to the interpreter, changes nothing
that outlives its namespace. What is not known to be harmless is not. Knows nothing of chains.
"""

from __future__ import annotations

import builtins
import opcode
import types

#: Builtins that compute, print, or are values. The others open, import, execute, or hand out
#: something by a name that is only known later.
_SAFE = frozenset(
    """abs all any ascii bin bool bytearray bytes callable chr complex dict divmod enumerate filter
    float frozenset hash hex id int isinstance issubclass iter len list map max min next oct
    ord pow print range repr reversed round set slice sorted str sum tuple zip""".split()  # noqa: SIM905
) | {
    name
    for name, value in vars(builtins).items()
    # Attributes of a class that Python itself makes at its start (ExceptionGroup) can be set.
    if isinstance(value, type) and issubclass(value, Exception) and not value.__flags__ & 1 << 9
}

#: Attributes that hand out an object by no name of the code: a format string names attributes
#: itself, and an AttributeError has the object that lacked one.
_HANDING = frozenset({"format_map", "obj"})

#: How the attributes begin that lead to frames, code and namespaces: of generators, coroutines,
#: frames, tracebacks and code objects, and all that has underscores.
_LEADING = ("_", "gi_", "cr_", "ag_", "f_", "tb_", "co_")

#: Instructions that reach something by what is no name of the code: a module, and attributes
#: that a pattern lists (``case Exception(__traceback__=found)``).
_REACHING = frozenset(opcode.opmap[name] for name in ("IMPORT_NAME", "MATCH_CLASS"))

#: Instructions that call, and name what comes of it: no object gets hold of itself by these.
_STRAIGHT = frozenset(
    opcode.opmap.get(name, 0)
    for name in """CACHE NOP RESUME PUSH_NULL LOAD_NAME LOAD_CONST LOAD_SMALL_INT KW_NAMES PRECALL
    CALL CALL_KW CALL_FUNCTION CALL_FUNCTION_KW STORE_NAME POP_TOP RETURN_VALUE RETURN_CONST
    NOT_TAKEN""".split()  # noqa: SIM905
)

#: What a constant may be. (A recorder of operands is one, too, and is none of these.)
_PLAIN = frozenset({type(None), bool, int, float, complex, str, bytes, tuple, frozenset,
                    type(Ellipsis)})  # fmt: skip

#: Flags of code whose end lies elsewhere: coroutines (native, by decorator, and generators of
#: them), and generators, whose ``finally`` runs when they are dropped.
_GENERATOR, _SUSPENDS = 0x20, 0x80 | 0x100 | 0x200


def is_harmless(code: types.CodeType) -> bool:
    """Whether ``code``, run in a namespace that only such code has filled, just computes."""
    if code.co_flags & _SUSPENDS or (code.co_flags & _GENERATOR and code.co_name != "<genexpr>"):
        return False
    known = vars(builtins)
    for name in code.co_names:
        if name in _SAFE:
            continue
        leads = name in _HANDING or (name.startswith(_LEADING) and name != "_")
        if leads or name in known:
            return False
    # Every second byte is an instruction; in others (caches) its number may come up by chance.
    if not _REACHING.isdisjoint(code.co_code[::2]):
        return False
    for constant in code.co_consts:
        if type(constant) is types.CodeType:
            if not is_harmless(constant):
                return False
        elif type(constant) not in _PLAIN:
            return False
    return True


def makes_no_ring(code: types.CodeType) -> bool:
    """Whether no object that harmless ``code`` makes can hold itself: then none outlives it.

    That a builtin prints or computes is all that such code does, a line at a time.
    """
    return _STRAIGHT.issuperset(code.co_code[::2])
