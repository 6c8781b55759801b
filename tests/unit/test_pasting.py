"""Words of a command that a message tells its reader to run."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fencerun.pasting import pasted

BASH = shutil.which("bash")


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
