"""Words of a command that a message tells its reader to run."""

from __future__ import annotations

import io
import locale
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fencerun.pasting import pasted

BASH = shutil.which("bash")


@pytest.fixture(autouse=True)
def _utf_8(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locale, "nl_langinfo", lambda what: "UTF-8")


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        ("a/b.md::3", "a/b.md::3"),
        ("a b.md::3", "'a b.md::3'"),
        ("-v.md::1", "./-v.md::1"),
        ("- v.md", "'./- v.md'"),
        ("x\x1b[31m'\\.md", r"$'x\x1b[31m\'\\.md'"),
        ("new\nline.md", r"$'new\x0aline.md'"),
        ("\u202ex.md", r"$'\xe2\x80\xaex.md'"),
        ("\udcff.md", r"$'\xff.md'"),
        ("ü.md", "'ü.md'"),
    ],
)
def test_pasted(word: str, shown: str) -> None:
    assert pasted(word) == shown


@pytest.mark.parametrize(
    ("charset", "encoding", "word", "shown"),
    [
        ("ANSI_X3.4-1968", "utf-8", "ü.md::3", r"$'\xc3\xbc.md::3'"),
        ("ANSI_X3.4-1968", "utf-8", "it's ü.md", r"$'it\'s \xc3\xbc.md'"),
        ("ANSI_X3.4-1968", "utf-8", "a b.md", "'a b.md'"),
        ("UTF-8", "ascii", "ü.md", r"$'\xc3\xbc.md'"),
        ("UTF-8", "utf-8", "ü.md", "'ü.md'"),
        ("ISO-8859-1", "iso-8859-1", "ü.md", "'ü.md'"),
        ("ISO-8859-1", "iso-8859-1", "ü\u03b1.md", r"$'ü\xce\xb1.md'"),
        ("no such charset", "utf-8", "ü.md", r"$'\xc3\xbc.md'"),
        ("UTF-8", None, "ü.md", "'ü.md'"),
    ],
)
def test_what_the_terminal_has_no_character_for_stands_as_bytes(
    monkeypatch: pytest.MonkeyPatch, charset: str, encoding: str | None, word: str, shown: str
) -> None:
    monkeypatch.setattr(locale, "nl_langinfo", lambda what: charset)
    out = None if encoding is None else io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(sys, "stdout", out)
    assert pasted(word) == shown


PAGE = """\
```python fence:1
print(1)
```

```text output:1
2
```
"""


@pytest.mark.skipif(BASH is None, reason="bash is not there")
@pytest.mark.parametrize("utf_8", ["0", "1"])
def test_under_an_ascii_locale_the_remedy_can_be_pasted(tmp_path: Path, utf_8: str) -> None:
    (tmp_path / "läufe ü.md").write_text(PAGE)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LC_")}
    plain = {**kept, "LC_ALL": "C", "PYTHONUTF8": utf_8, "PYTHONCOERCECLOCALE": "0"}

    def ran(command: list[str]) -> str:
        run = subprocess.run(command, cwd=tmp_path, env=plain, capture_output=True, timeout=120)
        said = (run.stdout + run.stderr).decode("utf-8")
        assert "Traceback" not in said
        return said

    own = [sys.executable, "-m", "fencerun"]
    told = [line.strip() for line in ran([*own, "check"]).splitlines()]
    remedies = [line for line in told if line.startswith("fencerun ")]
    assert [line.split(" ", 2)[1] for line in remedies] == ["check,", "record", "check"]
    name = r"$'l\xc3\xa4ufe \xc3\xbc.md"
    assert remedies[1:] == [f"fencerun record {name}::1'", f"fencerun check {name}::1'"]
    for line, outcome in zip(remedies[1:], ("1 recorded", "1 passed"), strict=True):
        said = ran([str(BASH), "-c", f"{shlex.join(own)} {line.removeprefix('fencerun ')}"])
        assert f"{outcome} on 1 page" in said
    assert "written" in ran([*own, "export", ".", "--to", "py"])
    assert "fencerun matrix" in ran([*own, "matrix", "--help"])


names = st.binary(min_size=1, max_size=12).filter(lambda name: b"\0" not in name)


@pytest.mark.skipif(BASH is None, reason="bash is not there")
@settings(max_examples=15, deadline=None)
@given(st.lists(names, min_size=1, max_size=20))
def test_a_shell_reads_what_was_meant(given: list[bytes]) -> None:
    words = " ".join(pasted(os.fsdecode(name)) for name in given)
    assert words.isprintable()
    command = [str(BASH), "-c", f"printf '%s\\0' {words}"]
    said = subprocess.run(command, capture_output=True, check=True).stdout
    meant = (b"./" + name if name.startswith(b"-") else name for name in given)
    assert said == b"".join(name + b"\0" for name in meant)
