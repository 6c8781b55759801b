"""Verdicts on values in prose, beside that on their fence's output."""

from __future__ import annotations

import pytest

from fencerun.bound import judge
from fencerun.events import Verdict, VerdictKind
from fencerun.judgement import Judgement
from fencerun.reader import parse
from fencerun.result import ValueResult
from fencerun.rule import Rule
from fencerun.values import Value

PAGE = """```python fence:1
```

It is <span data-fence="1:a">1.0</span>, <span data-fence="1:b">two</span>
and <span data-fence="1:c" data-rtol="10%">3.0</span>.
"""
VALUES: tuple[Value, ...] = parse(PAGE.encode(), "p.md").values


def verdict(kind: VerdictKind) -> Verdict:
    return Verdict("p.md::1", kind, "p.md", 1, 1, what="what", remedy="remedy")


def judged(*texts: str, kind: VerdictKind = "passed", rule: Rule | None = None) -> Judgement:
    results = [ValueResult(text) for text in texts]
    return judge(Judgement(verdict(kind)), VALUES, results, rule or Rule())


def test_values_that_say_so() -> None:
    found = judged("1.0", "two", "3.2")
    assert found.verdict == verdict("passed")
    assert (found.values, found.bindings) == (("1.0", "two", "3.2"), ())


def test_a_value_that_says_something_else() -> None:
    found = judged("1.0", "2\n", "3.0")
    assert (found.verdict.kind, found.verdict.line) == ("changed", 4)
    assert found.verdict.what == "`b` is 2, and the page says two"
    assert found.verdict.remedy == "fencerun record p.md::1"
    assert found.bindings == ((VALUES[1], "2"),)


def test_several_values() -> None:
    found = judged("1.5", "2", "9.0")
    assert found.verdict.what == "`a` is 1.5, and the page says 1.0, and 2 more values"
    assert len(found.bindings) == 3


def test_the_rule_of_the_fence_and_of_the_value() -> None:
    rule = Rule(rtol=0.5)
    assert judged("1.4", "two", "3.2", rule=rule).bindings == ()
    assert [text for _, text in judged("1.0", "two", "3.4", rule=rule).bindings] == ["3.4"]


@pytest.mark.parametrize(
    ("kind", "texts", "expected", "remedy"),
    [
        ("elsewhere", ("1.0", "2", "3.0"), "changed", "fencerun record p.md::1"),
        ("changed", ("1.0", "2", "3.0"), "changed", "remedy"),
        ("unrecorded", ("1.0", "2", "3.0"), "unrecorded", "remedy"),
        ("rounding", ("1.1", "two", "3.0"), "rounding", "remedy"),
        ("rounding", ("1.1", "2", "3.0"), "changed", "fencerun record p.md::1"),
    ],
)
def test_beside_another_verdict(
    kind: VerdictKind, texts: tuple[str, ...], expected: VerdictKind, remedy: str
) -> None:
    found = judged(*texts, kind=kind).verdict
    assert (found.kind, found.remedy) == (expected, remedy)
    assert "the page says" in found.what
    assert (found.what.startswith("what; line 4: "), found.line == 1) == (kind != "elsewhere",) * 2


@pytest.mark.parametrize("result", [ValueResult(None, "KeyError: 'x'"), ValueResult(None)])
def test_a_value_that_cannot_be_computed_fails_its_fence(result: ValueResult) -> None:
    results = [ValueResult("1.0"), result, ValueResult("4.0")]
    found = judge(Judgement(verdict("passed")), VALUES, results, Rule())
    assert (found.verdict.kind, found.verdict.line) == ("failed", 4)
    assert found.verdict.what == f"the value `b`: {result.error}"
    assert found.verdict.failure is not None
    assert found.verdict.failure.line == 4
    assert found.bindings == ()
