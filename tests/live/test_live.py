"""Pages that are kept open: what a save runs, and what is known of fences meanwhile."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fencerun.errors import UsageError
from fencerun.events import FenceStarted, PageRead, RunDone, RunStarted
from fencerun.live import Live
from fencerun.worker import children

from .desk import Desk, fence

SLEEP = "import time; time.sleep(60)"

#: Runs until there is a file called `go`.
PAUSE = "import os, time\nwhile not os.path.exists('go'): time.sleep(0.01)\nprint('slept')"


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FENCERUN_PAGE", raising=False)
    before = set(children.descendants(os.getpid()))
    with Desk(tmp_path) as one:
        yield one
    left = set(children.descendants(os.getpid())) - before
    assert not left, [children.command(pid) for pid in left]


ONE, TWO, THREE = (
    fence("fence:1", "x = 1", "print(x)"),
    fence("fence:2 continues:1", "print(x + 1)"),
    fence("fence:3", "print('three')"),
)


def slow(desk: Desk, **seconds: float) -> None:
    """What an earlier run said of the fences of a.md: their seconds."""
    fences = {f"a.md::{name[1:]}": ["passed", took] for name, took in seconds.items()}
    desk.write(".fencerun/last.json", json.dumps({"version": 1, "fences": fences}))


# What a save runs.


def test_nothing_runs_before_something_is_saved(desk: Desk) -> None:
    desk.write("a.md", ONE, TWO, THREE)
    desk.open().settle()
    assert not desk.started
    assert [view.verdict for view in desk.live.pages()[0].fences] == [None] * 3
    assert not any(view.stale for view in desk.live.pages()[0].fences)


def test_a_save_runs_what_it_changed_and_what_continues_that(desk: Desk) -> None:
    desk.write("a.md", ONE, TWO, THREE)
    desk.open()
    desk.save("a.md", ONE.replace("x = 1", "x = 41"), TWO, THREE)
    assert desk.said == {"a.md::1": "41", "a.md::2": "42"}
    assert desk.read == [PageRead("a.md", ("a.md::1", "a.md::2"))]
    desk.save("a.md", ONE.replace("x = 1", "x = 41"), TWO, THREE.replace("three", "3"))
    assert desk.started == ["a.md::3"]
    assert desk.said == {"a.md::3": "3"}
    # What a fence continues runs again, and is not compared again.
    desk.save("a.md", ONE.replace("x = 1", "x = 41"), TWO.replace("+ 1", "+ 2"), THREE)
    assert desk.started == ["a.md::1", "a.md::2", "a.md::3"]
    assert desk.said == {"a.md::2": "43", "a.md::3": "three"}


def test_prose_runs_nothing_and_moves_what_is_known(desk: Desk) -> None:
    desk.write("a.md", ONE, fence("fence:4", "print('a')", recorded="b"))
    desk.open()
    desk.live.run()
    desk.settle()
    before = desk.fence("a.md::4").verdict
    desk.save("a.md", "A word.\n", "Another.\n", ONE, fence("fence:4", "print('a')", recorded="b"))
    assert not desk.started
    assert desk.read == [PageRead("a.md")]
    after = desk.fence("a.md::4").verdict
    assert before is not None and after is not None
    assert after.line == before.line + 4
    assert [line.line for line in after.diff] == [
        None if line.line is None else line.line + 4 for line in before.diff
    ]


def test_a_page_that_is_saved_as_it_was_is_no_news(desk: Desk) -> None:
    page = desk.write("a.md", ONE)
    desk.open()
    page.write_text(page.read_text())
    desk.tell("a.md")
    assert desk.events == [] or not desk.read


def test_what_is_undone_is_as_it_was(desk: Desk) -> None:
    desk.write("a.md", THREE)
    desk.open()
    desk.live.run()
    desk.settle()
    desk.events.clear()
    desk.write("a.md", THREE.replace("print", f"{SLEEP}; print"))
    desk.live.saved()
    desk.until(FenceStarted)
    desk.save("a.md", THREE)
    assert not desk.fence("a.md::3").stale
    assert desk.fence("a.md::3").output == ("three",)
    assert not desk.verdicts


DEPENDS = {
    "a module": (
        {"helper.py": "def f():\n    return 1\n"},
        {"helper.py": "def f():\n    return 2\n"},
        [fence("fence:1", "import helper", "print(helper.f())"), THREE],
        {"a.md::1": "2"},
    ),
    "a module of a module": (
        {"pkg/__init__.py": "", "pkg/one.py": "from .two import y", "pkg/two.py": "y = 1"},
        {"pkg/two.py": "y = 2"},
        [fence("fence:1", "from pkg.one import y", "print(y)"), THREE],
        {"a.md::1": "2"},
    ),
    "a module that was not there": (
        {},
        {"later.py": "z = 5\n"},
        [fence("fence:1", "import later", "print(later.z)"), THREE],
        {"a.md::1": "5"},
    ),
    "a file that it uses": (
        {"data.txt": "one"},
        {"data.txt": "two"},
        [fence("fence:1 uses:data.txt", "print(open('data.txt').read())"), THREE],
        {"a.md::1": "two"},
    ),
    "the set-up file": (
        {"setup.py": "w = 1\n"},
        {"setup.py": "w = 2\n"},
        ["<!-- fencerun: setup=setup.py -->\n", fence("fence:1", "print(w)")],
        {"a.md::1": "2"},
    ),
    "the environment": (
        {"pyproject.toml": "[tool.fencerun.env]\nWHO = 'me'\n"},
        {"pyproject.toml": "[tool.fencerun.env]\nWHO = 'you'\n"},
        [fence("fence:1", "import os", "print(os.environ['WHO'])")],
        {"a.md::1": "you"},
    ),
    "a page's settings in the configuration": (
        {"b.md": THREE},
        {"pyproject.toml": "[tool.fencerun.pages.'a.md']\necho = true\n"},
        [fence("fence:1", "1 + 1")],
        {"a.md::1": "2"},
    ),
    "what it requires": (
        {"pyproject.toml": "[tool.fencerun.capabilities]\nlab = false\n"},
        {"pyproject.toml": "[tool.fencerun.capabilities]\nlab = true\n"},
        [fence("fence:1 requires:lab", "print('here')"), THREE],
        {"a.md::1": "here"},
    ),
    "nothing of ours in the configuration": (
        {"pyproject.toml": "[tool.fencerun]\n"},
        {"pyproject.toml": "[tool.fencerun]\n\n[tool.ruff]\nline-length = 100\n"},
        [ONE],
        {},
    ),
    "another file": (
        {"other.py": "a = 1"},
        {"other.py": "a = 2", "notes.txt": "", "b.txt": ""},
        [ONE, "import other\n"],
        {},
    ),
}


@pytest.mark.parametrize(("before", "after", "page", "said"), DEPENDS.values(), ids=DEPENDS)
def test_what_a_fence_depends_on(
    desk: Desk,
    before: dict[str, str],
    after: dict[str, str],
    page: list[str],
    said: dict[str, str],
) -> None:
    for name, text in before.items():
        desk.write(name, text)
    desk.write("a.md", *page)
    desk.open()
    desk.live.run()
    desk.settle()
    for name, text in after.items():
        desk.write(name, text)
    desk.tell(*after)
    assert desk.said == said


def test_front_matter_is_of_the_fences_that_it_concerns(desk: Desk) -> None:
    front = "---\nfencerun:\n  echo: {}\n---\n"
    desk.write("a.md", front.format("false"), fence("fence:1", "1"))
    desk.open()
    desk.save("a.md", front.format("true"), fence("fence:1", "1"))
    assert desk.said == {"a.md::1": "1"}


def test_two_saves_of_a_module_within_a_second(desk: Desk) -> None:
    desk.write("a.md", fence("fence:1", "import helper", "print(helper.x)"))
    path = desk.write("helper.py", "x = 0")
    desk.open()
    for number in range(1, 5):
        path.write_text(f"x = {number}")
        os.utime(path, (1_700_000_000, 1_700_000_000))
        desk.tell("helper.py")
        assert desk.said == {"a.md::1": str(number)}


# Pages that come, go, and have problems.


def test_a_page_with_a_problem_shows_it_and_recovers(desk: Desk) -> None:
    desk.write("a.md", ONE, THREE)
    desk.open()
    desk.save("a.md", ONE, fence("fence:1 colour:red", "print(3)"))
    assert [problem.code for problem in desk.read[0].problems]
    assert not desk.started
    page = desk.live.page("a.md")
    assert page is not None and page.broken
    assert desk.live.run() == 0
    desk.save("a.md", ONE, THREE.replace("'three'", "3"))
    assert desk.said == {"a.md::3": "3"}
    assert desk.read[0].problems == ()


def test_a_problem_that_another_file_mends(desk: Desk) -> None:
    desk.write("a.md", "<!-- fencerun: setup=later.py -->\n", fence("fence:1", "print(w)"))
    desk.open()
    page = desk.live.page("a.md")
    assert page is not None and page.broken
    desk.save("later.py", "w = 5\n")
    assert desk.said == {"a.md::1": "5"}
    (desk.directory / "later.py").unlink()
    desk.tell("later.py")
    page = desk.live.page("a.md")
    assert page is not None and page.broken and desk.read[0].problems


def test_a_page_that_is_broken_when_it_is_opened(desk: Desk) -> None:
    desk.write("a.md", ONE, ONE)
    desk.open().settle()
    page = desk.live.page("a.md")
    assert page is not None and page.broken and page.problems
    desk.save("a.md", ONE)
    assert desk.said == {"a.md::1": "1"}


def test_a_page_that_is_empty_for_a_moment_is_being_written(desk: Desk) -> None:
    desk.write("a.md", ONE)
    desk.open()
    desk.save("a.md", "")
    assert desk.read == []
    desk.save("a.md", ONE.replace("x = 1", "x = 2"))
    assert desk.said == {"a.md::1": "2"}
    desk.save("a.md", "")
    desk.tell()
    assert desk.read == [PageRead("a.md")]
    assert desk.live.tally().fences == 0


def test_a_new_page_and_one_that_goes(desk: Desk) -> None:
    desk.write("a.md", ONE)
    desk.open()
    desk.save("sub/b.md", THREE)
    assert desk.said == {"sub/b.md::3": "three"}
    assert [view.path for view in desk.live.pages()] == ["a.md", "sub/b.md"]
    (desk.directory / "sub/b.md").unlink()
    desk.tell("sub/b.md")
    assert desk.read == [PageRead("sub/b.md", gone=True)]
    assert [view.path for view in desk.live.pages()] == ["a.md"]
    # It comes back as it was, as when an editor saves: nothing is new.
    desk.save("sub/b.md", THREE)
    assert not desk.started
    assert desk.fence("sub/b.md::3").output == ("three",)


def test_a_page_that_was_named_goes_and_comes_back(desk: Desk) -> None:
    page = desk.write("a.txt", ONE)
    desk.open("a.txt")
    page.unlink()
    desk.tell("a.txt")
    assert desk.live.pages() == ()
    desk.save("a.txt", ONE.replace("x = 1", "x = 2"))
    assert desk.said == {"a.txt::1": "2"}


def test_a_page_of_a_directory_that_is_made_and_removed(desk: Desk) -> None:
    desk.write("a.md", ONE)
    desk.open()
    desk.write("new/deep/b.md", THREE)
    desk.tell("new")
    assert desk.said == {"new/deep/b.md::3": "three"}
    assert str(desk.directory / "new/deep") in desk.live.watched()
    (desk.directory / "new/deep/b.md").unlink()
    (desk.directory / "new/deep").rmdir()
    desk.tell("new/deep")
    assert [event.gone for event in desk.read] in ([], [True])
    desk.live.saved()
    assert [view.path for view in desk.live.pages()] == ["a.md"]


def test_only_the_fences_that_were_named(desk: Desk) -> None:
    desk.write("a.md", ONE, TWO, THREE)
    desk.open("a.md::3")
    desk.save("a.md", ONE.replace("x = 1", "x = 2"), TWO, THREE.replace("three", "3"))
    assert desk.said == {"a.md::3": "3"}


def test_a_configuration_that_makes_no_sense_is_told_once_and_gets_better(desk: Desk) -> None:
    desk.write("a.md", ONE)
    desk.open()
    desk.save("pyproject.toml", "[tool.fencerun]\nthreads = 'many'\n")
    assert len(desk.trouble) == 1 and "threads" in desk.trouble[0]
    desk.save("pyproject.toml", "[tool.fencerun]\nthreads = 'many'\n\n")
    assert desk.trouble == []
    desk.save("pyproject.toml", "[tool.fencerun]\nthreads = 2\n")
    assert desk.trouble == [""]
    assert desk.said == {"a.md::1": "1"}


def test_a_call_that_makes_no_sense(desk: Desk) -> None:
    with pytest.raises(UsageError):
        Live(["nowhere.md"]).start()


# Fences that take long.


def test_a_slow_fence_is_held_back(desk: Desk) -> None:
    slow(desk, _1=11.0, _3=2.0)
    desk.write("a.md", ONE, TWO, THREE)
    desk.open()
    desk.save("a.md", ONE.replace("x = 1", "x = 2"), TWO, THREE.replace("three", "3"))
    # What continues it would have to wait for it.
    assert desk.read == [PageRead("a.md", ("a.md::3",), ("a.md::1", "a.md::2"))]
    assert desk.started == ["a.md::3"]
    one = desk.fence("a.md::1")
    assert (one.stale, one.held, one.verdict, one.before) == (True, True, None, "passed")
    assert desk.live.run_stale() == 2
    desk.settle()
    assert desk.said == {"a.md::1": "2", "a.md::2": "3", "a.md::3": "3"}
    assert not desk.fence("a.md::1").held
    # Now it is known to be quick.
    desk.save("a.md", ONE.replace("x = 1", "x = 3"), TWO, THREE.replace("three", "3"))
    assert desk.said == {"a.md::1": "3", "a.md::2": "4"}


def test_asked_for_it_runs_however_long_it_takes(desk: Desk) -> None:
    slow(desk, _1=3600.0)
    desk.write("a.md", ONE, THREE)
    desk.open()
    assert desk.live.run(["a.md::1", "a.md::9", "b.md", "a.md::1"]) == 1
    desk.settle()
    assert desk.said == {"a.md::1": "1"}
    assert desk.live.run(["a.md"]) == 2
    desk.settle()


def test_a_fence_that_changes_its_own_input_does_not_run_for_ever(desk: Desk) -> None:
    code = ("n = int(open('count.txt').read()) + 1", "open('count.txt', 'w').write(str(n))")
    desk.write("count.txt", "0")
    desk.write("a.md", fence("fence:1 uses:count.txt", *code))
    desk.open()
    desk.live.run()
    desk.settle()
    for _ in range(10):
        desk.live.saved(["count.txt"])
        desk.settle()
    assert int((desk.directory / "count.txt").read_text()) < 6
    assert desk.fence("a.md::1").held
    assert desk.read[-1].held == ("a.md::1",)
    desk.save("a.md", fence("fence:1 uses:count.txt", *code, "print('edited')"))
    assert desk.said == {"a.md::1": "edited"}


def test_what_printed_a_great_deal_is_not_kept(desk: Desk) -> None:
    code = "print('x' * (1 << 21))"
    desk.write("a.md", fence("fence:1", code))
    desk.open()
    desk.live.run()
    desk.settle()
    desk.save("a.md", fence("fence:1 match:any", code))
    assert desk.started == ["a.md::1"]


# Recording.


def test_recording_makes_nothing_due(desk: Desk) -> None:
    desk.write("a.md", ONE, TWO, THREE)
    desk.open()
    desk.save("a.md", ONE.replace("x = 1", "x = 7"), TWO, THREE)
    assert desk.live.record() == 2
    desk.settle()
    assert desk.kinds == {"a.md::1": "recorded", "a.md::2": "recorded"}
    text = (desk.directory / "a.md").read_text()
    assert "```text output:1\n7\n```" in text and "output:3" not in text
    assert "```text output:2\n8\n```" in text
    desk.tell("a.md")
    assert not [event for event in desk.events if isinstance(event, RunStarted)]
    assert not any(view.stale for view in desk.live.pages()[0].fences)
    assert desk.live.record() == 0
    two = desk.fence("a.md::2").verdict
    assert two is not None
    assert text.split("\n")[two.line - 1].startswith("```python fence:2")


def test_a_named_fence_is_recorded_whether_it_ran_or_not(desk: Desk) -> None:
    desk.write("a.md", ONE, THREE)
    desk.open()
    assert desk.live.record(["a.md::3"]) == 1
    desk.settle()
    assert "output:3" in (desk.directory / "a.md").read_text()
    assert "output:1" not in (desk.directory / "a.md").read_text()


def test_a_recording_that_is_edited_is_judged_without_running(desk: Desk) -> None:
    page = [ONE, fence("fence:3", "print('three')", recorded="three")]
    desk.write("a.md", *page)
    desk.open()
    desk.live.run()
    desk.settle()
    desk.save("a.md", page[0], fence("fence:3", "print('three')", recorded="tree"))
    assert not desk.started
    assert desk.kinds == {"a.md::3": "changed"}
    desk.save("a.md", page[0], fence("fence:3 match:any", "print('three')", recorded="tree"))
    assert not desk.started
    assert desk.kinds == {"a.md::3": "passed"}


def test_a_mask_that_changes_judges_anew(desk: Desk) -> None:
    masks = "[tool.fencerun.masks]\nday = '{}'\n"
    desk.write("pyproject.toml", masks.format("Monday"))
    desk.write("a.md", fence("fence:1 mask:day", "print('Tuesday')", recorded="<day>"), THREE)
    desk.open()
    desk.live.run()
    desk.settle()
    assert desk.kinds["a.md::1"] == "changed"
    desk.save("pyproject.toml", masks.format("Monday|Tuesday"))
    assert desk.kinds == {"a.md::1": "passed"}


def test_a_failure_is_judged_anew_as_it_was(desk: Desk) -> None:
    lines = "print('so far')", "1 / 0"
    desk.write("a.md", fence("fence:1", *lines), fence("fence:2 continues:1", "print(1)"))
    desk.open()
    desk.live.run()
    desk.settle()
    assert desk.kinds == {"a.md::1": "failed", "a.md::2": "blocked"}
    desk.save("a.md", fence("fence:1 rtol:1", *lines), fence("fence:2 continues:1", "print(1)"))
    assert not desk.started
    assert desk.kinds == {"a.md::1": "failed"}
    failed = desk.fence("a.md::1").verdict
    assert failed is not None and failed.failure is not None
    assert failed.failure.summary == "ZeroDivisionError: division by zero"


# While something runs.


def test_a_save_ends_a_run_that_it_makes_pointless(desk: Desk) -> None:
    desk.write("a.md", ONE, THREE)
    desk.open()
    desk.write("a.md", ONE, THREE.replace("print", f"{SLEEP}; print"))
    desk.live.saved()
    desk.until(FenceStarted)
    desk.save("a.md", ONE, THREE.replace("three", "awake"))
    assert desk.said == {"a.md::3": "awake"}


def test_what_is_saved_comes_before_what_was_asked_for(desk: Desk) -> None:
    pause = fence("fence:5", PAUSE)
    desk.write("a.md", ONE, pause, THREE, fence("fence:6", "print(6)"))
    desk.open()
    desk.live.run()
    while "a.md::5" not in desk.started:
        time.sleep(0.002)
    desk.write("a.md", ONE.replace("x = 1", "x = 2"), pause, THREE, fence("fence:6", "print(6)"))
    desk.live.saved()
    desk.write("go")
    desk.settle()
    assert [v.fence for v in desk.verdicts] == [1, 5, 1, 3, 6]
    assert desk.started == [f"a.md::{n}" for n in (1, 5, 1, 3, 6)]


def test_a_save_that_is_no_matter_to_a_run_waits_for_it(desk: Desk) -> None:
    desk.write("a.md", ONE, fence("fence:5", PAUSE))
    desk.open()
    desk.live.run(["a.md::5"])
    desk.until(FenceStarted)
    desk.write("a.md", ONE.replace("x = 1", "x = 2"), fence("fence:5", PAUSE))
    desk.live.saved()
    desk.write("go")
    desk.settle()
    assert desk.said == {"a.md::5": "slept", "a.md::1": "2"}
    assert desk.started == ["a.md::5", "a.md::1"]
    assert not any(event.interrupted for event in desk.events if isinstance(event, RunDone))


def test_what_an_ended_run_did_not_get_to_runs_after_all(desk: Desk) -> None:
    desk.write("a.md", fence("fence:1", SLEEP), THREE, fence("fence:4", "print(4)"))
    desk.open()
    desk.live.run()
    desk.until(FenceStarted)
    desk.save("a.md", fence("fence:1", "print(1)"), THREE, fence("fence:4", "print(4)"))
    assert desk.said == {"a.md::1": "1", "a.md::3": "three", "a.md::4": "4"}


def test_a_page_that_is_told_of_twice_runs_once(desk: Desk) -> None:
    desk.write("a.md", ONE)
    desk.open()
    desk.write("a.md", fence("fence:1", PAUSE))
    desk.live.saved(["a.md"])
    desk.until(FenceStarted)
    for _ in range(3):
        desk.live.saved(["a.md"])
    desk.live.saved()
    desk.write("go")
    desk.settle()
    assert desk.started == ["a.md::1"]
    assert [event.due for event in desk.read] == [("a.md::1",)]


def test_stop_ends_what_runs_and_what_waits(desk: Desk) -> None:
    desk.write("a.md", fence("fence:1", SLEEP), THREE)
    desk.open()
    desk.live.run()
    desk.until(FenceStarted)
    assert desk.fence("a.md::1").running_since is not None
    began = time.monotonic()
    desk.live.stop()
    desk.settle()
    assert time.monotonic() - began < 30
    assert desk.verdicts == []
    assert desk.fence("a.md::1").running_since is None
    desk.live.run(["a.md::3"])
    desk.settle()
    assert desk.said == {"a.md::3": "three"}


def test_closing_ends_all_of_it_at_any_time(desk: Desk) -> None:
    desk.write("a.md", fence("fence:1", "import subprocess", "subprocess.run(['sleep', '60'])"))
    desk.open()
    desk.live.run()
    desk.until(FenceStarted)
    desk.live.close()
    desk.live.close()
    for action in (lambda: None, desk.live.run):
        desk.open()
        action()
        desk.live.close()


def test_a_recording_that_is_ended_leaves_the_page(desk: Desk) -> None:
    text = "\n".join((ONE, fence("fence:5", SLEEP)))
    page = desk.write("a.md", text)
    desk.open()
    assert desk.live.record(["a.md"]) == 2
    while "a.md::5" not in desk.started:
        time.sleep(0.002)
    desk.live.stop()
    desk.settle()
    assert page.read_text() == text
    # A save ends it too, and what was saved runs.
    desk.live.record(["a.md"])
    while desk.started.count("a.md::5") < 2:
        time.sleep(0.002)
    desk.save("a.md", ONE, fence("fence:5", "print('awake')"))
    assert desk.said == {"a.md::5": "awake"}
    assert "output" not in page.read_text()


def test_a_page_that_changes_while_it_is_recorded_keeps_the_change(desk: Desk) -> None:
    pause = fence("fence:5", PAUSE)
    page = desk.write("a.md", ONE, pause)
    desk.open()
    desk.live.record(["a.md::5"])
    desk.until(FenceStarted)
    desk.write("a.md", "A word.\n", ONE.replace("x = 1", "x = 2"), pause)
    desk.live.saved()
    desk.write("go")
    desk.settle()
    text = page.read_text()
    assert text.startswith("A word.") and "x = 2" in text
    assert "```text output:5\nslept\n```" in text
    assert {"a.md::5": "recorded", "a.md::1": "unrecorded"}.items() <= desk.kinds.items()


def test_a_fence_that_kills_its_process_costs_itself(desk: Desk) -> None:
    desk.write("a.md", fence("fence:1", "import os; os.kill(os.getpid(), 9)"), THREE)
    desk.open()
    desk.live.run()
    desk.settle()
    assert desk.kinds == {"a.md::1": "failed", "a.md::3": "unrecorded"}
    desk.save("a.md", ONE, THREE)
    assert desk.said == {"a.md::1": "1"}


def test_each_run_starts_in_a_process_of_its_own(desk: Desk) -> None:
    code = fence("fence:1", "import os, sys", "print(os.getpid(), hasattr(sys, 'mine'))")
    desk.write("a.md", code, fence("fence:2 continues:1", "sys.mine = 1"))
    desk.open()
    said = []
    for _ in range(3):
        desk.events.clear()
        desk.live.run()
        desk.settle()
        said.append(desk.said["a.md::1"].split())
    assert len({pid for pid, _ in said}) == 3
    assert {mine for _, mine in said} == {"False"}


def test_an_interpreter_that_does_not_start_is_told(desk: Desk, tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nexit 3\n")
    python.chmod(0o755)
    desk.write("a.md", ONE)
    desk.live = Live((), desk.events.append, python=str(python))
    desk.live.start()
    desk.settle()
    desk.live.run()
    desk.settle()
    assert desk.trouble and "status 3" in desk.trouble[0]


def test_a_fence_that_does_not_run_here_is_told_of(desk: Desk) -> None:
    desk.write("a.md", fence("fence:1 requires:env:NOWHERE", "print(1)"))
    desk.open()
    desk.save("a.md", fence("fence:1 requires:env:NOWHERE", "print(2)"))
    assert desk.kinds == {"a.md::1": "missing"}
    assert not desk.started


def test_what_takes_long_to_import_is_loaded_before(desk: Desk) -> None:
    code = "import matplotlib.pyplot as plt", "print(plt.isinteractive())"
    desk.write("a.md", fence("fence:1", *code))
    desk.open()
    while not desk.live.about:
        time.sleep(0.01)
    assert "matplotlib.pyplot" in desk.live.about
    desk.live.run()
    desk.settle()
    assert desk.said == {"a.md::1": "False"}
    verdict = desk.fence("a.md::1").verdict
    assert verdict is not None and not verdict.leaks
