"""What every engine promises, held by each of them. No Markdown, no recordings."""

# Fences stand on one line in the tables.
# ruff: noqa: E501

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fencerun.engines.base import Blocked, Finished, Started
from fencerun.result import Outcome

if TYPE_CHECKING:
    from .conftest import Bench


def test_events_of_each_job_come_in_order(bench: Bench) -> None:
    events = bench.events(bench.chain("x = 1", "print(x)"), bench.chain("print(2)", page="b.md"))
    keys = ["lesson.md::1", "lesson.md::2", "b.md::1"]
    assert [event.key for event in events if isinstance(event, Started)] == keys
    assert [event.key for event in events if isinstance(event, Finished)] == keys


def test_a_chain_is_one_script_and_the_next_one_another(bench: Bench) -> None:
    first, second, other = bench.outcomes(
        bench.chain("x = 1; print(x, end='')", "x += 1; print(x)"),
        bench.chain("print('x' in dir())"),
    )
    assert (first.output, second.output, other.output) == (b"1", b"2\n", b"False\n")
    assert (first.failure, second.failure, other.failure) == (None, None, None)


def test_nothing_to_run(bench: Bench) -> None:
    assert bench.events() == []
    assert bench.events(bench.chain()) == []


def test_many_chains_are_all_answered(bench: Bench) -> None:
    chains = [bench.chain(f"print({n})", page=f"{n}.md") for n in range(150)]
    assert [one.output for one in bench.outcomes(*chains)] == [b"%d\n" % n for n in range(150)]


def test_a_failure_blocks_the_rest_of_its_chain_only(bench: Bench) -> None:
    ends = bench.ends(bench.chain("pass", "1 / 0", "print(1)", "print(2)"), bench.chain("print(3)"))
    assert isinstance(ends[1], Outcome)
    assert ends[1].failure is not None
    assert ends[1].failure.line == 20
    assert ends[2:4] == [
        Blocked("lesson.md::3", "lesson.md::2"),
        Blocked("lesson.md::4", "lesson.md::2"),
    ]
    assert isinstance(ends[4], Outcome)
    assert ends[4].output == b"3\n"


def test_an_expected_exception_lets_the_chain_go_on(bench: Bench) -> None:
    first, second = bench.outcomes(bench.chain("x = 1\n1 / 0", "print(x)", may_raise=True))
    assert first.failure is not None
    assert second.output == b"1\n"


@pytest.mark.parametrize(
    ("code", "kind", "summary", "line"),
    [
        ("\nraise ValueError('no')", "exception", "ValueError: no", 11),
        ("x = (", "syntax", "SyntaxError: '(' was never closed", 10),
        ("import sys\nsys.exit(3)", "exit", "SystemExit: exit status 3", 11),
        ("raise KeyboardInterrupt", "exception", "KeyboardInterrupt", 10),
        ("class Odd(BaseException): pass\nraise Odd", "exception", "Odd", 11),
    ],
    ids=["exception", "syntax", "exit", "interrupt", "base exception"],
)
def test_failures_of_python(bench: Bench, code: str, kind: str, summary: str, line: int) -> None:
    before, found, after = bench.outcomes(
        bench.chain("print(1)"), bench.chain(code), bench.chain("print(2)")
    )
    assert (before.output, after.output) == (b"1\n", b"2\n")
    assert found.failure is not None
    assert (found.failure.kind, found.failure.summary) == (kind, summary)
    assert found.failure.line == line
    assert "fencerun" not in found.failure.traceback


@pytest.mark.parametrize("status", ["", "0", "None"])
def test_a_fence_may_exit_with_success(bench: Bench, status: str) -> None:
    assert bench.one(f"print(1)\nimport sys\nsys.exit({status})\nprint(2)").failure is None


WRITERS = {
    "print": "print({text!r})",
    "write": "import sys; sys.stdout.write({text!r} + chr(10))",
    "buffer": "import sys; sys.stdout.flush(); sys.stdout.buffer.write({text!r}.encode() + b'\\n'); sys.stdout.flush()",
    "descriptor": "import os; os.write(1, {text!r}.encode() + b'\\n')",
    "child": "import subprocess; subprocess.run(['echo', {text!r}], check=True)",
    "shell": "import os; os.system('echo ' + {text!r}) and None",
    "C": "import ctypes; ctypes.CDLL(None).puts({text!r}.encode())",
    "thread": "import threading; t = threading.Thread(target=print, args=({text!r},)); t.start(); t.join()",
}


@pytest.mark.parametrize("name", WRITERS)
def test_output_is_captured_whoever_writes_it(bench: Bench, name: str) -> None:
    assert bench.one(WRITERS[name].format(text=name)).output == name.encode() + b"\n"


