"""What one outcome and one recording come to, where a whole run would show too little."""

from __future__ import annotations

import pytest
from engines.scripted import raised

from fencerun.failing import SHOWN, blocked
from fencerun.frontmatter import PageSettings
from fencerun.judge import judge, rule_of
from fencerun.masks import Mask
from fencerun.members import Member, members
from fencerun.page import Page
from fencerun.reader import parse
from fencerun.result import Failure, Outcome
from fencerun.tags import Raises, Tags, Tolerance

from .course import fence

LIMIT = 64 << 10
OWN = (Mask("run", r"run-[0-9]+", "<run>"),)


def only(text: str) -> Member:
    """The last fence of a page."""
    page: Page = parse(text.encode(), "lessons/p.md")
    assert not page.broken
    return members(page, PageSettings())[-1]


def test_tags_become_a_rule() -> None:
    tags = Tags(
        rtol=Tolerance(0.1),
        atol=Tolerance(1e-3),
        ints=True,
        match="unordered",
        mask=("address",),
        varies=("run", "time"),
    )
    rule = rule_of(tags, OWN)
    assert (rule.rtol, rule.atol, rule.ints, rule.match) == (0.1, 1e-3, True, "unordered")
    assert {mask.name for mask in rule.masks} == {"address"}
    assert {mask.name for mask in rule.varies} == {"run", "time"}
    assert rule_of(Tags(rtol=Tolerance(any=True)), ()).any_number
    assert rule_of(Tags(), ()).match == "exact"


@pytest.mark.parametrize(
    ("failure", "remedy"),
    [
        (raised("KeyError", "k"), "fencerun check lessons/p.md::2"),
        (
            raised("NameError", missing_name="opt"),
            "`opt` is made by fence 1 (line 1): write `fence:2 continues:1`",
        ),
        (raised("NameError", missing_name="later"), "fencerun check lessons/p.md::2"),
        (raised("NameError", missing_name="here"), "fencerun check lessons/p.md::2"),
    ],
    ids=["any", "made earlier", "made nowhere", "made in the fence itself"],
)
def test_remedies(failure: Failure, remedy: str) -> None:
    member = only(fence("fence:1", code="opt = 1") + fence("fence:2", code="here = later"))
    assert judge(member, Outcome(failure=failure), (), LIMIT).verdict.remedy == remedy


def test_remedies_can_be_pasted() -> None:
    (member,) = members(parse(fence(output="1").encode(), "a b.md"), PageSettings())
    for outcome in (Outcome(b"2\n"), Outcome(failure=raised("KeyError"))):
        verdict = judge(member, outcome, (), LIMIT).verdict
        assert verdict.remedy.endswith(" 'a b.md::1'")


def test_a_failure_shows_the_ends_of_what_was_printed() -> None:
    output = b"first\n" + b"x\n" * SHOWN + b"last \x1b[1mone\x1b[0m\n"
    failed = Outcome(output, b"\xff\n", failure=raised("KeyError", line=2))
    verdict = judge(only(fence(code="a")), failed, (), LIMIT).verdict
    shown = verdict.output.split("\n")
    assert (shown[0], shown[-1]) == ("first", "last one")
    assert len(verdict.output.encode()) <= SHOWN
    assert (verdict.stderr, verdict.source) == ("\\xff", "a")


def test_a_line_of_another_fence_has_no_source_here() -> None:
    member = only(fence("fence:1", code="a") + fence("fence:2", code="b"))
    verdict = judge(member, Outcome(failure=raised("KeyError", line=2)), (), LIMIT).verdict
    assert (verdict.line, verdict.source) == (2, "")


def test_what_moved_most_is_named() -> None:
    member = only(fence(output="0.5\n1.0 of 2.0\n0.25"))
    verdict = judge(member, Outcome(b"0.5\n1.001 of 2.2\n0.2501\n"), (), LIMIT).verdict
    assert verdict.kind == "rounding"
    assert verdict.what == "line 7: 2.0 recorded, 2.2 printed (0.1 relative), and 2 more"
    assert verdict.line == 7


@pytest.mark.parametrize(
    ("recorded", "printed", "offered"),
    [("1.0", "1.001", "`rtol:1e-3`"), ("1.0", "1.05", "`rtol:1e-1`"), ("0.9", "0.2", "")],
)
def test_no_tolerance_is_offered_that_lets_anything_pass(
    recorded: str, printed: str, offered: str
) -> None:
    verdict = judge(only(fence(output=recorded)), Outcome(printed.encode()), (), LIMIT).verdict
    assert verdict.kind == ("rounding" if offered else "changed")
    assert offered in verdict.remedy
    assert ("rtol" in verdict.remedy) == bool(offered)


