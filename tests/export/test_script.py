from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from fencerun import reader
from fencerun.frontmatter import PageSettings
from fencerun.members import members

from .making import as_script

LESSON = (Path(__file__).parent / "lesson.md").read_text(encoding="utf-8")


def no_cuda(requirement: str) -> str | None:
    return "no CUDA device" if requirement == "cuda" else None


def run(tmp_path: Path, text: str) -> str:
    path = tmp_path / "page.py"
    path.write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(path)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_script_prints_what_is_recorded(tmp_path: Path) -> None:
    page = reader.parse(LESSON.encode(), "page.md")
    recorded = ""
    for member in members(page, PageSettings()):
        if member.requires:
            continue
        if member.fence.transcript is not None:
            turns = member.fence.transcript.turns
            lines = [turn.output[-1:] if turn.raises else turn.output for turn in turns]
            recorded += "".join(f"{line}\n" for turn in lines for line in turn)
        elif member.fence.recording is not None:
            recorded += "".join(f"{line}\n" for line in member.fence.recording.text)
    (tmp_path / "words.py").write_text("raise SystemExit('not this one')\n")
    assert run(tmp_path, as_script(LESSON, no_cuda)) == recorded


def test_prose_is_comments_and_fences_are_cells() -> None:
    text = as_script("# A\n\ntext \\(x\\)\n\n```python fence:1\nprint(1)\n```\n\nafter\n")
    assert text.startswith("# fencerun export of page.md (000000000000)\n\n# %%\ndef _fencerun(")
    assert "\n\n# %% [markdown]\n# # A\n#\n# text $x$\n\n# %% fence 1\nprint(1)\n\n" in text
    assert text.endswith("# %% [markdown]\n# after\n")


@pytest.mark.parametrize(
    ("block", "code"),
    [
        ("```python fence:1 echo\nx = 1\nx\n```", "x = 1\n_echo(x)"),
        ("```python fence:1 echo\nf(\n    1)\n```", "_echo(\nf(\n    1)\n)"),
        ("```python fence:1 echo\nprint(1)\n```", "print(1)"),
        ("```python fence:1 raises:ValueError\nint('x')\n```",
         "with _Raises('ValueError'):\n    int('x')"),
        ("```python fence:1 raises:SyntaxError\nx = = 1\n```",
         "# Not Python, on purpose:\n# x = = 1"),
        ("```python fence:1\nawait f()\n```",
         "# `await` outside of functions is for notebooks:\n# await f()"),
        ("```bash fence:1\nls \"$x\"\necho\n```",
         '_shell("bash", "-e", "-o", "pipefail", "-c", """\\\nls "$x"\necho\n""")'),
        ("```console fence:1 exit:2\n$ ls\n```", '_shell("bash", "-c", """\\\nls\n""", status=2)'),
        ("```pycon fence:1\n>>> x = 1\n>>> x\n1\n>>> 1/0\nTraceback (most recent call last):\n"
         "  ...\nZeroDivisionError: division by zero\n```",
         "x = 1\n_echo(x)\nwith _Raises('BaseException'):\n    _echo(1/0)"),
    ],
)  # fmt: skip
def test_cells(block: str, code: str) -> None:
    assert as_script(f"{block}\n").endswith(f"# %% fence 1\n{code}\n")


def test_what_cannot_run_here_is_a_comment() -> None:
    text = as_script("```python fence:1 requires:cuda\nx = 1\n\ny\n```\n", no_cuda)
    assert text.endswith(
        "# %% fence 1, not run here: requires:cuda: no CUDA device\n# x = 1\n#\n# y\n"
    )


def test_future_imports_stand_at_the_top(tmp_path: Path) -> None:
    text = as_script(
        "```python fence:1\nfrom __future__ import annotations\n\n"
        "def f(x: undefined): ...\nprint('fine')\n```\n"
    )
    assert text.split("\n")[1] == "from __future__ import annotations"
    assert run(tmp_path, text) == "fine\n"


def test_what_no_source_may_hold_stands_in_no_comment(tmp_path: Path) -> None:
    text = "a\0b\n\n```python fence:1\nprint(1)\n```\n\n```python fence:2 skip:no\n'\0'\n```\n"
    assert run(tmp_path, as_script(text)) == "1\n"


def test_a_set_up_file_runs_at_the_start_of_each_chain(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text("count = 1\nprint('not shown')\n")
    text = as_script(
        "---\nfencerun:\n  setup: setup.py\n---\n\n"
        "```python fence:1\ncount += 1\nprint(count)\n```\n\n"
        "```python fence:2\ncount += 1\nprint(count)\n```\n"
    )
    assert run(tmp_path, text) == "2\n2\n"


def test_files_do_not_touch_what_lies_beside_the_page(tmp_path: Path) -> None:
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "a.txt").write_text("theirs")
    (tmp_path / "conf" / "b.txt").write_text("b")
    text = as_script(
        "```text file:conf/a.txt\nours\n```\n\n"
        "```python fence:1\nprint(open('conf/a.txt').read() + open('conf/b.txt').read())\n```\n"
    )
    assert run(tmp_path, text) == "ours\nb\n"
    assert (tmp_path / "conf" / "a.txt").read_text() == "theirs"
