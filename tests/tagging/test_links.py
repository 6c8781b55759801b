"""What blocks continue, by the names that they use."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fencerun.tagging.bindings import bindings
from fencerun.tagging.links import Links, Node, chained, link, worth_a_setting


def nodes(*codes: str) -> list[Node]:
    """Blocks with the keys 1, 2, …; ``cuda`` in the code makes a leaf."""
    return [Node(k, bindings(code), leaf="cuda" in code) for k, code in enumerate(codes, 1)]


def parents(links: Links) -> list[int | None]:
    return [links.parents[key] for key in sorted(links.parents)]


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        pytest.param(["x = 1", "y = 2"], [None, None], id="apart"),
        pytest.param(["x = 1", "x"], [None, 1], id="used"),
        pytest.param(["x = 1", "x = 2", "x"], [None, None, 2], id="nearest-maker"),
        pytest.param(["x = 1", "y = x", "x, y"], [None, 1, 2], id="one-chain-has-both"),
        pytest.param(["x = 1", "x", "x"], [None, 1, 1], id="star"),
        pytest.param(["x = 1", "x = x + 1", "x"], [None, 1, 2], id="made-anew"),
        pytest.param(["m = M()", "m.fit()", "m.go()"], [None, 1, 2], id="changed-in-place"),
        pytest.param(["import m", "m.fit()", "m.go()"], [None, 1, 1], id="a-module-is-not"),
        pytest.param(["x = 1", "y = 2", "x, y"], [None, 1, 2], id="chains-joined"),
        pytest.param(["x = 1", "y = 2", "x, z", "y"], [None, None, 1, 2], id="apart-otherwise"),
        pytest.param(
            ["a = 1", "b = 1", "c = b", "d = a", "c, d"], [None, 1, 2, 3, 4], id="interleaved"
        ),
        pytest.param(["def f(): return x", "x = 1", "f()"], [None, None, 1], id="called-later"),
        pytest.param(["x = 1", "def f(): return x", "f()"], [None, 1, 2], id="used-in-a-body"),
        pytest.param(["from m import *", "tensor(1)", "print(1)"], [None, 1, None], id="stars"),
        pytest.param(["y", "y = 1"], [None, None], id="made-too-late"),
        pytest.param(["x = 1", "print = 2", "print"], [None, None, 2], id="a-builtin-made"),
        pytest.param(
            ["x = 1", "y = x.cuda()", "z = x", "y, z"], [None, 1, 1, 3], id="no-gpu-for-others"
        ),
    ],
)
def test_links(codes: list[str], expected: list[int | None]) -> None:
    assert parents(link(nodes(*codes), {})) == expected


def test_the_names_are_told() -> None:
    links = link(nodes("x = 1\ny = 2", "x + y + len('')"), {})
    assert links.names[2] == ("x", "y")


def test_a_further_chance() -> None:
    assert parents(link(nodes("x = 1", "y = 2", "z"), {3: 2})) == [None, None, 2]
    assert parents(link(nodes("x = 1", "y = 2", "x"), {3: 2})) == [None, 1, 2]


def test_fences_that_are_there_keep_what_they_continue() -> None:
    first, second, third = nodes("x = 1", "y = 2", "x, y")
    fixed = [Node(n.key, n.names, fixed=True) for n in (first, second)]
    assert parents(link([*fixed, third], {})) == [None, None, 2]


def test_a_chained_page_says_only_what_deviates() -> None:
    links = chained(nodes("x = 1", "y = x.cuda()", "z = x", "y"))
    assert links.previous
    assert links.parents == {4: 2}


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        (["x = 1", "x"], False),
        (["x = 1", "x", "x"], False),
        (["x = 1", "x", "x", "x"], True),
        (["x = 1", "x", "x", "x", "1", "2"], True),
        (["x = 1", "x", "x", "x", "1", "2", "3"], False),
    ],
)
def test_when_a_page_is_set(codes: list[str], expected: bool) -> None:
    found = nodes(*codes)
    assert worth_a_setting(found, link(found, {})) is expected


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sets(st.sampled_from("abcd"))), max_size=9))
def test_every_chain_has_what_it_needs(blocks: list[tuple[str, set[str]]]) -> None:
    """Each block comes after what it continues, and finds there all names that were made."""
    codes = [f"{'; '.join(sorted(used))}\n{made} = 1" for made, used in blocks]
    found = nodes(*codes)
    links = link(found, {})
    made: set[str] = set()
    for node in found:
        parent = links.parents[node.key]
        assert parent is None or parent < node.key
        chain = []
        while parent is not None:
            chain.append(parent)
            parent = links.parents[parent]
        there = {name for key in chain for name in found[key - 1].names.makes}
        assert node.names.needs & made <= there
        made |= node.names.makes
