"""Which operator registrations are violations: outside the fence's namespace, or collisions.

Pure: registrations in, violations out.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from fencerun.worker.guards.ledger import Registration

    #: A failure of kind ``namespace``: keys of :class:`fencerun.result.Failure`.
    Violation = dict[str, Any]


class History:
    """The operators that fences of each page registered since the process started, by name.

    An operator of another fence of the page is a collision although it was undone since: readers
    run a page's fences in one notebook. Two pages may use the same names, whether or not they
    share a process.
    """

    def __init__(self) -> None:
        self._pages: dict[str, dict[tuple[str, str], Registration]] = {}
        self._known = self._pages.setdefault("", {})

    def begin(self, page: str) -> None:
        """What comes is registered by fences of ``page``."""
        self._known = self._pages.setdefault(page, {})

    def compare(self, made: Registration) -> None:
        """Note in ``made`` the registration by another fence that it collides with, if any."""
        if made.kind not in ("operator", "higher-order operator", "library"):
            return
        earlier = self._known.setdefault((made.kind, made.operator), made)
        if earlier.fence != made.fence:
            made.earlier = earlier


def violations(
    registrations: Iterable[Registration], own: str | None, allows: tuple[str, ...]
) -> list[Violation]:
    """The violations among one fence's registrations, one an operator, in order."""
    found: dict[str, Violation] = {}
    for registration in registrations:
        if _exempt(registration, allows):
            continue
        summary = _outside(registration, own) if own is not None else _collision(registration)
        if summary is None and own is not None and registration.earlier is not None:
            summary = _collision(registration)
        if summary is not None and registration.operator not in found:
            found[registration.operator] = {
                "summary": summary,
                "line": registration.origin.page_line,
                "traceback": "",
            }
    return list(found.values())


def _exempt(registration: Registration, allows: tuple[str, ...]) -> bool:
    # Higher-order operators share one namespace that torch gives them.
    if registration.namespace == "higher_order" and registration.earlier is None:
        return True
    return registration.namespace in allows


def _outside(registration: Registration, own: str) -> str | None:
    namespace = registration.namespace
    if namespace == own or namespace.startswith(own + "_"):
        return None
    return (
        f"{_deed(registration)} outside its namespace: register in {own} (or {own}_…), "
        f"or write allows:{namespace}"
    )


def _collision(registration: Registration) -> str | None:
    earlier = registration.earlier
    if earlier is not None:
        return (
            f"{_deed(registration)} at {registration.origin}, which fence {earlier.fence} "
            f"registered at {earlier.origin}: give each fence a name of its own"
        )
    if registration.overrides:
        return f"{_deed(registration)}: write allows:{registration.namespace} if that is meant"
    return None


def _deed(registration: Registration) -> str:
    verb = "overrides" if registration.overrides else "registers"
    kind, key = registration.kind, registration.key
    if kind == "library":
        return f"claims the operator namespace {registration.namespace}"
    if kind == "fallback":
        return f"{verb} the fallback of every operator for {key}"
    if kind == "native":
        if registration.name:
            what = f"registers operator {registration.operator}"
        elif key:
            what = f"overrides {key} kernels of {registration.namespace}"
        else:
            what = f"registers in {registration.namespace}"
        return f"loads {registration.origin.file}, which {what}"
    if kind == "operator":
        return f"registers operator {registration.operator}"
    if kind == "higher-order operator":
        return f"registers higher-order operator {registration.name}"
    what = f"{key} {kind}" if key else kind
    return f"{verb} a {what} of {registration.operator}"