def test_a_line_that_still_matches_stays_as_it_is_recorded() -> None:
    member = only(fence("fence:1 rtol:1e-2", "0.25\nold"))
    judgement = judge(member, Outcome(b"0.2501\nnew\n"), (), LIMIT)
    assert judgement.lines == ("0.25", "new")
    assert judgement.printed == ("0.2501", "new")


def test_both_sides_are_made_canonical() -> None:
    member = only(fence("fence:1 mask:run", "run-7  \nb\n\n"))
    assert judge(member, Outcome(b"run-9\n\x1b[1mb\x1b[0m"), OWN, LIMIT).verdict.kind == "passed"


@pytest.mark.parametrize(
    ("raises", "message", "line"),
    [
        (Raises("ValueError"), "", "ValueError"),
        (Raises("ValueError"), "  one\ntwo  \n\nthree", "ValueError: one\ntwo"),
        (Raises("ValueError", "two"), "one\ntwo", "ValueError: one\ntwo"),
        (Raises("builtins.ValueError"), "x", None),
    ],
)
def test_the_line_that_an_expected_exception_adds(
    raises: Raises, message: str, line: str | None
) -> None:
    text = f": {raises.text}" if raises.text else ""
    member = only(fence(f'fence:1 raises:"{raises.type}{text}"'))
    judgement = judge(member, Outcome(failure=raised("ValueError", message)), (), LIMIT)
    assert (judgement.printed and "\n".join(judgement.printed)) == line


def test_what_blocks_is_named_with_its_reason() -> None:
    text = fence("fence:1", code="a") + "\n" + fence("fence:2 continues:1", code="b")
    page = parse(text.encode(), "p.md")
    first, second = members(page, PageSettings())
    verdict = blocked(second, first, raised("KeyError", "k"))
    assert (verdict.id, verdict.kind, verdict.line) == ("p.md::2", "blocked", 5)
    assert verdict.what == "fence 1 before it failed: KeyError: k"
    assert verdict.remedy == "mend fence 1 (line 1)"


def test_a_shell_that_is_to_end_with_a_status() -> None:
    member = only("```bash fence:1 exit:3\nexit 3\n```\n")

    def kind(failure: Failure | None) -> str:
        return judge(member, Outcome(failure=failure), (), 1 << 16).verdict.kind

    assert kind(Failure("exit", "ended with status 3", message="3")) == "passed"
    assert kind(Failure("exit", "ended with status 4", message="4")) == "failed"
    assert kind(Failure("timeout", "no end", message="3")) == "failed"
    assert kind(None) == "failed"


@pytest.mark.parametrize(
    ("failure", "text", "remedy"),
    [
        (Failure("exit", "x", message="2"), "```sh fence:1\n```\n", "write `exit:2`"),
        (Failure("exit", "x", message="-9"), "```sh fence:1\n```\n", "fencerun check"),
        (raised("KeyError", "k"), "```pycon fence:1\n>>> x\n```\n", "`Traceback (most recent"),
        (Failure("timeout", "x"), "```pycon fence:1\n>>> x\n```\n", "fencerun check"),
    ],
)
def test_remedies_of_shells_and_sessions(failure: Failure, text: str, remedy: str) -> None:
    judgement = judge(only(text), Outcome(failure=failure), (), 1 << 16)
    assert remedy in judgement.verdict.remedy


SESSION = "```console fence:1{}\n$ echo a\n{}$ echo b\nb\n```\n"


@pytest.mark.parametrize(
    ("tags", "shown", "turns", "kind"),
    [
        ("", "a\n", (b"a\n", b"b\n"), "passed"),
        ("", "a\n", (b"x\n", b"b\n"), "changed"),
        ("", "1.0\n", (b"1.05\n", b"b\n"), "rounding"),
        (" quiet", "a\n", (b"x\n", b"y\n"), "passed"),
        (" rtol:1", "1.0\n", (b"1.5\n", b"b\n"), "passed"),
    ],
)
def test_sessions(tags: str, shown: str, turns: tuple[bytes, ...], kind: str) -> None:
    member = only(SESSION.format(tags, shown))
    judgement = judge(member, Outcome(b"".join(turns), turns=turns), (), 1 << 16)
    assert judgement.verdict.kind == kind
    assert judgement.news == (kind != "passed")
    if kind == "changed":
        assert judgement.lines == ("$ echo a", "x", "$ echo b", "b")
        assert judgement.verdict.line == 3


def test_a_session_without_output_is_unrecorded() -> None:
    member = only("```console fence:1\n$ echo a\n```\n")
    judgement = judge(member, Outcome(b"a\n", turns=(b"a\n",)), (), 1 << 16)
    assert judgement.verdict.kind == "unrecorded"
    assert judgement.lines == ("$ echo a", "a")
    assert judge(member, Outcome(turns=(b"",)), (), 1 << 16).verdict.kind == "passed"
