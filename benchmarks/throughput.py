"""What a fence costs without torch: against doctest and markdown-code-runner, and on long pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks import pages
from benchmarks.environments import environment
from benchmarks.figures import Figure, figure, ratios, seconds
from benchmarks.measure import Command, control, fencerun, in_turns, python

#: Fences on the page that is compared.
COUNT = 1000

#: CPU seconds of a fence that shows whether the worker's time is counted at all.
BURNT = 1.0


def many(work: Path, rounds: int) -> Iterator[Figure]:
    """1,000 fences of one line, whole processes; and what each of them adds."""
    commands = {
        "one": _check(work, 1),
        "many": _check(work, COUNT),
        "parsed": _check(_forgetful(work), COUNT),
        "importing": _check(work, COUNT, "-importing", pages.importing()),
        "doctest": _doctest(work, COUNT),
        "runner": _code_runner(work, COUNT),
    }
    control(_burning(work), BURNT)
    samples = in_turns(commands, rounds)
    ours = samples["many"]
    name = f"`check` of {COUNT:,} one-line fences"
    yield figure(
        f"{name} / `python -m doctest` on the same blocks", "×",
        ratios(ours, samples["doctest"]), 4.0, f"{seconds(ours)} / {seconds(samples['doctest'])}",
    )  # fmt: skip
    yield figure(
        "the same, the page parsed each time", "×",
        ratios(samples["parsed"], samples["doctest"]), None, seconds(samples["parsed"]),
    )  # fmt: skip
    yield figure(
        f"{name} / markdown-code-runner on the same blocks (aim: 1)", "×",
        ratios(ours, samples["runner"]), None, f"{seconds(ours)} / {seconds(samples['runner'])}",
    )  # fmt: skip
    for name, what in (("many", "no torch"), ("importing", "no torch, that imports something")):
        further = [
            (all_.cpu - one.cpu) / (COUNT - 1) * 1000
            for all_, one in zip(samples[name], samples["one"], strict=True)
        ]
        yield figure(f"each further fence, {what}", "ms", further, 0.25)


def long(work: Path, rounds: int) -> Iterator[Figure]:
    """Whether a page five times as long costs five times as much."""
    sizes = (1, COUNT, 5 * COUNT)
    samples = in_turns({str(size): _check(work, size) for size in sizes}, max(3, rounds // 3))
    one, short, five = (samples[str(size)] for size in sizes)
    growth = [
        (big.cpu - start.cpu) / (small.cpu - start.cpu) * (COUNT - 1) / (5 * COUNT - 1)
        for start, small, big in zip(one, short, five, strict=True)
    ]
    yield figure(
        "a fence on a page of 5,000 / on a page of 1,000 (linear: 1)", "×", growth, 1.15,
        f"{seconds(five)} / {seconds(short)}",
    )  # fmt: skip


def single(work: Path, rounds: int) -> Iterator[Figure]:
    """The start: a page with one fence."""
    commands = {
        "fencerun": _check(work, 1),
        "parsed": _check(_forgetful(work), 1),
        "doctest": _doctest(work, 1),
        "python": Command(python("-c", "pass"), work),
    }
    samples = in_turns(commands, 3 * rounds)
    ours, theirs = samples["fencerun"], samples["doctest"]
    yield figure(
        "`check` of a page with one fence / `python -m doctest` on it", "×", ratios(ours, theirs),
        2.5, f"{seconds(ours)} / {seconds(theirs)}; `python -c pass` {seconds(samples['python'])}",
    )  # fmt: skip
    yield figure(
        "the same, the page parsed each time", "×", ratios(samples["parsed"], theirs),
        None, seconds(samples["parsed"]),
    )  # fmt: skip


def _forgetful(work: Path) -> Path:
    """A project where nothing can be kept, so that a page is always new."""
    project = work / "forgetful"
    project.mkdir(exist_ok=True)
    (project / "pyproject.toml").touch()
    (project / ".fencerun").touch()
    return project


def _check(
    work: Path,
    count: int,
    kind: str = "",
    code: Callable[[int], str] = lambda n: f"print({n})",
) -> Command:
    page = work / f"check-{count}{kind}.md"
    page.write_text(pages.one_liners(count, code))
    return Command(fencerun("check", page.name), work)


def _burning(work: Path) -> Command:
    page = work / "burn.md"
    page.write_text(
        "```python fence:1\nimport time\nuntil = time.process_time() + "
        f"{BURNT}\nwhile time.process_time() < until:\n    pass\n```\n"
    )
    return Command(fencerun("check", page.name), work)


def _doctest(work: Path, count: int) -> Command:
    page = work / f"doctest-{count}.md"
    page.write_text(pages.doctest(count))
    return Command(python("-m", "doctest", page.name), work)


def _code_runner(work: Path, count: int) -> Command:
    page = work / f"runner-{count}.md"
    page.write_text(pages.code_runner(count))
    tool = environment("markdown-code-runner", ("markdown-code-runner==2.7.0",))
    return Command([str(tool / "markdown-code-runner"), page.name], work)
