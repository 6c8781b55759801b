"""JUnit XML, as Jenkins' schema has it: a suite a page, a case a fence. Written at the end.

A red run is never a green file: what has no fence to stand at becomes a case of its own.
"""

from __future__ import annotations

import re
from typing import TextIO
from xml.sax.saxutils import escape, quoteattr

from fencerun.events import Event, Problem, RunDone, Verdict
from fencerun.frozen import dataclass
from fencerun.reporters.details import INDENT, details
from fencerun.reporters.escape import one_line
from fencerun.reporters.tally import Tally
from fencerun.reporters.wording import (
    location,
    message,
    needs_attention,
    problem_head,
    severity,
    text,
    what,
)

#: What XML 1.0 has no way to say.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

#: Failures that are not the fence's own words: it never came to its end.
_BROKEN = frozenset({"crash", "timeout", "flood", "memory", "refused"})


@dataclass(frozen=True, slots=True)
class _Case:
    """A test case. ``result`` is empty for one that passed."""

    name: str
    seconds: float = 0.0
    result: str = ""
    type: str = ""
    message: str = ""
    body: str = ""


class JunitReporter:
    """Gathers the run, and writes it when it is closed."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._tally = Tally()
        self._written = False

    def handle(self, event: Event) -> None:
        """Take the event in."""
        self._tally.add(event)

    def close(self) -> None:
        """Write the file."""
        if not self._written:
            self._stream.write(_encodable(junit(self._tally), self._stream))
            self._stream.flush()
        self._written = True


def _encodable(document: str, stream: TextIO) -> str:
    """The document in characters that mean the same in UTF-8, which it declares."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    if encoding.lower().replace("-", "") == "utf8":
        return document
    return document.encode("ascii", "xmlcharrefreplace").decode("ascii")


def junit(tally: Tally) -> str:
    """The run as a JUnit document."""
    suites: dict[str, list[_Case]] = {}
    for problem in tally.problems:
        if problem.severity == "error":
            suites.setdefault(problem.page, []).append(_of_problem(problem))
    for verdict in tally.verdicts:
        suites.setdefault(verdict.page, []).append(_of_verdict(verdict))
    red = any(case.result in ("failure", "error") for cases in suites.values() for case in cases)
    done = tally.done or RunDone(6, 0.0, notes=("The run broke off.",))
    if done.exit_code and not red:
        why = " ".join(done.notes) or f"exit status {done.exit_code}"
        suites.setdefault("fencerun", []).append(
            _Case("run", result="error", type="run", message=why)
        )
    shown = "".join(_suite(name, cases) for name, cases in suites.items())
    every = [case for cases in suites.values() for case in cases]
    attributes = _attributes(name="fencerun", **_totals(every, skipped=False))
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites{attributes}>\n{shown}</testsuites>\n'
    )


def _of_problem(problem: Problem) -> _Case:
    words = text(problem_head(problem))
    name = f"problem {problem.code}, line {problem.line}"
    return _Case(name, result="error", type=problem.code, message=words, body=words)


def _of_verdict(verdict: Verdict) -> _Case:
    name = f"fence {verdict.fence}" + (" orphan" if verdict.kind == "orphan" else "")
    seconds = verdict.seconds or 0.0
    if needs_attention(verdict):
        broken = verdict.failure is not None and verdict.failure.kind in _BROKEN
        result = "error" if broken or verdict.kind in ("blocked", "refused") else "failure"
        lines = [message(verdict)]
        lines += (text(line).removeprefix(INDENT) for line in details(verdict))
        body = "\n".join(lines)
        return _Case(name, seconds, result, verdict.kind, message(verdict), body)
    if severity(verdict.kind) == "note":
        why = f"{verdict.reason}: {what(verdict)}" if verdict.reason else what(verdict)
        where = location(verdict.page, verdict.line)
        return _Case(name, seconds, "skipped", verdict.kind, why, f"{where}: {verdict.kind}")
    return _Case(name, seconds)


def _totals(cases: list[_Case], *, skipped: bool) -> dict[str, str | int]:
    results = [case.result for case in cases]
    totals: dict[str, str | int] = {
        "tests": len(cases),
        "failures": results.count("failure"),
        "errors": results.count("error"),
    }
    if skipped:
        totals["skipped"] = results.count("skipped")
    return {**totals, "time": f"{sum(case.seconds for case in cases):.3f}"}


def _suite(name: str, cases: list[_Case]) -> str:
    shown = "".join(_case(name, case) for case in cases)
    attributes = _attributes(name=name, **_totals(cases, skipped=True))
    return f"<testsuite{attributes}>\n{shown}</testsuite>\n"


def _case(suite: str, case: _Case) -> str:
    start = f"<testcase{_attributes(classname=suite, name=case.name, time=f'{case.seconds:.3f}')}"
    if not case.result:
        return f"{start}/>\n"
    attributes = _attributes(type=case.type, message=one_line(case.message))
    return (
        f"{start}>\n<{case.result}{attributes}>{escape(_xml(case.body))}</{case.result}>\n"
        "</testcase>\n"
    )


def _attributes(**attributes: str | int) -> str:
    return "".join(f" {name}={quoteattr(_xml(str(value)))}" for name, value in attributes.items())


def _xml(words: str) -> str:
    """``words`` without what XML cannot hold."""
    return _NOT_XML.sub("�", words)
