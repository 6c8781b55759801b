"""Chains that only compute, between others: what is skipped after them must not be missed."""

# Code stands on one line in the tables.
# ruff: noqa: E501

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .test_harmless import HARMLESS

if TYPE_CHECKING:
    from .conftest import Bench

LEAKS = {
    "umask": "import os\nold = os.umask(0)",
    "environment": "import os\nos.environ['X'] = '1'",
    "module": "import math\nmath.pi = 3",
    "builtin": "import builtins\nbuiltins.surprise = 1",
    "limit": "import resource as r\nr.setrlimit(r.RLIMIT_NOFILE, (250, r.getrlimit(r.RLIMIT_NOFILE)[1]))",
    "file": "open('left.txt', 'w').close()",
}


@pytest.mark.parametrize("code", HARMLESS)
def test_the_whole_clean_up_finds_nothing_either(bench: Bench, code: str) -> None:
    # The engine in this very process believes nobody, and looks at everything.
    outcomes = bench.outcomes(
        bench.chain("import math"), bench.chain(code), bench.chain("print(1)")
    )
    assert [one.leaks for one in outcomes] == [(), (), ()]
    assert [one.replaced for one in outcomes] == [None, None, None]
    assert outcomes[2].output == b"1\n"


@pytest.mark.parametrize("code", LEAKS.values(), ids=LEAKS.keys())
def test_a_leak_is_still_its_own_fences(bench: Bench, code: str) -> None:
    quiet = [bench.chain(f"print({n})") for n in range(4)]
    before, leaking, *after = bench.outcomes(
        quiet[0], bench.chain(code), *quiet[1:], bench.chain("import math\nprint(math.pi > 3.1)")
    )
    assert before.leaks == ()
    assert len(leaking.leaks) == 1
    assert [one.leaks for one in after] == [()] * 4
    assert [one.output for one in after] == [b"1\n", b"2\n", b"3\n", b"True\n"]


def test_a_chain_is_harmless_only_as_a_whole(bench: Bench) -> None:
    one, two, three = bench.outcomes(
        bench.chain("import os", "os.environ['Y'] = '1'", "print(1)"),
    )
    assert one.leaks == two.leaks == ()
    assert [leak.fence for leak in three.leaks] == [2]


def test_what_a_generator_says_at_its_end_is_output(bench: Bench) -> None:
    code = (
        "def f():\n    try:\n        yield 1\n    finally:\n        print('end')\ng = f()\nnext(g)"
    )
    assert bench.one(code).output == b"end\n"


def test_a_warning_comes_in_each_chain(bench: Bench) -> None:
    code = "x = ~True"
    first, second = bench.outcomes(bench.chain(code), bench.chain(code))
    assert first.stderr == second.stderr
