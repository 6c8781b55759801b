"""What becomes of candidates, with a scripted trial in the place of a worker."""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import field

import pytest

from fencerun.frozen import dataclass
from fencerun.members import members
from fencerun.page import Page
from fencerun.reader import parse
from fencerun.result import Failure
from fencerun.tagging.candidates import candidates
from fencerun.tagging.rounds import Settled
from fencerun.tagging.settle import Search
from fencerun.tagging.trial import Tried


def failure(name: str, message: str = "x", missing: str | None = None) -> Failure:
    bases = ("ImportError",) if name == "ModuleNotFoundError" else ()
    mro = tuple(f"builtins.{one}" for one in (name, *bases, "Exception"))
    summary = f"{name}: {message}"
    return Failure("exception", summary, mro=mro, message=message, missing_name=missing)


@dataclass(slots=True)
class Script:
    """Says of each block what ``say`` says: a failure, why it is idle, or what it prints.

    ``say`` gets the code, and the codes of all that the block continues, nearest first.
    """

    say: Callable[[str, list[str]], Failure | str | tuple[str, ...]]
    runs: list[list[str]] = field(default_factory=list)

    def __call__(self, page: Page, wanted: Set[int]) -> Tried:
        found = {m.fence.number: m for m in members(page, page.settings)}
        self.runs.append([found[number].fence.code.strip() for number in sorted(wanted)])
        failures, idle, printed = {}, {}, {}
        for number, member in found.items():
            before = []
            parent = member.parent
            while parent is not None:
                before.append(found[parent].fence.code.strip())
                parent = found[parent].parent
            said = self.say(member.fence.code.strip(), before)
            if isinstance(said, Failure):
                failures[number] = said
            elif isinstance(said, str):
                idle[number] = said
            else:
                printed[number] = said
        return Tried(failures, idle, printed)


def settle(
    text: str, say: Callable[[str, list[str]], Failure | str | tuple[str, ...]] | None
) -> tuple[Settled, list[list[str]]]:
    page = parse(text.encode(), "page.md")
    script = Script(say) if say else None
    found, _ = candidates(page)
    settled = Search(page, members(page, page.settings), found, True, script).settled()
    return settled, script.runs if script else []


def blocks(*codes: str) -> str:
    return "".join(f"```python\n{code}\n```\n" for code in codes)


def kept(settled: Settled) -> list[str]:
    return [one.code.strip() for one in settled.kept]


def test_all_pass() -> None:
    settled, runs = settle(blocks("x = 1", "y = 2"), lambda code, before: ("out",))
    assert kept(settled) == ["x = 1", "y = 2"]
    assert settled.printed == {1: ("out",), 4: ("out",)}
    assert len(runs) == 1


def test_what_fails_is_taken_out_and_the_rest_runs_again() -> None:
    settled, runs = settle(
        blocks("x = 1", "import a", "y = 2"),
        lambda code, before: failure("ModuleNotFoundError") if "import" in code else (),
    )
    assert kept(settled) == ["x = 1", "y = 2"]
    assert [one.line for one in settled.left] == [4]
    assert runs[1:] == [["x = 1", "y = 2"]]


def test_what_leaned_on_a_failure_is_taken_out_too() -> None:
    def say(code: str, before: list[str]) -> Failure | tuple[str, ...]:
        if code == "import a":
            return failure("ModuleNotFoundError")
        # It is there as long as the failing block ran as far as it did.
        if code == "a" and "import a" not in before:
            return failure("NameError", missing="a")
        return ()

    settled, _ = settle(blocks("import a", "a"), say)
    assert kept(settled) == []
    assert "made by the block on line 1, which is left" in settled.left[1].remedy


def test_another_chance_behind_the_block_before() -> None:
    def say(code: str, before: list[str]) -> Failure | tuple[str, ...]:
        return failure("LookupError") if code == "look()" and "register()" not in before else ()

    settled, runs = settle(blocks("register()", "look()"), say)
    assert kept(settled) == ["register()", "look()"]
    assert settled.links.parents[4] == 1
    assert len(runs) == 2


