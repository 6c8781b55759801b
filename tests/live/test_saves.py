"""Whatever is saved, and whenever: what is known in the end is what a check would say."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import fencerun

from .desk import Desk, fence


@st.composite
def pages(draw: st.DrawFn) -> str:
    """A page whose fences continue each other now and then, with and without recordings."""
    parts = []
    for number in range(1, draw(st.integers(1, 4)) + 1):
        word = draw(st.sampled_from("ab"))
        parents = [None, *range(1, number)] if number > 1 else [None]
        parent = draw(st.sampled_from(parents))
        code = draw(
            st.sampled_from(
                (
                    f"x = {word!r}",
                    "print(globals().get('x'))",
                    f"print({word!r})",
                    "import helper; print(helper.word)",
                    "1 / 0",
                )
            )
        )
        tags = f"fence:{number}" + (f" continues:{parent}" if parent else "")
        tags += draw(st.sampled_from(("", "", " match:any", " raises:ZeroDivisionError")))
        recorded = draw(st.sampled_from((None, "a", "b", "None")))
        parts.append(fence(tags, code, recorded=recorded))
    return "\n".join(parts)


#: What is written, and whether its author waits for what comes of it.
SAVES = st.lists(
    st.tuples(
        st.one_of(
            st.tuples(st.just("a.md"), pages()),
            st.tuples(st.just("helper.py"), st.sampled_from(("word = 'a'\n", "word = 'b'\n"))),
            st.tuples(st.just("a.md"), st.just("```python fence:1\nunclosed")),
        ),
        st.booleans(),
    ),
    min_size=1,
    max_size=4,
)


@contextmanager
def desk() -> Iterator[Desk]:
    """A desk in a directory of its own."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        try:
            with Desk(Path(name).resolve()) as one:
                yield one
        finally:
            os.chdir(before)


@settings(
    max_examples=10,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize=True,
    database=None,
    phases=(Phase.generate,),  # each step of shrinking takes a second
)
@given(first=pages(), saves=SAVES, last=pages())
def test_what_is_known_is_what_a_check_would_say(
    first: str, saves: list[tuple[tuple[str, str], bool]], last: str
) -> None:
    with desk() as one:
        one.write("helper.py", "word = 'a'\n")
        one.write("a.md", first)
        one.open()
        one.live.run()
        one.settle()
        for (name, text), waits in [*saves, (("a.md", last), True)]:
            one.write(name, text)
            one.live.saved([name])
            if waits:
                one.settle()
        agrees(one)
        # What moves down without running again has its verdict there.
        one.save("a.md", f"A word.\n\n{last}")
        assert not one.started
        agrees(one)


def agrees(one: Desk) -> None:
    """What is known of a.md is what a check says."""
    page = one.live.page("a.md")
    assert page is not None
    assert not any(view.stale or view.queued for view in page.fences)
    known = {v.id: (v.verdict.kind, v.verdict.line) for v in page.fences if v.verdict}
    assert len(known) == len(page.fences)
    checked = fencerun.check("a.md").verdicts
    assert known == {v.id: (v.kind, v.line) for v in checked if v.kind != "orphan"}
