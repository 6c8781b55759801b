"""The command, as its users start it: arguments in, an exit code and text out."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fencerun import cli

COMMAND = (sys.executable, "-m", "fencerun")

PAGE = """\
```python fence:1
print("one")
```

```text output:1
one
```

```python fence:2
print("pear")
```

```text output:2
apple
```
"""


@pytest.fixture(autouse=True)
def _environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("VIRTUAL_ENV", "FENCERUN_PAGE", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)


def fencerun(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments], cwd=cwd, capture_output=True, text=True, timeout=120
    )


def page(text: str = PAGE, name: str = "p.md") -> Path:
    path = Path(name).absolute()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def block(code: str, info: str = "python fence:1") -> str:
    return f"```{info}\n{code}\n```\n"


# Exit codes.

CODES: dict[str, tuple[str, int, tuple[str, ...], str]] = {
    "0": (block("x = 1"), 0, (), "1 passed"),
    "1": (block("print(1)"), 1, (), "1 unrecorded"),
    "3": (block("x", "python fence:0"), 3, (), "problem"),
    "4": (block("1 / 0"), 4, (), "ZeroDivisionError"),
    "5": (block("x = 1", 'python fence:1 skip:"why"'), 5, (), "no fence ran"),
    "nothing selected": (block("x = 1"), 5, ("-k", "nowhere"), "no fence was selected"),
    "nothing selected, allowed": (block("x = 1"), 0, ("-k", "nowhere", "--allow-empty"), ""),
    "left out": (
        block("x = 1", "python fence:1 requires:slow"),
        5,
        ("--without", "slow,network"),
        "left out by --without",
    ),
    "must have and has": (block("x = 1"), 0, ("--must-have", "linux,python>=3.8"), ""),
}


@pytest.mark.parametrize(("text", "code", "options", "said"), CODES.values(), ids=list(CODES))
def test_exit_codes(text: str, code: int, options: tuple[str, ...], said: str) -> None:
    page(text)
    done = fencerun("check", *options, "p.md")
    assert said in done.stdout
    assert (done.returncode, done.stderr) == (code, "")


USAGE: dict[str, tuple[tuple[str, ...], str]] = {
    "no such page": (("check", "missing.md"), "missing.md: no such file or directory"),
    "no such fence": (("check", "p.md::1", "p.md::9"), "p.md::9: the page has no such fence"),
    "no such line": (("record", "p.md:999"), "p.md:999: no fence is on that line"),
    "no such fence to look at": (("status", "p.md::9"), "p.md::9: the page has no such fence"),
    "no such interpreter": (("check", "--python", "nowhere", "p.md"), "no such interpreter"),
    "no interpreter": (("check", "--python", "/bin/false", "p.md"), "ended at once"),
    "no such report": (("check", "--report", "xml", "p.md"), "--report xml: no such report"),
    "no such verdict": (("record", "--only", "orphans", "p.md"), "Did you mean `orphan`?"),
    "must have and has not": (
        ("check", "--must-have", "env:NO_SUCH_VARIABLE", "p.md"),
        "--must-have env:NO_SUCH_VARIABLE: NO_SUCH_VARIABLE is not set",
    ),
    "unknown capability": (("check", "--must-have", "cudaa", "p.md"), "Did you mean `cuda`?"),
    "unknown left out": (
        ("check", "--without", "netwrk", "p.md"),
        "--without netwrk: no such",
    ),
    "unknown option": (("check", "--no-such-option"), "unrecognized arguments"),
    "unknown verb": (("chek",), "invalid choice"),
    "no verb": ((), "usage:"),
}


@pytest.mark.parametrize(("arguments", "said"), USAGE.values(), ids=list(USAGE))
def test_mistakes_in_the_call(
    arguments: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """In this process: each is found before anything runs."""
    before = page().read_bytes()
    try:
        code = cli.main(arguments)
    except SystemExit as error:
        code = int(error.code or 0)
    told = capsys.readouterr()
    assert said in told.err
    assert "Traceback" not in told.err
    assert code == 2
    assert page().read_bytes() == before


CONFIGURATIONS = {
    "[tool.fencerun]\npath = ['x']\n": "no setting is called `path`. Did you mean `paths`?",
    "[tool.fencerun\n": "pyproject.toml:1: ",
    "[tool.fencerun]\npaths = ['nowhere']\n": "nowhere: no such file or directory",
    "[tool.fencerun]\nmax_output = 10\n": "max_output is 10",
    "[tool.fencerun]\nvaries = 'tme'\n": "pyproject.toml:2: `varies:tme`: no mask",
    "[tool.fencerun.pages.'*.md']\nrequires = 'cudaa'\n": "pyproject.toml:2: `requi",
    "[tool.fencerun.capabilities]\nlab = 3\n": "pyproject.toml:2: capabilities: ",
    "[tool.fencerun.masks]\nx = 'a*'\n": "pyproject.toml:2: masks.x: ",
}


@pytest.mark.parametrize(("text", "said"), CONFIGURATIONS.items())
def test_mistakes_in_the_configuration(
    text: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    page()
    Path("pyproject.toml").write_text(text)
    assert cli.main(["check"]) == 2
    assert said in capsys.readouterr().err


def test_a_fault_of_fencerun_is_told_as_such(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise LookupError("inside")

    monkeypatch.setattr("fencerun.reader.parse", broken)
    page()
    assert cli.main(["check", "p.md"]) == 6
    said = capsys.readouterr().err
    assert "LookupError: inside" in said and "fault of fencerun itself" in said


def test_the_version_and_the_installed_command() -> None:
    command = Path(sys.executable).with_name("fencerun")
    for start in ([*COMMAND], [str(command)]):
        done = subprocess.run([*start, "--version"], capture_output=True, text=True, timeout=60)
        assert done.stdout.startswith("fencerun 0.")
        assert done.returncode == 0


# What is run.


def test_record_then_check() -> None:
    path = page()
    done = fencerun("record")
    assert done.returncode == 0, done.stdout
    assert "apple" not in path.read_text()
    assert fencerun("check").returncode == 0


SELECTED: dict[str, tuple[tuple[str, ...], str]] = {
    "whole": (("p.md",), "1 passed, 1 changed"),
    "id": (("p.md::1",), "1 passed on"),
    "line of the code": (("p.md:2",), "1 passed on"),
    "line of the recording": (("p.md:15",), "1 changed on"),
    "two ids": (("p.md::1", "p.md::2"), "1 passed, 1 changed"),
    "two names of one page": (("p.md::1", "./p.md::2"), "1 passed, 1 changed"),
    "a fence of a page named besides": (("p.md::1", "p.md"), "1 passed, 1 changed"),
    "a fence of a directory named besides": (("p.md::1", "."), "1 passed, 1 changed"),
    "word": (("-k", "PEAR", "p.md"), "1 changed on"),
    "id as word": (("-k", "p.md::1"), "1 passed on"),
}


@pytest.mark.parametrize(("arguments", "said"), SELECTED.values(), ids=list(SELECTED))
def test_selection(
    arguments: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    page()
    assert cli.main(["check", *arguments]) in (0, 1)
    assert said in capsys.readouterr().out


def test_the_configured_pages_from_a_subdirectory() -> None:
    page(PAGE, "lessons/deep/a.md")
    page(PAGE, "drafts/b.md")
    page(PAGE, "README.md")
    Path("pyproject.toml").write_text("[tool.fencerun]\npaths = ['lessons', 'README.md']\n")
    for where, names in (
        (".", ("lessons/deep/a.md:14", "README.md:14")),
        ("lessons/deep", ("a.md:14", "../../README.md:14")),
    ):
        done = fencerun("check", cwd=Path(where).absolute())
        assert done.returncode == 1
        assert all(f"\n{name}: changed" in done.stdout for name in names), done.stdout
        assert "2 passed, 2 changed" in done.stdout


def test_a_symbolic_link_is_written_through_and_stays() -> None:
    target = page(block("import beside"), "store/real.md")
    page("print('beside the link')\n", "book/beside.py")
    link = Path("book/p.md")
    link.symlink_to(target)
    done = fencerun("record", "book/p.md")
    assert done.returncode == 0, done.stdout
    assert link.is_symlink()
    assert "beside the link" in target.read_text()


@pytest.mark.parametrize("name", ["a b/c d.md", "naïve ☃.md", "-dash.md", "x::3.md", "x:3"])
def test_names_of_pages(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = page(block("print(__file__)"), name)
    assert cli.main(["record", "--", name]) == 0
    capsys.readouterr()
    assert f"\n{path}\n" in path.read_text()
    path.write_text(block("1 / 0"))
    assert cli.main(["check", "--", name]) == 4
    assert f"{name}:2: failed" in capsys.readouterr().out


def test_reports_all_at_once() -> None:
    page()
    done = fencerun(
        "check",
        *("--report", "github", "--report", "junit=out/junit.xml"),
        *("--report", "jsonl=out/run.jsonl", "--report", "plain=out/plain.txt"),
        "p.md",
    )
    assert done.returncode == 1
    assert "::error file=p.md,line=14" in done.stdout
    assert "fencerun check" not in done.stdout
    suites = ElementTree.parse("out/junit.xml").getroot()
    assert [case.get("name") for case in suites.iter("testcase")] == ["fence 1", "fence 2"]
    events = [json.loads(line) for line in Path("out/run.jsonl").read_text().splitlines()]
    assert events[-1]["exit_code"] == 1
    assert "1 passed, 1 changed" in Path("out/plain.txt").read_text()


def test_a_report_in_a_file_leaves_the_terminal_as_it_is() -> None:
    page()
    done = fencerun("check", "--report", "junit=junit.xml", "p.md")
    assert done.stdout.startswith("fencerun check, Python")
    assert Path("junit.xml").exists()


def test_status_runs_nothing() -> None:
    page(PAGE + block("open('ran', 'w')", "python fence:3 continues:2"))
    done = fencerun("status")
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "p.md:1: recorded: fence 1, 1 line",
        "p.md:9: recorded: fence 2, 1 line",
        "p.md:16: unrecorded: fence 3, no recording; continues fence 2",
        "2 recorded, 1 unrecorded on 1 page",
    ]
    assert not Path("ran").exists()
    page(block("x", "python fence:1 continues:7"))
    assert fencerun("status").returncode == 3


def test_explain() -> None:
    page()
    done = fencerun("explain", "p.md::2")
    assert done.returncode == 0
    assert done.stdout.startswith("p.md:9: fence 2\n")


def test_strip_takes_whole_pages(capsys: pytest.CaptureFixture[str]) -> None:
    path = page()
    assert cli.main(["record", "--strip", "p.md::1"]) == 2
    for words in (["--only", "orphan"], ["--renew"], ["--lf"], ["--from", "x.jsonl"]):
        assert cli.main(["record", "--strip", *words, "p.md"]) == 2
    assert cli.main(["record", "--strip", "--dry-run", "p.md"]) == 1
    assert path.read_text() == PAGE
    assert cli.main(["record", "--strip", "p.md"]) == 0
    assert "output" not in path.read_text()
    assert "2 recordings removed" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["e\x1b[31m.md", "::error ::x.md"], ids=["escape", "command"])
def test_verbs_that_run_nothing_write_no_control_characters(name: str) -> None:
    """Nor a line that CI takes for a command: names of pages and tags are anybody's words."""
    text = (
        block("print(1)")
        + block("print(1)", 'python fence:2 skip:"\x1b[31mred"')
        + block("x", "python\x1b[31m")
        + block("x", "text output:9")
    )
    Path(name).write_text(text)
    for call in (["status"], ["explain", f"./{name}:1"], ["explain", f"./{name}:5"],
                 ["record", "--strip", name], ["status"]):  # fmt: skip
        done = fencerun(*call)
        shown = done.stdout + done.stderr
        assert done.returncode == 0, shown
        assert len(shown.splitlines()) > 0 and "\x1b" not in shown
        assert not [line for line in shown.splitlines() if line.lstrip().startswith("::")]