def test_output_keeps_its_order_and_its_bytes(bench: Bench) -> None:
    code = "\n".join(writer.format(text=name) for name, writer in WRITERS.items())
    expected = "".join(f"{name}\n" for name in WRITERS).encode() + b"\xff\0"
    assert bench.one(code + "\nos.write(1, b'\\xff\\0')").output == expected


def test_output_of_an_import(bench: Bench) -> None:
    (bench.directory / "noisy.py").write_text("print('imported')\n")
    assert bench.one("import noisy\nprint('done')").output == b"imported\ndone\n"


def test_stderr_is_apart_unless_it_is_asked_for(bench: Bench) -> None:
    code = "import sys, os\nprint(1)\nprint(2, file=sys.stderr)\nos.write(2, b'3\\n')\nprint(4)"
    apart = bench.one(code)
    assert (apart.output, apart.stderr) == (b"1\n4\n", b"2\n3\n")
    together = bench.one(code, stderr=True)
    assert (together.output, together.stderr) == (b"1\n2\n3\n4\n", b"")


def test_what_a_chain_writes_at_its_end_is_its_last_fences(bench: Bench) -> None:
    """A script's objects are finalised at its end, and its threads waited for."""
    code = (
        "import threading, time\n"
        "class Noisy:\n    def __del__(self): print('finalised')\n"
        "noisy = Noisy()\n"
        "threading.Thread(target=lambda: (time.sleep(0.05), print('thread'))).start()\n"
    )
    found, after = bench.outcomes(bench.chain(code), bench.chain("pass"))
    assert found.output == b"thread\nfinalised\n"
    assert found.leaks == after.leaks == ()
    assert after.output == b""


def test_what_a_chain_waits_for_at_its_end_is_its_last_fences_time(bench: Bench) -> None:
    """Else a page takes long and no fence of it does."""
    outcome = bench.one("import atexit, time\natexit.register(time.sleep, 0.1)\n")
    assert (outcome.seconds or 0) >= 0.1


def test_values(bench: Bench) -> None:
    values = (("x", None), ("x / 3", ".2f"), ("missing", None), ("print('no') or 5", None))
    found, after = bench.outcomes(
        bench.chain("x = 1\nprint(x)", values=values), bench.chain("print(2)")
    )
    texts = [value.text for value in found.values]
    assert texts == ["1", "0.33", None, "5"]
    assert found.values[2].error == "NameError: name 'missing' is not defined"
    assert (found.output, after.output, after.leaks) == (b"1\n", b"2\n", ())


@pytest.mark.parametrize("end", ["1 / 0", "raise SystemExit(3)"])
def test_values_of_a_fence_that_may_raise(bench: Bench, end: str) -> None:
    found = bench.one(f"x = 1\n{end}", values=(("x", None), ("y", None)), may_raise=True)
    assert found.failure is not None
    assert [value.text for value in found.values] == ["1", None]
    assert found.values[1].error == "NameError: name 'y' is not defined"


def test_no_values_of_a_fence_that_may_not_raise(bench: Bench) -> None:
    assert bench.one("x = 1\n1 / 0", values=(("x", None),)).values == ()


def test_echo(bench: Bench) -> None:
    assert bench.one("x = 2\nx + 1", echo=True).output == b"3\n"


def test_directory_path_and_arguments(bench: Bench) -> None:
    code = "import os, sys\nprint([os.getcwd(), sys.path[0], sys.argv, __name__, __file__])"
    expected = [str(bench.directory)] * 2
    expected += [["lesson.md"], "__main__", str(bench.directory / "lesson.md")]  # type: ignore[list-item]
    assert ast.literal_eval(bench.one(code).output.decode()) == expected


def test_directory_and_path_are_put_back(bench: Bench) -> None:
    (bench.directory / "below").mkdir()
    spoil = "import os, sys\nos.chdir('below')\nsys.path = ['/nowhere']\nsys.argv[:] = []"
    code = "import os, sys\nprint(os.getcwd(), len(sys.path) > 2, sys.argv)"
    before, _, after = bench.outcomes(*map(bench.chain, (code, spoil, code)))
    assert after.output == before.output


def test_a_missing_directory_fails_the_fence(bench: Bench) -> None:
    gone = bench.chain("print(1)")
    bench.directory.rmdir()
    (found,) = bench.outcomes(gone)
    assert found.failure is not None
    assert "working directory" in found.failure.summary
    bench.directory.mkdir()
    assert bench.one("print(2)").output == b"2\n"


