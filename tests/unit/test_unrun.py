"""What is said of recordings whose fences do not run here."""

from __future__ import annotations

import dataclasses
import datetime
from pathlib import Path

import pytest

from fencerun.events import Verdict
from fencerun.frontmatter import PageSettings
from fencerun.gate import Gate
from fencerun.judgement import Judgement
from fencerun.members import Member, members
from fencerun.page import Page
from fencerun.plan import Idle
from fencerun.reader import parse
from fencerun.runs import Told
from fencerun.unrun import Unrun

from .course import TODAY, Machine, fence


def unrun(member: Member, today: datetime.date = TODAY, **more: object) -> Unrun:
    made = Unrun(Gate(Machine), (), lambda page: lambda path: None, today, **more)  # type: ignore[arg-type]
    made.settled[member.page.path] = {member.fence.number: member}
    return made


def only(text: str) -> Member:
    page: Page = parse(text.encode(), "p.md")
    assert not page.broken
    return members(page, PageSettings())[0]


def recorded(on: str = "nvidia-h200/torch-2.13.0/2026-11-29", text: str = "7") -> Member:
    """A gated fence with a recording whose key fits."""
    bare = only(fence("fence:1 requires:cuda"))
    said = dict(unrun(bare).stamp(bare, [text]) or ())
    return only(fence("fence:1 requires:cuda", text, said=f" key:{said['key']} on:{on}"))


def idle(member: Member, kind: str = "unmet") -> Idle:
    return Idle(member, kind, "requires:cuda", "no CUDA device")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("days", "kind", "what"),
    [
        (0, "kept", "recorded on nvidia-h200 with torch-2.13.0, today"),
        (-1, "kept", "recorded on nvidia-h200 with torch-2.13.0, today"),
        (1, "kept", "recorded on nvidia-h200 with torch-2.13.0, 1 day ago"),
        (30, "kept", "recorded on nvidia-h200 with torch-2.13.0, 30 days ago"),
        (31, "expired", "31 days ago; the project allows 30 days"),
        (-2, "edited", "its `on:` does not say where and when it was recorded"),
    ],
)
def test_age(days: int, kind: str, what: str) -> None:
    member = recorded()
    known = unrun(member, TODAY + datetime.timedelta(days), max_kept_days=30)
    verdict = known.verdict(idle(member))
    assert verdict.kind == kind
    assert what in verdict.what
    assert verdict.reason == "requires:cuda"


def test_without_a_policy_nothing_expires() -> None:
    member = recorded()
    known = unrun(member, TODAY + datetime.timedelta(5000))
    assert known.verdict(idle(member)).kind == "kept"


def test_a_skipped_fence_is_only_skipped() -> None:
    verdict = unrun(recorded()).verdict(idle(recorded(), "skip"))
    assert (verdict.kind, verdict.what) == ("skipped", "no CUDA device")


@pytest.mark.parametrize(
    ("member", "kind", "line"),
    [
        (only(fence("fence:1 requires:cuda")), "missing", 1),
        (only(fence("fence:1 requires:cuda", "7")), "stale", 1),
        (only(fence("fence:1 requires:cuda", "7", said=" key:00000000.00000000")), "stale", 1),
        (recorded(text="7", on="nowhere"), "edited", 6),
    ],
    ids=["never recorded", "no key", "another key", "no date"],
)
def test_what_cannot_be_kept_says_where_to_record_it(member: Member, kind: str, line: int) -> None:
    verdict = unrun(member).verdict(idle(member))
    assert (verdict.kind, verdict.line) == (kind, line)
    assert "run `fencerun record p.md::1` where requires:cuda holds" in verdict.remedy


@pytest.mark.parametrize(
    ("info", "device"),
    [
        ("requires:cuda", "nvidia-h200"),
        ("requires:gpus>=2", "nvidia-h200"),
        ("requires:sm>=90,slow", "nvidia-h200"),
        ("requires:slow", "cpu"),
        ("requires:cxx", "cpu"),
    ],
)
def test_the_device_is_that_of_what_is_required(info: str, device: str) -> None:
    member = only(fence(f"fence:1 {info}"))
    assert unrun(member).here(member) == f"{device}/torch-2.13.0/2026-11-29"


def test_a_fence_without_requirements_has_no_provenance() -> None:
    member = only(fence())
    assert unrun(member).stamp(member, ["7"]) is None


def test_what_stands_is_kept_until_it_is_renewed() -> None:
    member = recorded()
    later = TODAY + datetime.timedelta(3)
    assert dict(unrun(member, later).stamp(member, ["7"]) or ())["on"].endswith("/2026-11-29")
    for made in (
        unrun(member, later, renew=True).stamp(member, ["7"]),
        unrun(member, later).stamp(member, ["8"]),
    ):
        assert dict(made or ())["on"].endswith("/2026-12-02")