@pytest.mark.parametrize("name", ["ImportError", "EOFError", "URLError"])
def test_no_other_chance_where_it_would_be_of_no_use(name: str) -> None:
    say = lambda code, before: failure(name) if code == "b()" else ()  # noqa: E731
    settled, runs = settle(blocks("a()", "b()"), say)
    assert kept(settled) == ["a()"]
    assert len(runs) == 2


LONG = ("x = 1", "x", "x, 1", "x, 2")


def test_a_page_of_one_script() -> None:
    settled, runs = settle(blocks(*LONG), lambda code, before: ())
    assert settled.links.previous
    assert not settled.links.parents
    assert len(runs) == 1


def test_blocks_that_would_pass_alone_are_worth_links() -> None:
    def say(code: str, before: list[str]) -> Failure | tuple[str, ...]:
        return failure("RuntimeError") if code == "alone()" and before else ()

    settled, _ = settle(blocks(*LONG, "alone()"), say)
    assert not settled.links.previous
    assert kept(settled) == [*LONG, "alone()"]


def test_a_page_stays_one_script_where_links_are_no_better() -> None:
    say = lambda code, before: failure("RuntimeError") if code == "bad()" else ()  # noqa: E731
    settled, _ = settle(blocks(*LONG, "bad()"), say)
    assert settled.links.previous
    assert kept(settled) == list(LONG)


def test_idle_blocks() -> None:
    """One that says that it needs a GPU is tagged unseen; what continues it is not."""

    def say(code: str, before: list[str]) -> str | tuple[str, ...]:
        return "no CUDA device" if any("cuda" in one for one in (code, *before)) else ()

    settled, _ = settle(blocks("x = f().cuda()", "print(x)", "y = 1"), say)
    assert kept(settled) == ["x = f().cuda()", "y = 1"]
    assert settled.idle == {1: "no CUDA device"}
    what = "it continues the block on line 1, which cannot run here (`.cuda()`)"
    assert settled.left[0].what == what


def test_failures_speak_of_lines() -> None:
    """The numbers of a trial are nobody's else."""
    error = failure("RuntimeError", "as fence 1 and fence 3 say")
    text = "```python fence:1\n```\n" + blocks("a()", "b()")
    settled, _ = settle(text, lambda code, before: error if code == "b()" else ())
    assert settled.left[0].what == "RuntimeError: as fence 1 and the block on line 6 say"


def test_a_failing_fence_that_is_there_already_is_named() -> None:
    text = "```python fence:1\nx = 1 / 0\n```\n" + blocks("print(x)")
    say = lambda code, before: failure("ZeroDivisionError") if "/" in code else ()  # noqa: E731
    settled, _ = settle(text, say)
    assert kept(settled) == []
    assert settled.left[0].what == "it continues fence 1, which fails here"


def test_numbers_go_on_behind_the_page_s_own() -> None:
    text = "```python fence:4\nx = 1\n```\n" + blocks("print(x)")
    settled, runs = settle(text, None)
    assert kept(settled) == ["print(x)"]
    assert settled.links.parents == {1: None, 4: 1}
    assert not runs


def test_what_never_ran_is_no_pass() -> None:
    """A process that died takes the blocks behind it with it."""
    page = parse(blocks("a()", "b()").encode(), "page.md")
    found, _ = candidates(page)
    run = lambda page, wanted: Tried({}, {}, {min(wanted): ()})  # noqa: E731
    settled = Search(page, [], found, True, run).settled()
    assert kept(settled) == ["a()"]
    assert settled.left[0].what == "it did not get to run"


SET = "<!-- fencerun: continues=previous -->\n\n"


def test_a_block_that_would_spoil_a_fence_that_is_there() -> None:
    def say(code: str, before: list[str]) -> Failure | tuple[str, ...]:
        if code == "old()":
            return failure("RuntimeError") if "new()" in before else ()
        return failure("ValueError") if code == "broken()" else ()

    text = SET + blocks("fine()", "new()") + "```python fence:1\nold()\n```\n"
    text += blocks("more()") + "```python fence:2\nbroken()\n```\n"
    settled, _ = settle(text, say)
    assert kept(settled) == ["fine()", "more()"]
    assert [one.what for one in settled.left] == ["with it, fence 1 fails: RuntimeError: x"]
