"""JUnit XML that a strict reader takes, and that is never green for a red run."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import get_args
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fencerun.events import Event, Problem, RunDone, RunStarted, VerdictKind
from fencerun.reporters import make
from fencerun.result import Failure, FailureKind

from .scripted import CRASH, GREEN, HOSTILE, LEAKY, MIXED, PROBLEM, play, run, verdict
from .xsd import Schema

SCHEMA = Schema(Path(__file__).parent / "junit.xsd")


def parsed(events: list[Event]) -> ElementTree.Element:
    document = play("junit", events)
    assert SCHEMA.faults(document) == []
    return ElementTree.fromstring(document.encode())


def test_a_mixed_run(golden: Callable[[str, str], None]) -> None:
    document = play("junit", MIXED)
    assert SCHEMA.faults(document) == []
    golden("junit.xml", document)


@pytest.mark.parametrize(
    ("whole", "broken", "fault"),
    [
        (" tests=", " test=", "testsuites has no attribute test"),
        ('time="15', 'time="soon15', "testsuites/@time is 'soon15.330'"),
        ("skipped", "ignored", "no element is called ignored"),
        ("</testcase>", "<skipped type='' message=''/></testcase>", "holds <failure><skipped>"),
        (' type="failed"', "", "failure lacks @type"),
        ("</testcase>", "text</testcase>", "testcase holds text"),
    ],
)
def test_the_schema_finds_faults(whole: str, broken: str, fault: str) -> None:
    document = play("junit", MIXED)
    assert whole in document
    assert any(fault in found for found in SCHEMA.faults(document.replace(whole, broken)))


@settings(max_examples=50)
@given(st.text(alphabet=st.characters(codec=None, exclude_categories=())))
def test_any_text_makes_valid_xml(text: str) -> None:
    for words in (text, text + HOSTILE):
        failure = Failure("exception", words, traceback=words)
        one = verdict("failed", what=words, output=words, failure=failure, page=f"{words}.md")
        parsed(run([one], problems=[Problem(words, 1, words, words)]))


def test_hostile_text_stays_text() -> None:
    root = parsed(run([verdict("failed", output=HOSTILE)]))
    body = root.find("testsuite/testcase/failure")
    assert body is not None
    assert "]]> </testcase> <b>&amp;" in (body.text or "")


@pytest.mark.parametrize(
    ("kind", "result"),
    [
        ("passed", None),
        ("recorded", None),
        ("elsewhere", None),
        ("skipped", "skipped"),
        ("kept", "skipped"),
        ("known", "skipped"),
        ("changed", "failure"),
        ("failed", "failure"),
        ("stale", "failure"),
        ("expired", "failure"),
        ("blocked", "error"),
        ("refused", "error"),
    ],
)
def test_results(kind: VerdictKind, result: str | None) -> None:
    (case,) = parsed(run([verdict(kind, reason="requires:cuda", what="w")])).iter("testcase")
    assert [child.tag for child in case] == ([result] if result else [])
    if result == "skipped":
        assert case[0].get("message") == "requires:cuda: w"


@pytest.mark.parametrize("kind", get_args(FailureKind))
def test_a_fence_that_never_ended_is_an_error(kind: FailureKind) -> None:
    broken = kind in ("crash", "timeout", "flood", "memory", "refused")
    (case,) = parsed(run([verdict("failed", failure=Failure(kind, "x"))])).iter("testcase")
    assert case[0].tag == ("error" if broken else "failure")


def test_totals() -> None:
    root = parsed(MIXED)
    for suite in root:
        cases = list(suite.iter("testcase"))
        assert suite.get("tests") == str(len(cases))
        for tag, name in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
            assert suite.get(name) == str(sum(case.find(tag) is not None for case in cases))
    assert root.get("tests") == str(len(list(root.iter("testcase"))))


def test_a_suite_a_page() -> None:
    root = parsed(run([verdict("passed", page="a.md"), CRASH, LEAKY], problems=[PROBLEM]))
    assert [suite.get("name") for suite in root] == [
        "lessons/03.md",
        "a.md",
        "lessons/09-custom-operators.md",
        "lessons/07.md",
    ]


@pytest.mark.parametrize(
    ("events", "message"),
    [
        (run([verdict("kept")], exit_code=5, notes=("no fence ran",)), "no fence ran"),
        (run([], exit_code=5), "exit status 5"),
        ([RunStarted("check", "", 1, 3)], "The run broke off."),
        ([RunDone(130, 1.0, interrupted=True)], "exit status 130"),
    ],
    ids=["nothing ran", "nothing", "broke off", "interrupted"],
)
def test_never_green_for_a_red_run(events: list[Event], message: str) -> None:
    root = parsed(events)
    assert root.get("errors") == "1"
    assert [one.get("message") for one in root.iter("error")] == [message]


def test_green_for_a_green_run() -> None:
    root = parsed(GREEN)
    assert (root.get("failures"), root.get("errors")) == ("0", "0")


def test_it_declares_what_it_is_encoded_in() -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="latin-1")
    reporter = make("junit", stream)
    for event in run([verdict("failed", what="é 語")]):
        reporter.handle(event)
    reporter.close()
    reporter.close()
    root = ElementTree.fromstring(stream.buffer.getvalue())
    assert [one.get("message") for one in root.iter("failure")] == [
        "lessons/07.md:10: failed: fence 1, é 語"
    ]
