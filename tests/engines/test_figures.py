"""Figures that fences leave open: taken as SVG that is the same each time, then closed."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fencerun import svg
from fencerun.engines.inprocess import InProcessEngine
from fencerun.worker import figures

from .conftest import OPTIONS, Bench

pytest.importorskip("matplotlib")

PLOT = "import matplotlib.pyplot as plt\nplt.plot([1, 3, 2])\n"


@pytest.fixture(scope="module")
def engine() -> Iterator[InProcessEngine]:
    """One for all tests here: it imports matplotlib once."""
    with InProcessEngine(OPTIONS) as engine:
        yield engine


@pytest.fixture
def bench(engine: InProcessEngine, tmp_path: Path) -> Bench:
    return Bench(engine, tmp_path)


def test_a_drawing_is_the_same_each_time(bench: Bench) -> None:
    one, two = (bench.one(PLOT, figure="a.svg") for _ in range(2))
    assert one.failure is two.failure is None
    assert len(one.figures) == 1
    assert one.figures == two.figures
    assert svg.difference(one.figures[0], two.figures[0]) is None


def test_it_holds_no_date_and_its_text_is_text(bench: Bench) -> None:
    done = bench.one(PLOT + 'plt.title("The loss")\n', figure="a.svg")
    [drawing] = done.figures
    assert ">The loss</text>" in drawing
    assert not re.search("dc:date|dc:creator|[Mm]atplotlib v", drawing)


def test_several_come_in_the_order_of_their_numbers(bench: Bench) -> None:
    code = PLOT + 'for k in (7, 3):\n    plt.figure(k)\n    plt.title(f"no {k}")\n'
    drawings = bench.one(code, figure="a.svg").figures
    assert [re.findall(r">(no \d)<", drawing) for drawing in drawings] == [[], ["no 3"], ["no 7"]]


def test_they_are_closed_by_their_fence_and_at_the_end_of_a_chain(bench: Bench) -> None:
    first, second = bench.outcomes(
        bench.chain(PLOT, "print(plt.get_fignums())", figure=None),
        bench.chain(PLOT, figure=None),
    )[:2]
    assert (first.figures, second.output) == ((), b"[1]\n")
    assert bench.one("import matplotlib.pyplot as plt; print(plt.get_fignums())").output == b"[]\n"
    one, two = bench.outcomes(bench.chain(PLOT, PLOT, figure="a.svg"))
    assert (len(one.figures), len(two.figures)) == (1, 1)


def test_settings_of_the_author_hold_and_ours_are_put_back(bench: Bench) -> None:
    code = (
        "import matplotlib.pyplot as plt\n"
        'plt.rcParams["svg.fonttype"] = "path"\n'
        'plt.rcParams["axes.facecolor"] = "#abcdef"\n' + PLOT
    )
    one, two = bench.outcomes(
        bench.chain(code, 'print(plt.rcParams["svg.fonttype"])\n' + PLOT, figure="a.svg")
    )
    assert "#abcdef" in one.figures[0]
    assert "<text" in one.figures[0]
    assert two.output == b"path\n"


def test_none_is_a_failure(bench: Bench) -> None:
    failure = bench.one("x = 1", figure="loss.svg").failure
    assert failure is not None
    assert failure.summary == (
        "`figure:loss.svg`, and no figure of matplotlib.pyplot is open when the fence ends"
    )


def test_without_matplotlib_the_failure_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert "matplotlib is not installed for " in figures._why_none("loss.svg")


def test_a_fence_that_may_raise_need_not_draw(bench: Bench) -> None:
    done = bench.one("1 / 0", figure="a.svg", may_raise=True)
    assert done.failure is not None
    assert done.failure.mro[0] == "ZeroDivisionError"
    done = bench.one(PLOT + "1 / 0", figure="a.svg", may_raise=True)
    assert len(done.figures) == 1


def test_a_fence_that_fails_draws_nothing(bench: Bench) -> None:
    assert bench.one(PLOT + "1 / 0", figure="a.svg").figures == ()


def test_what_cannot_be_drawn_is_the_fences_failure(bench: Bench) -> None:
    done = bench.one(PLOT + 'plt.title("$\\\\nocommand$")', figure="a.svg")
    assert done.failure is not None
    assert done.failure.summary.startswith("`figure:a.svg` cannot be drawn: ValueError")
    assert bench.one("import matplotlib.pyplot as plt; print(plt.get_fignums())").output == b"[]\n"


def test_what_drawing_prints_is_not_the_fences_output(bench: Bench) -> None:
    done = bench.one(
        PLOT + "print('mine')\nplt.gcf().canvas.mpl_connect('draw_event', print)\n"
        'plt.title("x", fontfamily="no such family")\n',
        figure="a.svg",
        stderr=True,
    )
    assert done.output == b"mine\n"


def test_too_large_a_drawing_is_a_failure(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "LIMIT", 1000)
    done = bench.one(PLOT, figure="a.svg")
    assert done.figures == ()
    assert done.failure is not None
    assert "and 1,000 are allowed" in done.failure.summary


def test_drawing_ends_with_the_time_limit(tmp_path: Path) -> None:
    """In a worker: an artist that never ends costs its fence only."""
    from fencerun.engines.worker import WorkerEngine

    slow = "class Slow(plt.Line2D):\n    def draw(self, renderer):\n        while True: pass\n"
    with WorkerEngine(OPTIONS, grace=0.4) as engine:
        bench = Bench(engine, tmp_path)
        done = bench.one(PLOT + slow + "plt.gca().add_line(Slow([0], [0]))", figure="a.svg",
                         timeout=4.0)  # fmt: skip
        assert done.failure is not None
        assert done.failure.kind == "timeout"
        assert len(bench.one(PLOT, figure="a.svg").figures) == 1