def test_modules_beside_the_page_go_with_their_chain(bench: Bench, tmp_path: Path) -> None:
    pages = []
    for name in ("a", "b"):
        directory = tmp_path / name
        (directory / "pack").mkdir(parents=True)
        (directory / "helper.py").write_text(f"NAME = {name!r}\n")
        (directory / "pack" / "__init__.py").write_text("")
        (directory / "pack" / "inner.py").write_text(f"NAME = {name!r}\n")
        bench.directory = directory
        pages.append(bench.chain("import helper, pack.inner as i\nprint(helper.NAME, i.NAME)"))
    outputs = [found.output for found in bench.outcomes(*pages, pages[0])]
    assert outputs == [b"a a\n", b"b b\n", b"a a\n"]


def test_modules_that_a_fence_finds_elsewhere_in_the_project_go_too(
    bench: Bench, tmp_path: Path
) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "found_here.py").write_text("")
    code = (
        "import sys\nprint('found_here' in sys.modules)\nsys.path.append('lib')\nimport found_here"
    )
    assert [one.output for one in bench.outcomes(*[bench.chain(code)] * 2)] == [b"False\n"] * 2


@pytest.mark.parametrize("module", ["random", "numpy.random"])
def test_random_numbers_are_the_same_in_every_chain(bench: Bench, module: str) -> None:
    pytest.importorskip(module.partition(".")[0])
    code = f"import {module} as r\nprint(r.random())"
    mixed = bench.chain("import random\nrandom.seed()\nrandom.random()")
    outputs = {one.output for one in bench.outcomes(*[bench.chain(code), mixed] * 2)}
    assert len(outputs - {b""}) == 1
    first, second = bench.outcomes(bench.chain(code, "print(r.random())"))
    assert first.output != second.output


def test_closed_and_redirected_streams_harm_no_later_chain(bench: Bench) -> None:
    spoilers = {
        "import os\nos.close(1)": "file descriptor 1 closed or redirected",
        "import os\nos.dup2(os.open(os.devnull, os.O_WRONLY), 1)": "file descriptor 1 closed or redirected",
        "import sys\nsys.stdout.close()": "sys.stdout closed",
        "import os\nos.close(2)": "file descriptor 2 closed or redirected",
    }
    for code, what in spoilers.items():
        spoilt, after = bench.outcomes(bench.chain(code), bench.chain("print('fine')"))
        assert [leak for leak in spoilt.leaks if leak.what == what and leak.undone], code
        assert spoilt.leaks[0].fence == 1
        assert (after.output, after.leaks) == (b"fine\n", ())


def test_what_could_not_be_written_goes_with_its_chain(bench: Bench) -> None:
    close = "import os, sys\nos.close({})\n"
    ends = bench.outcomes(
        bench.chain(close.format(1) + "print('from one')"),
        bench.chain("print('from two')"),
        bench.chain(close.format(2) + "sys.stderr.write('from three')", stderr=True),
        bench.chain("import sys\nsys.stderr.write('from four')", stderr=True),
        bench.chain(
            "import os, sys\nheld = sys.stdout.detach()\nheld.write(b'from five')\nos.close(1)"
        ),
        bench.chain("print('from six')"),
    )
    assert [end.output for end in ends] == [
        b"",
        b"from two\n",
        b"",
        b"from four",
        b"",
        b"from six\n",
    ]
    assert [end.leaks for end in ends[1::2]] == [(), (), ()]


def test_a_replaced_stdout_lasts_as_long_as_its_chain(bench: Bench) -> None:
    code = "import sys, io\nsys.stdout = io.StringIO()\nprint('lost')"
    replaced, same, after = bench.outcomes(
        bench.chain(code, "print('lost too')"), bench.chain("print('fine')")
    )
    assert (replaced.output, same.output, after.output) == (b"", b"", b"fine\n")


def test_each_chain_is_the_first_to_be_warned(supervised: Bench) -> None:
    """Also by a library that stays loaded, which keeps a registry of what it warned of."""
    code = (
        "import colorsys, warnings\nseen = vars(colorsys).setdefault('__warningregistry__', {})\n"
        "for _ in range(2):\n"
        "    warnings.warn_explicit('seen', UserWarning, 'library.py', 7, registry=seen)\n"
    )
    for found in supervised.outcomes(*[supervised.chain(code, stderr=True)] * 3):
        assert found.output == b"library.py:7: UserWarning: seen\n"


def test_modules_that_a_fence_removes_are_back_in_the_next_chain(bench: Bench) -> None:
    clear = "import sys, decimal\nprint(id(sys.modules['decimal']))\nsys.modules{}"
    after = "import sys, decimal, json, typing\nprint(id(sys.modules['decimal']))"
    for how in (".clear()\nimport json", " = {}", ".clear()\nprint(1)"):
        _, spoilt, next_one = bench.outcomes(
            bench.chain("import decimal"), bench.chain(clear.format(how)), bench.chain(after)
        )
        assert (spoilt.failure, next_one.failure, next_one.leaks) == (None, None, ())
        (leak, *_) = spoilt.leaks
        assert "sys.modules" in leak.what
        if "clear" in how:
            assert "modules removed" in leak.what
            assert not leak.undone
        if spoilt.replaced is None:
            assert next_one.output.split() == spoilt.output.split()[:1]


