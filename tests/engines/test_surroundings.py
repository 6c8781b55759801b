"""What every engine promises of set-up files, fresh directories, transcripts and exit statuses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fencerun.engines.base import Chain

if TYPE_CHECKING:
    from .conftest import Bench


def with_setup(chain: Chain, text: str, path: str = "/lessons/setup.py") -> Chain:
    return replace(chain, setup=(path, text))


def test_a_set_up_file_runs_once_in_each_chain(bench: Bench) -> None:
    text = "count = globals().get('count', 0) + 1\nprint('dropped')\n"
    chains = [bench.chain("print(count); count = 5", "print(count)"), bench.chain("print(count)")]
    found = bench.outcomes(*(with_setup(chain, text) for chain in chains))
    assert [one.output for one in found] == [b"1\n", b"5\n", b"1\n"]


def test_a_set_up_file_is_for_python(bench: Bench) -> None:
    chain = bench.chain("echo shell", "x = 1")
    shell = replace(chain.jobs[0], language="bash")
    chain = replace(chain, jobs=(shell, chain.jobs[1]))
    first, second = bench.outcomes(with_setup(chain, "1 / 0"))
    assert (first.output, first.failure) == (b"shell\n", None)
    assert second.failure is not None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\n1 / 0\n", "the set-up file setup.py, line 2: ZeroDivisionError: division by zero"),
        ("x = (\n", "the set-up file setup.py: SyntaxError: '(' was never closed"),
        ("import sys; sys.exit(3)\n", "the set-up file setup.py, line 1: SystemExit: 3"),
    ],
)
def test_a_set_up_file_that_fails_fails_the_first_fence(bench: Bench, text: str, said: str) -> None:
    (ended, *_) = bench.ends(with_setup(bench.chain("print(1)", may_raise=True), text))
    failure = ended.failure  # type: ignore[union-attr]
    assert failure is not None
    assert (failure.summary, failure.line, failure.mro) == (said, None, ())


def test_future_imports_of_a_set_up_file_are_its_own(bench: Bench) -> None:
    text = "from __future__ import annotations\ndef f() -> nothing: pass\n"
    (found,) = bench.outcomes(with_setup(bench.chain("def g() -> nothing: pass"), text))
    assert found.failure is not None
    assert "nothing" in found.failure.summary


def test_a_class_of_a_set_up_file_reaches_spawned_children(bench: Bench, tmp_path: Path) -> None:
    code = (
        "import multiprocessing\n"
        "if __name__ == '__main__':\n"
        "    with multiprocessing.get_context('spawn').Pool(1) as pool:\n"
        "        print(pool.map(double, [1, 2]))\n"
    )
    path = tmp_path / "setup.py"
    text = "def double(n):\n    return 2 * n\n"
    (found,) = bench.outcomes(with_setup(bench.chain(code), text, str(path)))
    assert (found.output, found.failure) == (b"[2, 4]\n", None)


def test_a_file_that_is_left_is_named_and_stays(bench: Bench) -> None:
    code = "open('left.txt', 'w').close(); open('.dot', 'w').close()"
    first, second = bench.outcomes(bench.chain(code), bench.chain(code))
    left = [leak for leak in first.leaks if "directory" in leak.what]
    assert [(leak.now, leak.undone) for leak in left] == [("left.txt", False)]
    assert (bench.directory / "left.txt").exists()
    assert [leak for leak in second.leaks if "directory" in leak.what] == []


def test_a_file_that_comes_and_goes_is_nobodys_business(bench: Bench) -> None:
    code = "open('left.txt', 'w').close(); import os; os.unlink('left.txt')"
    assert bench.one(code).leaks == ()


def test_in_a_directory_of_its_own_a_chain_may_leave_files(bench: Bench) -> None:
    chain = replace(bench.chain("open('left.txt', 'w').close()"), scratch=True)
    assert bench.outcomes(chain)[0].leaks == ()


def session(language: str, *turns: tuple[str, int, bool], **more: Any) -> dict[str, Any]:
    return {"language": language, "turns": turns, **more}


def test_turns_of_python(bench: Bench) -> None:
    turns = (
        ("x = 20", 10, False),
        ("x + 1", 11, False),
        ("for n in range(2):\n    n\n", 13, False),
        ("# nothing", 18, False),
        ("print('no newline', end='')", 19, False),
        ("_", 20, False),
        ("{}['k']", 21, True),
        ("x", 23, False),
    )
    found = bench.one("", **session("pycon", *turns))
    assert found.failure is None
    assert found.turns == (
        b"", b"21\n", b"0\n1\n", b"", b"no newline", b"1\n",
        b"Traceback (most recent call last):\n  ...\nKeyError: 'k'\n", b"20\n",
    )  # fmt: skip
    assert b"".join(found.turns) == found.output
    assert found.leaks == ()


def test_turns_share_names_with_other_fences(bench: Bench) -> None:
    chain = bench.chain("y = 1", "", "print(y)")
    middle = replace(chain.jobs[1], language="pycon", turns=(("y", 5, False), ("y += 1", 6, False)))
    first, second, third = bench.outcomes(
        replace(chain, jobs=(chain.jobs[0], middle, chain.jobs[2]))
    )
    assert second.turns == (b"1\n", b"")
    assert third.output == b"2\n"
    assert first.turns == ()


def test_an_exception_that_is_not_shown_fails_on_its_line(bench: Bench) -> None:
    turns = (("x = 1", 10, False), ("def f():\n    1 / 0\n", 11, False), ("f()", 14, False))
    found = bench.one("", **session("pycon", *turns))
    assert found.failure is not None
    assert (found.failure.kind, found.failure.line) == ("exception", 12)
    assert "line 14, in <module>\n    f()" in found.failure.traceback


def test_commands(bench: Bench) -> None:
    turns = (
        ("echo one; X=two", 10, False),
        ("echo $X \\\n three", 12, False),
        ("cd / && pwd", 14, False),
        ("pwd; printf end", 15, False),
        ("", 17, False),
        ("f() { echo in $1; }; f it", 18, False),
        ("echo err >&2", 19, False),
    )
    found = bench.one("", **session("console", *turns, stderr=True))
    assert found.failure is None
    assert found.turns == (
        b"one\n", b"two three\n", b"/\n", b"/\nend", b"", b"in it\n", b"err\n",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("commands", "allowed", "said", "line"),
    [
        (["true", "false", "echo"], 0, "`false` ended with status 1", 11),
        (["true", "(exit 3)", "true"], 3, None, None),
        (["true", "true"], 3, "`exit:3`, and every command ended with status 0", 11),
        (["exit 3"], 3, None, None),
        (["exit 0"], 0, None, None),
        (["exit 0", "true"], 0, "`exit 0` ended the shell with status 0", 10),
        (["true", "exit 4", "true"], 4, "`exit 4` ended the shell with status 4", 11),
        (["kill -9 $$", "true"], 0, "`kill -9 $$` ended the shell by SIGKILL (signal 9)", 10),
        (["set -e", "false"], 0, "`false` ended the shell with status 1", 11),
        (["sleep 20 >/dev/null 2>&1 &", "true"], 0, None, None),
        (["cat", "read x || true"], 0, None, None),
    ],
)
def test_statuses_of_commands(
    bench: Bench, commands: list[str], allowed: int, said: str | None, line: int | None
) -> None:
    turns = [(command, 10 + at, False) for at, command in enumerate(commands)]
    found = bench.one("", **session("console", *turns, exit=allowed))
    failure = found.failure
    assert (failure and failure.summary, failure and failure.line) == (said, line)


def test_a_command_that_does_not_end(supervised: Bench) -> None:
    turns = (("echo before", 10, False), ("sleep 20", 11, False), ("echo after", 12, False))
    found = supervised.one("", **session("console", *turns, timeout=0.5))
    assert found.failure is not None
    assert (found.failure.kind, found.failure.line) == ("timeout", 11)
    assert found.output == b"before\n"
    assert supervised.one("print(1)").output == b"1\n"


def test_a_shells_status_is_told(bench: Bench) -> None:
    found = bench.one("echo x; exit 3", language="bash", may_raise=True, exit=3)
    assert found.failure is not None
    assert (found.failure.kind, found.failure.message) == ("exit", "3")
