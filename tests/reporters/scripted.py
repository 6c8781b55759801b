"""Scripted runs: lists of events as a session would make them."""

from __future__ import annotations

from collections.abc import Iterable
from io import StringIO
from typing import Any

from fencerun.events import (
    DiffLine,
    Event,
    FenceDone,
    FenceStarted,
    PageDone,
    PageStarted,
    Problem,
    ProblemFound,
    RunDone,
    RunStarted,
    Verdict,
    VerdictKind,
)
from fencerun.reporters import make
from fencerun.result import Failure, Leak

ABOUT = "Python 3.11.7 (.venv/bin/python), torch 2.13.0"

TRACE = """\
Traceback (most recent call last):
  File "lessons/07.md", line 41, in <module>
    loss = opt.step()
           ^^^
NameError: name 'opt' is not defined
"""

LONG_TRACE = """\
Traceback (most recent call last):
  File "lessons/07.md", line 90, in <module>
    train(model)
  File "lessons/07.md", line 71, in train
    return model(x)
RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)
"""

NOT_RUN = ("skipped", "kept", "stale", "missing", "edited", "expired", "orphan")


def verdict(
    kind: VerdictKind, fence: int = 1, line: int = 10, page: str = "lessons/07.md", **more: Any
) -> Verdict:
    """A verdict with an id that fits."""
    return Verdict(id=f"{page}::{fence}", kind=kind, page=page, fence=fence, line=line, **more)


NAME_ERROR = verdict(
    "failed",
    4,
    41,
    what="NameError: name 'opt' is not defined",
    remedy="`opt` is made by fence 3 (line 30): write `fence:4 continues:3`.",
    failure=Failure(
        "exception",
        "NameError: name 'opt' is not defined",
        line=41,
        traceback=TRACE,
        missing_name="opt",
    ),
    source="loss = opt.step()",
    output="epoch 1\nepoch 2\n",
    seconds=0.3,
)

ASSERT = verdict(
    "failed",
    5,
    71,
    what="AssertionError",
    failure=Failure(
        "exception",
        "AssertionError",
        line=71,
        traceback="Traceback (most recent call last):\n"
        '  File "lessons/07.md", line 71, in <module>\n'
        "    assert x.sum() == 4\n           ^^^^^^^^^^^^\nAssertionError\n",
        values=(("x.sum()", "3.0"), ("x", "tensor([1., 2.])")),
    ),
    source="assert x.sum() == 4",
    seconds=0.01,
)

NESTED = verdict(
    "failed",
    6,
    71,
    what="RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)",
    failure=Failure(
        "exception",
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)",
        line=71,
        traceback=LONG_TRACE,
    ),
    source="    return model(x)",
    seconds=2.5,
)

CRASH = verdict(
    "failed",
    9,
    120,
    page="lessons/09-custom-operators.md",
    what="the process died of SIGSEGV (signal 11)",
    failure=Failure("crash", "the process died of SIGSEGV (signal 11)", line=120),
    source="ctypes.string_at(0)",
    output="".join(f"step {n}\n" for n in range(40)),
    stderr="Fatal Python error: Segmentation fault\n",
    replaced="the process died of SIGSEGV",
    seconds=12.3,
)

CHANGED = verdict(
    "changed",
    7,
    61,
    what="line 2 of 14 differs",
    remedy="fencerun record lessons/07.md::7",
    diff=(
        DiffLine(" ", "epoch 1", 60),
        DiffLine("-", "loss 0.31", 61),
        DiffLine("+", "loss 0.29"),
        DiffLine("~", "12 equal lines"),
    ),
    seconds=0.2,
)

BLOCKED = verdict("blocked", 8, 75, what="fence 4, which it continues, failed")
STALE = verdict(
    "stale",
    10,
    130,
    what="its code changed since it was recorded on nvidia-h200",
    remedy="fencerun record lessons/07.md::10 --requires cuda",
    reason="requires:cuda",
)
KEPT = verdict("kept", 101, 140, what="recorded 3 days ago on nvidia-h200", reason="requires:cuda")
OVERDUE = verdict(
    "expired",
    12,
    150,
    what="recorded 200 days ago, and max_kept_days is 90",
    remedy="fencerun record --renew lessons/07.md::12",
    reason="requires:cuda",
)
SKIPPED = verdict("skipped", 102, 160, reason="slow")
LEAKY = verdict(
    "passed",
    14,
    170,
    seconds=0.02,
    leaks=(
        Leak("default dtype", "torch.float32", "torch.float64", undone=True, fence=14, line=172),
        Leak("thread", "", "Thread-1 (spin)", undone=False, fence=14, line=173),
    ),
    replaced="a thread was left running",
)

PROBLEM = Problem(
    "lessons/03.md",
    12,
    "duplicate-fence",
    "fence 3 is there twice",
    "Write `fence:4` at line 30.",
    also=(30,),
)
WARNING = Problem("lessons/03.md", 80, "cites", "the text cites fence 9", severity="warning")


def run(
    verdicts: Iterable[Verdict],
    *,
    verb: str = "check",
    problems: Iterable[Problem] = (),
    exit_code: int = 0,
    seconds: float = 3.21,
    written: bool = False,
    **end: Any,
) -> list[Event]:
    """The events of a run that comes to these verdicts."""
    verdicts, problems = tuple(verdicts), tuple(problems)
    pages = {one.page: None for one in verdicts}
    events: list[Event] = [RunStarted(verb, ABOUT, len(pages), len(verdicts))]
    events += [ProblemFound(problem) for problem in problems]
    for page in pages:
        of_page = [one for one in verdicts if one.page == page]
        runs = [one for one in of_page if one.kind not in NOT_RUN]
        events.append(PageStarted(page, len(runs)))
        for one in of_page:
            if one in runs:
                events.append(FenceStarted(one.id, one.page, one.fence, one.line))
            events.append(FenceDone(one))
        events.append(PageDone(page, written))
    end = {"verdicts": verdicts, "problems": problems, **end}
    return [*events, RunDone(exit_code, seconds, **end)]


def passed(number: int, page: str = "lessons/07.md") -> list[Verdict]:
    """So many fences that are as recorded."""
    return [verdict("passed", n, 10 * n, page, seconds=0.01) for n in range(1, number + 1)]


MIXED = run(
    [NAME_ERROR, ASSERT, NESTED, CHANGED, BLOCKED, STALE, KEPT, OVERDUE, SKIPPED, LEAKY, CRASH],
    problems=[PROBLEM, WARNING],
    exit_code=3,
    rerun="fencerun check lessons/07.md::4 lessons/07.md::5 lessons/09-custom-operators.md::9",
)

GREEN = run([*passed(38), SKIPPED, KEPT])

HOSTILE = (
    "[red]not markup[/red] \x1b[31mred\x1b[0m\x07 ]]> </testcase> <b>&amp; | `` `\r\n"
    "::error file=x::forged\n##[error]forged\n\u202eright-to-left\ud800 a%0Ab"
)


def play(name: str, events: Iterable[Event], **options: Any) -> str:
    """What the reporter writes."""
    stream = StringIO()
    reporter = make(name, stream, **options)
    for event in events:
        reporter.handle(event)
    reporter.close()
    return stream.getvalue()
