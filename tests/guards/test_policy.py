"""Which registrations fail a fence: outside its namespace, collisions, unnamed overrides."""

from __future__ import annotations

from typing import Any

import pytest

from fencerun.worker.guards.ledger import Registration
from fencerun.worker.guards.origin import Origin
from fencerun.worker.guards.policy import History, violations


def made(
    namespace: str,
    name: str = "f",
    *,
    kind: str = "operator",
    key: str = "",
    fence: int = 3,
    line: int = 41,
    page: str = "lessons/25.md",
    overrides: bool = False,
) -> Registration:
    return Registration(kind, namespace, name, key, Origin(page, line, line), fence, overrides)


@pytest.mark.parametrize(
    ("namespace", "allowed"),
    [
        ("pytc_m25_f3", True),
        ("pytc_m25_f3_more", True),
        ("pytc_m25_f30", False),
        ("pytc_m25", False),
        ("pytc_m25_f4", False),
        ("aten", False),
        ("_", False),
    ],
)
@pytest.mark.parametrize("kind", ["operator", "kernel", "library", "fallback", "python kernel"])
def test_own_namespace(namespace: str, allowed: bool, kind: str) -> None:
    found = violations([made(namespace, kind=kind)], "pytc_m25_f3", ())
    assert (found == []) == allowed
    if not allowed:
        assert "pytc_m25_f3" in found[0]["summary"]
        assert f"allows:{namespace}" in found[0]["summary"]
        assert found[0]["line"] == 41
        assert found[0]["traceback"] == ""


def test_allowed_namespaces() -> None:
    registrations = [made("aten", kind="kernel", overrides=True), made("lab")]
    assert violations(registrations, "pytc_m25_f3", ("aten", "lab")) == []
    assert violations(registrations, None, ("aten",)) == []


def test_without_a_namespace_only_overrides_and_collisions_count() -> None:
    assert (
        violations([made("anything"), made("aten", kind="kernel", key="PrivateUse1")], None, ())
        == []
    )
    (found,) = violations(
        [made("aten", "gelu", kind="kernel", key="CPU", overrides=True)], None, ()
    )
    assert found["summary"] == (
        "overrides a CPU kernel of aten::gelu: write allows:aten if that is meant"
    )


def test_higher_order_operators_have_one_namespace() -> None:
    wrap = made("higher_order", "wrap", kind="higher-order operator")
    kernel = made("higher_order", "wrap", kind="python kernel", key="CPU")
    assert violations([wrap, kernel], "pytc_m25_f3", ()) == []


def test_one_violation_an_operator() -> None:
    registrations = [made("x"), made("x", kind="kernel"), made("x", "g"), made("x", "g")]
    assert len(violations(registrations, "y", ())) == 2


def test_collision_names_both_places() -> None:
    history, first, second = History(), made("x", fence=1, line=7), made("x", fence=2, line=19)
    history.compare(first)
    history.compare(second)
    assert violations([first], None, ()) == []
    (found,) = violations([second], None, ())
    assert "lessons/25.md:19" in found["summary"]
    assert "lessons/25.md:7" in found["summary"]
    assert "fence 1" in found["summary"]
    assert found["line"] == 19


def test_collision_inside_the_own_namespace_counts_too() -> None:
    history, first, second = History(), made("own_f3", fence=1), made("own_f3", fence=3)
    history.compare(first)
    history.compare(second)
    assert len(violations([second], "own_f3", ())) == 1


@pytest.mark.parametrize("line", [7, 9])
def test_the_same_fence_again_is_no_collision(line: int) -> None:
    history, first, again = History(), made("x", fence=1, line=7), made("x", fence=1, line=line)
    history.compare(first)
    history.compare(again)
    assert violations([again], None, ()) == []


def test_fences_of_two_pages_do_not_collide() -> None:
    """Which pages share a process is nobody's business but the runner's."""
    history, first, second = History(), made("x"), made("x", page="lessons/26.md", fence=4)
    again, fourth = made("x"), made("x", fence=5)
    for page, one in (("25", first), ("26", second), ("25", again), ("25", fourth)):
        history.begin(page)
        history.compare(one)
    assert violations([first, second, again], None, ()) == []
    assert len(violations([fourth], None, ())) == 1


def test_a_module_beside_the_page_registers_for_the_fence_that_imports_it() -> None:
    history = History()
    first, second = (made("x", page="lessons/ops.py", fence=number) for number in (1, 2))
    history.compare(first)
    history.compare(second)
    assert len(violations([second], None, ())) == 1


def test_two_kernels_of_one_operator_do_not_collide() -> None:
    history: Any = History()
    for fence in (1, 2):
        kernel = made("x", kind="kernel", fence=fence)
        history.compare(kernel)
        assert violations([kernel], None, ()) == []


def test_no_registration_no_violation() -> None:
    assert violations([], "x", ()) == []
