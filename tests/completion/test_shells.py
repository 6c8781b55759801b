"""The scripts, in the shells that they are for; a shell that is not there is left out."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from fencerun import cli

PAGE = """\
```python fence:1
```

~~~py {title="x" fence=12}
~~~

<!-- fence:7 hidden
-->

> ```python requires:cuda fence:30 continues:1
> ```

```python unfence:8
```
in prose, fence:9
"""


def needs(shell: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(shell) is None, reason=f"there is no {shell}")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with pages, and the three scripts beside it."""
    directory = tmp_path_factory.mktemp("place")
    (directory / "project/lessons").mkdir(parents=True)
    for name in ("a.md", "lessons/x.md", "lessons/y.markdown", "note.txt", "two words.md"):
        (directory / "project" / name).write_text(PAGE)
    for name in ("bash", "zsh", "fish"):
        with open(directory / name, "w") as stream, redirect_stdout(stream):
            assert cli.main(["completion", name]) == 0
    return directory


@pytest.fixture(params=["bash", "zsh", "fish"])
def shell(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(autouse=True)
def _in_the_project(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place / "project")


def test_it_parses(shell: str, place: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell}")
    done = subprocess.run(
        [shell, "-n", place / shell], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_it_starts_nothing_of_ours(shell: str, place: Path) -> None:
    """No word of the script is a command of ours or Python's: a TAB would cost its start."""
    script = (place / shell).read_text()
    assert not re.search(r"^\s*(python|fencerun)\b|\$\((python|fencerun)\b", script, re.MULTILINE)


# What is typed, and what is offered: in bash and fish. Fish shows each with what it does.
OFFERED = [
    ("fencerun ch", {"check"}),
    ("fencerun check --di", {"--diff"}),
    ("fencerun check --diff s", {"side-by-side"}),
    ("fencerun record --only unrecorded,ch", {"unrecorded,changed"}),
    ("fencerun check --report jso", {"jsonl="}),
    ("fencerun completion ", {"bash", "zsh", "fish"}),
    ("fencerun check less", {"lessons/"}),
    ("fencerun check lessons/", {"lessons/x.md", "lessons/y.markdown"}),
    ("fencerun init less", {"lessons/"}),
]
IDS = {"a.md::1", "a.md::12", "a.md::7", "a.md::30"}


def bash(place: Path, line: str, breaks: str = " \t\n\"'><=;|&(:") -> set[str]:
    code = (
        'source "$1"; COMP_WORDBREAKS=$3; COMP_LINE=$2; COMP_POINT=${#2}; _fencerun; '
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", code, "bash", place / "bash", line, breaks],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stderr == ""
    return set(done.stdout.split("\n")) - {""}


@needs("bash")
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        *OFFERED,
        ("fencerun check a.md", {"a.md", *IDS}),
        ("fencerun check --diff=s", {"side-by-side"}),
        ("fencerun -", {"--help", "--version"}),
        ("fencerun matrix torch -- a.md::1", {"a.md::1", "a.md::12"}),
        ("fencerun check nothing.md::", set()),
        ("fencerun check -k ", set()),
        ("fencerun nonsense ", set()),
        ("fencerun check tw", {r"two\ words.md"}),
        (r"fencerun check two\ w", {r"two\ words.md"}),
        (r"fencerun check two\ words.md::3", {r"two\ words.md::30"}),
    ],
)
def test_bash(line: str, offered: set[str], place: Path) -> None:
    assert bash(place, line, " \t\n") == offered


@needs("bash")
def test_bash_takes_a_colon_for_the_end_of_a_word(place: Path) -> None:
    assert bash(place, "fencerun check a.md::") == {"1", "12", "7", "30"}
    assert bash(place, "fencerun check a.md::1") == {"1", "12"}
    assert bash(place, r"fencerun check two\ words.md::3") == {"30"}
    assert bash(place, "fencerun check --report junit=note") == set()


@needs("fish")
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        *OFFERED,
        ("fencerun check a.md::", IDS),
        (r"fencerun check two\ words.md::3", {"two words.md::30"}),
        ("fencerun check --diff=s", {"--diff=side-by-side"}),
        ("fencerun check -k ", set()),
    ],
)
def test_fish(line: str, offered: set[str], place: Path) -> None:
    code = "source $argv[1]; complete -C $argv[2]"
    done = subprocess.run(
        ["fish", "--no-config", "-c", code, place / "fish", line],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={**os.environ, "HOME": str(place)},
    )
    assert done.stderr == ""
    assert {found.partition("\t")[0] for found in done.stdout.splitlines()} == offered


class Zsh:
    """A zsh at a terminal: types, and reads what its line became."""

    def __init__(self, place: Path) -> None:
        self._pid, self._terminal = pty.fork()
        if self._pid == 0:
            os.execvpe(
                "zsh", ["zsh", "-f", "-i"], {**os.environ, "HOME": str(place), "TERM": "dumb"}
            )
        self.type("PS1='' PS2='' RPS1=''; unsetopt zle_bracketed_paste prompt_sp; stty -echo\n")
        self.type(f"autoload -Uz compinit && compinit -u -D; source {place}/zsh\n")
        # Shows the line as it is after a TAB, and begins a new one.
        self.type("show() { zle -M ''; print -r -- \"<<$BUFFER>>\"; BUFFER=; zle redisplay }\n")
        self.type("zle -N show; bindkey '^X' show; setopt no_list_ambiguous no_beep\n")
        self.type("print rea''dy\n")
        self.read("ready")

    def type(self, text: str) -> None:
        os.write(self._terminal, text.encode())

    def read(self, until: str) -> str:
        text, deadline = "", time.monotonic() + 60
        while not re.search(until, text):
            assert time.monotonic() < deadline, text
            if select.select([self._terminal], [], [], 1)[0]:
                text += os.read(self._terminal, 65536).decode(errors="replace")
        return text

    def complete(self, line: str) -> str:
        self.type(f"{line}\t\x18")
        found = re.findall(r"<<(.*?)>>", self.read(r"<<.*?>>"), re.DOTALL)
        return str(found[-1])

    def close(self) -> None:
        os.close(self._terminal)
        os.waitpid(self._pid, 0)


@pytest.fixture(scope="module")
def zsh(place: Path) -> Iterator[Zsh]:
    started = Zsh(place)
    yield started
    started.close()


@needs("zsh")
@pytest.mark.parametrize(
    ("line", "completed"),
    [
        ("fencerun ch", "fencerun check "),
        ("fencerun check --di", "fencerun check --diff="),
        ("fencerun check --diff=s", "fencerun check --diff=side-by-side "),
        ("fencerun check --diff s", "fencerun check --diff side-by-side "),
        ("fencerun check --requires cu", "fencerun check --requires cuda,"),
        ("fencerun check less", "fencerun check lessons/"),
        ("fencerun check lessons/x", "fencerun check lessons/x.md"),
        ("fencerun check a.md::3", "fencerun check a.md::30 "),
        ("fencerun check tw", r"fencerun check two\ words.md"),
        (r"fencerun check two\ words.md::3", r"fencerun check two\ words.md::30 "),
        ("fencerun schema con", "fencerun schema config "),
        ("fencerun init less", "fencerun init lessons/"),
    ],
)
def test_zsh(line: str, completed: str, place: Path, zsh: Zsh) -> None:
    zsh.type(f"cd {place}/project\n")
    assert zsh.complete(line) == completed
