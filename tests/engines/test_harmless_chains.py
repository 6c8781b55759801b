"""Chains that only compute, between others: what is skipped after them must not be missed."""

# Code stands on one line in the tables.
# ruff: noqa: E501

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from fencerun.worker.newfiles import LEFT

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


def test_a_console_is_looked_after(supervised: Bench) -> None:
    turns = (("touch left.txt; sleep 84 > /dev/null 2>&1 &", 10, False),)
    console = supervised.chain(turns[0][0], page="c.md", language="console", turns=turns)
    quiet, said, after = supervised.outcomes(
        supervised.chain("print(1)"), console, supervised.chain("import sys\nprint(2)")
    )
    assert {leak.what for leak in said.leaks} == {"child process left running", LEFT}
    assert quiet.leaks == after.leaks == ()


def test_rings_are_gone_with_their_chain(supervised: Bench) -> None:
    ring = "a = [b'x' * (300 << 20)]\na.append(a)"
    outcomes = supervised.outcomes(*(supervised.chain(ring) for _ in range(4)))
    assert [one.replaced for one in outcomes] == [None] * 4


@pytest.mark.skipif(sys.version_info < (3, 11), reason="there is none")
def test_a_class_of_pythons_own_is_put_back(bench: Bench) -> None:
    first, second = bench.outcomes(
        bench.chain("ExceptionGroup.colour = 'blue'"),
        bench.chain("print(hasattr(ExceptionGroup, 'colour'))"),
    )
    assert [leak.what for leak in first.leaks] == ["builtins.ExceptionGroup.colour"]
    assert second.output == b"False\n"


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


def test_a_warning_comes_in_each_chain(supervised: Bench) -> None:
    code = "x = 1 is 1"
    first, second = supervised.outcomes(supervised.chain(code), supervised.chain(code))
    assert b"SyntaxWarning" in first.stderr
    assert first.stderr == second.stderr


def test_an_interrupted_console_says_so_in_pythons_words(supervised: Bench) -> None:
    turns = (("kill -INT $PPID; sleep 9", 10, False),)
    failure = supervised.one(turns[0][0], language="console", turns=turns).failure
    assert failure is not None
    assert failure.summary == "KeyboardInterrupt"