def test_output_between_fences_belongs_to_none(bench: Bench) -> None:
    """A value is evaluated between two fences; here the thread writes while nothing else does."""
    write = "import os, threading, time\nthreading.Timer(0.05, os.write, (1, b'late')).start()"
    first, second = bench.outcomes(
        bench.chain(write, "print('next')", values=(("time.sleep(0.15)", None),))
    )
    assert (first.output, second.output) == (b"", b"next\n")


# Language, code (from page line 10), output, summary and page line of the failure.
SHELL: list[tuple[str, str, bytes, str | None, int | None]] = [
    ("bash", "echo one\necho $0 >&2", b"one\n", None, None),
    ("bash", "true\nfalse\necho two", b"", "`false` ended with status 1", 11),
    ("bash", "false | true\necho two", b"", "`false | true` ended with status 1", 10),
    ("bash", "f() {\n  false\n  echo two\n}\necho one\nf", b"one\n", "`f` ended with status 1", 15),
    ("bash", "if true; then\n  (exit 9)\nfi", b"", "`( exit 9 )` ended with status 9", 11),
    ("bash", "(\nfalse\n)", b"", "`( false )` ended with status 1", 12),
    ("bash", "set +e\nfalse\nexit 3", b"", "bash ended with status 3", None),
    ("bash", "false || true\nexit 3", b"", "bash ended with status 3", None),
    ("bash", "trap\nfalse", b"", "bash ended with status 1", None),
    ("bash", "echo $- ${BASH_ENV-unset}; env | grep ^BASH_ENV || true", b"ehBc unset\n", None, None),
    ("bash", "exec 2>&1; set -x; false", b"+ false\n", "bash ended with status 1", None),
    ("bash", "exec 2>&1\nset -u\n: $x", b"bash: line 3: x: unbound variable\n",
     "bash ended with status 1", None),
    ("bash", "exec 2>&1\nset -C\nnosuch_", b"bash: line 3: nosuch_: command not found\n",
     "`nosuch_` ended with status 127", 12),
    ("sh", "echo one\nexit 7", b"one\n", "sh ended with status 7", None),
    ("bash", "kill -9 $$", b"", "bash died of SIGKILL (signal 9)", None),
    ("bash", "yes | head -1 || true", b"y\n", None, None),
]  # fmt: skip


@pytest.mark.parametrize(("language", "code", "output", "summary", "line"), SHELL)
def test_shell(
    bench: Bench, language: str, code: str, output: bytes, summary: str | None, line: int | None
) -> None:
    found = bench.one(code, language=language)
    assert found.output == output
    status = {"bash died of SIGKILL (signal 9)": "-9"}.get(
        summary or "", (summary or "").rpartition(" ")[2]
    )
    assert (found.failure and found.failure.summary) == summary
    if found.failure is not None:
        assert (found.failure.kind, found.failure.message) == ("exit", status)
        assert found.failure.line == line


def test_shell_runs_in_the_chains_directory(bench: Bench) -> None:
    (bench.directory / "here.txt").touch()
    assert bench.one("ls", language="sh").output == b"here.txt\n"


def test_input_is_empty(bench: Bench) -> None:
    found = bench.one("input()")
    assert found.failure is not None
    assert found.failure.summary.startswith("EOFError")


def test_children_left_behind_are_named_and_ended(bench: Bench) -> None:
    # With a return code its finaliser does not warn that the process still runs.
    code = (
        "import subprocess\np = subprocess.Popen(['sleep', '1000.25'])\n"
        "print(p.pid)\np.returncode = 0"
    )
    found, after = bench.outcomes(bench.chain(code), bench.chain("print(1)"))
    (leak,) = found.leaks
    assert (leak.what, leak.now, leak.fence) == ("child process left running", "sleep 1000.25", 1)
    assert leak.undone
    assert not Path(f"/proc/{int(found.output)}").exists()
    assert (after.output, after.leaks) == (b"1\n", ())


def test_a_fork_that_falls_off_the_end_ends_there(bench: Bench) -> None:
    code = (
        "import os, sys\npid = os.fork()\nif pid == 0:\n    print('child')\n    {}\n"
        "else:\n    print('parent', os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))\n"
    )
    for last, status in (("pass", 0), ("sys.exit(3)", 3), ("raise ValueError", 1)):
        found, after = bench.outcomes(bench.chain(code.format(last)), bench.chain("print(1)"))
        assert found.output == b"child\nparent %d\n" % status
        assert (found.failure, after.output) == (None, b"1\n")


def test_describe_names_the_interpreter(bench: Bench) -> None:
    assert bench.engine.describe().startswith("Python 3.")