def test_elsewhere_is_another_device_and_the_same_code() -> None:
    assert not unrun(recorded()).elsewhere(recorded())
    other = recorded(on="nvidia-a100/torch-2.13.0/2026-11-29")
    assert unrun(other).elsewhere(other)
    for text in (
        fence("fence:1 requires:cuda", "7"),
        fence("fence:1 requires:cuda", "7", said=" on:nvidia-a100/torch-2.13.0/2026-11-29"),
        fence("fence:1 requires:cuda"),
    ):
        assert not unrun(only(text)).elsewhere(only(text))


def test_what_no_run_tells_of_is_recorded_where_its_requirements_hold() -> None:
    for member in (recorded(on="nowhere"), only(fence("fence:1 requires:cuda,sm>=90"))):
        verdict = unrun(member).verdict(Idle(member, "told", "not run here", "no run tells of it"))
        requires = ",".join(member.requires)
        assert f"run `fencerun record p.md::1` where requires:{requires} holds" in verdict.remedy


def test_what_has_expired_is_renewed() -> None:
    known = unrun(recorded(), TODAY + datetime.timedelta(31), max_kept_days=30)
    remedy = known.verdict(idle(recorded())).remedy
    assert remedy == "run `fencerun record --renew p.md::1` where requires:cuda holds"


@pytest.mark.parametrize("values", [(), ("5", "6")], ids=["too few", "too many"])
def test_a_run_that_does_not_say_what_values_come_to_tells_nothing(values: tuple[str, ...]) -> None:
    page = fence("fence:1 requires:cuda") + '\n<span data-fence="1:x">4</span>\n'
    member = only(page)
    key = unrun(member).passport(member, Judgement(Verdict("", "passed", "", 1, 1)))[0]
    told = Verdict("p.md::1", "passed", "p.md", 1, 1, printed=("7",), key=key, on="x/y/2026-11-29")
    for said, kind in ((values, "refused"), (("5",), "unrecorded")):
        runs = {"p.md::1": [Told("gpu.jsonl", dataclasses.replace(told, values=said))]}
        known = unrun(member, told=runs)
        known.settled["p.md"] = {1: member}
        assert known.judgement(idle(member, "told")).verdict.kind == kind


def test_a_remedy_can_be_pasted() -> None:
    page = parse(fence("fence:1 requires:cuda").encode(), "a b.md")
    (member,) = members(page, PageSettings())
    remedy = unrun(member).verdict(idle(member)).remedy
    assert remedy == "run `fencerun record 'a b.md::1'` where requires:cuda holds"


def test_modules_beside_the_page_are_read_through_what_is_handed_in(tmp_path: Path) -> None:
    member = only(fence("fence:1 requires:cuda", code="import helper"))
    known = unrun(member)
    files = {"helper.py": b"x = 1\n"}
    known.beside = lambda page: files.get
    assert "module helper.py" in [part.name for part in known.parts(member)]
    said = dict(known.stamp(member, ["7"]) or ())
    text = fence("fence:1 requires:cuda", "7", code="import helper", said=f" key:{said['key']}")
    files["helper.py"] = b"x = 2\n"
    known.settled["p.md"] = {1: only(text)}
    verdict = known.verdict(idle(only(text)))
    assert verdict.what == "its code, or a file that it uses, changed since it was recorded"


@pytest.mark.parametrize(
    "text",
    ["<!-- fence:1 hidden requires:cuda\nx\n-->\n",
     "<!-- fencerun: record=none -->\n\n```python fence:1 requires:cuda\nx\n```\n",
     "<!-- fencerun: record=present -->\n\n```pycon fence:1 requires:cuda\n>>> x\n```\n"],
    ids=["hidden", "none", "present"],
)  # fmt: skip
def test_what_is_not_recorded_is_not_missed(text: str) -> None:
    member = only(text)
    assert unrun(member).verdict(idle(member)).kind == "skipped"
    assert unrun(member).stamp(member, ["7"]) is None


def test_a_transcript_keeps_its_own_provenance() -> None:
    block = "```pycon fence:1{} requires:cuda mask:address\n>>> hex(0x7f00)\n{}\n```\n"
    bare = only(block.format("", "'<address>'"))
    assert bare.fence.recording is not None
    said = dict(unrun(bare).stamp(bare, bare.fence.recording.text) or ())
    words = f" key:{said['key']} on:nvidia-h200/torch-2.13.0/2026-11-29"
    kept = only(block.format(words, "'<address>'"))
    assert unrun(kept).verdict(idle(kept)).kind == "kept"
    edited = only(block.format(words, "'by hand'"))
    assert unrun(edited).verdict(idle(edited)).kind == "edited"
    stale = only(block.format(words, "'<address>'").replace("hex(", "oct("))
    assert unrun(stale).verdict(idle(stale)).kind == "stale"
    assert unrun(bare).verdict(idle(bare)).kind == "stale"


def test_a_transcript_that_shows_nothing_is_missing() -> None:
    member = only("```console fence:1 requires:cuda\n$ nvidia-smi\n```\n")
    assert unrun(member).verdict(idle(member)).kind == "missing"
