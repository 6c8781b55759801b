"""The job summary, read by a CommonMark parser."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest
from markdown_it import MarkdownIt

from fencerun.events import Event, Problem
from fencerun.reporters.markdown import fenced, job_summary, plain
from fencerun.reporters.tally import Tally
from fencerun.result import Failure

from .scripted import HOSTILE, MIXED, run, verdict


def summary(events: Iterable[Event]) -> str:
    tally = Tally()
    for event in events:
        tally.add(event)
    return job_summary(tally)


def test_a_mixed_run(golden: Callable[[str, str], None]) -> None:
    golden("summary.md", summary(MIXED))


@pytest.mark.parametrize(
    "words",
    ["a | b", "<b>&amp;", "**x** _y_ `z`", "[a](b)", "![i](j)", "a\\b", ":tada:", "~~x~~", "$x$"],
)
def test_plain_shows_words_as_they_are(words: str) -> None:
    (paragraph,) = MarkdownIt().enable("strikethrough").parseInline(plain(words))
    assert paragraph.children is not None
    assert {child.type for child in paragraph.children} <= {"text", "text_special"}
    assert "".join(child.content for child in paragraph.children) == words


def test_hostile_text_stays_in_its_place() -> None:
    failure = Failure("exception", HOSTILE, traceback=HOSTILE)
    hostile = verdict(
        "failed", what=HOSTILE, output=HOSTILE + "\n````\n</details>", failure=failure, page=HOSTILE
    )
    shown = summary(run([hostile], problems=[Problem(HOSTILE, 1, "x", HOSTILE)], rerun=HOSTILE))
    tokens = MarkdownIt().enable("table").parse(shown)
    inline = [child for token in tokens for child in token.children or ()]
    assert not [child for child in inline if child.type == "html_inline"]
    html = [token.content for token in tokens if token.type == "html_block"]
    assert [block.strip()[:9] for block in html] == ["<details>", "</details"]
    assert "<b>" not in "".join(html)
    assert sum(token.type == "fence" for token in tokens) == 2
    assert sum(token.type == "tr_open" for token in tokens) == 2


def test_a_delimiter_is_longer_than_any_run_inside() -> None:
    assert fenced("a ```` b").startswith("`````text\n")


def test_a_large_summary_stays_under_githubs_limit() -> None:
    output = "".join(f"{'語' * 590}\n" for _ in range(12))
    many = [verdict("failed", n, n, output=output, what="x" * 500) for n in range(1, 300)]
    shown = summary(run(many, rerun="fencerun check"))
    assert len(shown.encode()) < 1 << 20
    assert "parts are in the log" in shown
    assert shown.rstrip().endswith("fencerun check\n```")