def test_no_job_summary_is_asked_for_by_an_empty_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "")
    page(block("x = 1"))
    done = fencerun("check", "--report", "github")
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize(
    "words",
    [["-j", "9" * 5], ["-j", "9" * 5000], [f"p.md::{'9' * 5000}"], [f"p.md:{'9' * 5000}"]],
    ids=["many", "a number that is too long", "of a fence", "of a line"],
)
def test_numbers_that_nothing_has(words: list[str]) -> None:
    page()
    done = fencerun("check", *words)
    assert done.returncode == 2
    assert "error: " in done.stderr and "Traceback" not in done.stderr


# Other ends of the process.


@pytest.mark.parametrize("verb", ["status", "check"])
def test_a_reader_that_goes_away(verb: str) -> None:
    """As `fencerun status | head -1`: no traceback, and no success either."""
    page("\n".join(block("1 / 0", f"python fence:{n}") for n in range(1, 4000)))
    command = subprocess.Popen(
        [*COMMAND, verb], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert command.stdout is not None and command.stderr is not None
    assert command.stdout.readline()
    command.stdout.close()
    assert command.stderr.read() == ""
    assert command.wait(60) == 128 + signal.SIGPIPE
    command.stderr.close()


def test_a_stream_that_cannot_take_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    page(block("print('é')"), "é.md")
    assert fencerun("status").returncode == 0
    done = fencerun("check")
    assert (done.returncode, done.stderr) == (1, "")
    assert "\\xe9.md:1: unrecorded" in done.stdout


def _alive(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def _wait(holds: object) -> None:
    deadline = time.monotonic() + 30
    while not holds():  # type: ignore[operator]
        assert time.monotonic() < deadline
        time.sleep(0.02)


@contextmanager
def _running(verb: str) -> Iterator[tuple[subprocess.Popen[str], list[int]]]:
    """A run whose second page hangs, and the processes that belong to it."""
    page(block("print('done')"), "a.md")
    code = "import os, time\nprint('new', flush=True)\n"
    code += "open('pids.tmp', 'w').write(f'{os.getpid()} {os.getppid()}')\n"
    code += "os.rename('pids.tmp', 'pids')\ntime.sleep(60)"
    page(block(code), "b.md")
    with subprocess.Popen(
        [*COMMAND, verb, "a.md", "b.md"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as command:
        try:
            _wait(Path("pids").exists)
            yield command, [int(pid) for pid in Path("pids").read_text().split()]
        finally:
            command.kill()


@pytest.mark.parametrize("verb", ["check", "record"])
def test_ctrl_c_leaves_no_process_and_keeps_what_is_done(verb: str) -> None:
    with _running(verb) as (command, pids):
        assert all(map(_alive, pids))
        # A terminal sends it to all processes of its foreground.
        os.killpg(command.pid, signal.SIGINT)
        out, err = command.communicate(timeout=30)
        assert (command.returncode, err) == (130, "")
        assert "interrupted" in out
        _wait(lambda: not any(map(_alive, pids)))
    assert ("output:1" in Path("a.md").read_text()) == (verb == "record")
    assert "output" not in Path("b.md").read_text()


def test_a_killed_run_leaves_no_process() -> None:
    with _running("check") as (command, pids):
        command.kill()
        command.communicate(timeout=30)
        _wait(lambda: not any(map(_alive, pids)))


# Runs within runs.


def _nested(name: str) -> str:
    return block(f"{sys.executable} -m fencerun check {name} 2>&1", "bash fence:1")


def test_a_fence_that_runs_its_own_page_is_refused() -> None:
    page(_nested("p.md"))
    done = fencerun("check", "p.md")
    assert done.returncode == 4
    assert "p.md: a fence of this page runs fencerun on the page itself" in done.stdout
    assert "2>&1` ended with status 2" in done.stdout


def test_pages_that_run_one_another_are_refused() -> None:
    page(_nested("b.md"), "a.md")
    page(_nested("a.md"), "b.md")
    done = fencerun("check", "a.md")
    assert done.returncode == 4
    assert "a.md: a fence of this page runs fencerun on the page itself" in done.stdout


def test_a_fence_may_run_another_page() -> None:
    page(block(f"{sys.executable} -m fencerun check other.md > log; echo $?", "bash fence:1"))
    page(block("x = 1"), "other.md")
    assert fencerun("record", "p.md").returncode == 0
    assert "output:1\n0\n" in Path("p.md").read_text()


# Other machines' runs.

LAB = "[tool.fencerun.capabilities]\nlab = { env = 'LAB' }\n"
GATED = (
    block("print('in the lab')", "python fence:1 requires:lab")
    + "\n"
    + block("x = 1", "python fence:2")
)


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """A run written down where there is a lab; there is none here."""
    Path("pyproject.toml").write_text(LAB)
    path = page(GATED)
    monkeypatch.setenv("LAB", "yes")
    assert cli.main(["check", "--report", "jsonl=lab.jsonl"]) == 1
    monkeypatch.delenv("LAB")
    assert path.read_text() == GATED
    capsys.readouterr()
    return path


def test_what_another_machine_printed_is_taken_in(
    told: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["check"]) == 5
    assert cli.main(["check", "--from", "lab.jsonl"]) == 1
    assert "on cpu, it printed 1 line and has no recording" in capsys.readouterr().out
    assert cli.main(["record", "--from", "*.jsonl"]) == 0
    assert "\nin the lab\n" in told.read_text()
    assert cli.main(["check"]) == 0
    assert "1 kept" in capsys.readouterr().out


def test_what_another_machine_ran_of_other_code_is_not(
    told: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told.write_text(GATED.replace("in the lab", "elsewhere"))
    before = told.read_text()
    assert cli.main(["record", "--from", "lab.jsonl"]) == 1
    assert "lab.jsonl ran other code than is here" in capsys.readouterr().out
    assert told.read_text() == before


def test_status_accounts_for_every_fence(told: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["record", "--from", "lab.jsonl"]) == 0
    capsys.readouterr()
    assert cli.main(["status", "--from", "lab.jsonl"]) == 0
    assert "every fence is accounted for" in capsys.readouterr().out
    told.write_text(told.read_text() + "\n" + block("y = 1", "python fence:3"))
    assert cli.main(["status", "--from", "lab.jsonl"]) == 5
    assert "1 not accounted for by any run:\n  p.md::3\n" in capsys.readouterr().out


def test_a_file_that_is_no_report(capsys: pytest.CaptureFixture[str]) -> None:
    page()
    for file in ("p.md", "missing.jsonl", "*.jsonl"):
        assert cli.main(["check", "--from", file]) == 2
        assert f"--from {file}: " in capsys.readouterr().err


def test_what_was_not_green_the_last_time(capsys: pytest.CaptureFixture[str]) -> None:
    path = page()
    assert cli.main(["check"]) == 1
    path.write_text(PAGE.replace("apple", "pear"))
    capsys.readouterr()
    assert cli.main(["check", "--lf"]) == 0
    assert "1 passed on" in capsys.readouterr().out
    assert cli.main(["check", "--lf"]) == 0
    assert "2 passed on" in capsys.readouterr().out


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        *(pytest.param((*v, "--report", f"{r}=/dev/full"), f"--report {r}=/dev/full",
                       id=f"{v[0]}-{r}")
          for v in (("check",), ("record", "--dry-run"))
          for r in ("plain", "rich", "github", "junit", "jsonl")),
        *(pytest.param(v, "stdout", id=f"{v[0]}-stdout")
          for v in (("check",), ("record", "--dry-run"), ("status",), ("explain", "p.md::1"),
                    ("audit",), ("check", "--report", "rich"), ("check", "--report", "junit"))),
    ],
)  # fmt: skip
def test_a_full_disk_is_one_line_and_no_traceback(arguments: tuple[str, ...], named: str) -> None:
    page()
    with open("/dev/full" if named == "stdout" else os.devnull, "w") as stdout:
        done = subprocess.run(
            [*COMMAND, *arguments], stdout=stdout, stderr=subprocess.PIPE, text=True, timeout=120
        )
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), done.stderr
    assert f"{named}: No space left on device" in done.stderr


@pytest.mark.parametrize("verb", ["check", "record", "status", "audit", "explain"])
def test_a_closed_stdout_is_one_line_and_no_traceback(verb: str) -> None:
    page()
    command = f"exec {sys.executable} -m fencerun {verb} p.md::1 >&-"
    done = subprocess.run(["sh", "-c", command], stderr=subprocess.PIPE, text=True, timeout=120)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), done.stderr
    assert "stdout is closed" in done.stderr
    assert Path("p.md").read_text() == PAGE


def test_a_pipe_is_refused_and_not_waited_for(capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo("f.md")
    for verb in ("check", "record", "status"):
        assert cli.main([verb, "f.md"]) == 2
        assert "f.md: no regular file" in capsys.readouterr().err


def test_one_of_a_kind_has_no_plural(capsys: pytest.CaptureFixture[str]) -> None:
    page('```python fence:1\nprint("a")\n```\n\n```text output:1\na\n```\n\n```python\n```\n')
    for arguments in (("audit",), ("status",), ("record", "--strip")):
        assert cli.main(arguments) == 0
    out = capsys.readouterr().out
    for words in ("1 fence audited", "alone: 1 chain,", "1 untagged block on 1 page"):
        assert words in out
    assert "p.md: 1 recording removed" in out


@pytest.mark.parametrize("verb", ["check", "status", "audit"])
def test_a_directory_that_cannot_be_read_is_a_warning(
    verb: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    page("```python fence:1\n```\n")
    page(name="locked/b.md")
    real = os.scandir

    def scandir(path: str) -> object:
        if Path(path).name == "locked":
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    assert cli.main([verb, "."]) == 0
    said = "warning: locked cannot be read (Permission denied): pages in it are left out"
    assert capsys.readouterr().out.count(said) == 1
