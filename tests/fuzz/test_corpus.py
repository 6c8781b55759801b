"""Every kept input still holds, and every target is tried on fresh ones."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .target import CORPUS, TARGETS, kept, load

INPUTS = [(name, path) for name in TARGETS for path in kept(name)]


@pytest.mark.parametrize(("name", "path"), INPUTS, ids=lambda each: getattr(each, "name", each))
def test_a_kept_input(name: str, path: Path) -> None:
    load(name)(path.read_bytes())


def test_the_corpus_is_there_and_small() -> None:
    sizes = [path.stat().st_size for _, path in INPUTS]
    assert {path.name for path in CORPUS.iterdir()} == set(TARGETS)
    assert len(sizes) >= 30
    assert sum(sizes) < 40 << 10


#: Pieces of pages and frames: short ones, so that what goes wrong is soon small.
PIECES = st.sampled_from(
    (
        *(
            b"```",
            b"~~~",
            b"````",
            b"\n",
            b"\r\n",
            b"\r",
            b" ",
            b"    ",
            b"\t",
            b"> ",
            b"- ",
            b"1. ",
        ),
        *(b"python", b"pycon", b"console", b"text", b" fence:1", b" fence:2", b" output:1"),
        *(
            b" {fence=1}",
            b" continues:1",
            b" requires:cuda",
            b"<!-- fence:1 -->",
            b"<!-- output:1 -->",
        ),
        *(
            b"<!-- /output:1 -->",
            b"<!-- fence:3 hidden\n",
            b"-->",
            b"---\n",
            b"+++\n",
            b"fencerun:\n",
        ),
        *(b"x = 1", b">>> x", b"$ x", b"<div>", b"<script>", b"[a]: /b", b"# h", b"| a |\n|---|\n"),
        *(
            b"\x1e",
            b"\x1e!",
            b"\x0b",
            b"\x1d",
            b"\x85",
            b"\xc2\x85",
            b"\xe2\x80\xa8",
            b"\xef\xbb\xbf",
        ),
        *(b"\x00", b"\xff", b"\x1b[1m", b"{", b"}", b'"serial":1', b"[0,1]", b",", b"=======\n"),
    )
)
BYTES = st.lists(PIECES | st.binary(max_size=3), max_size=24).map(b"".join)


@pytest.mark.parametrize("name", TARGETS)
def test_fresh_inputs(name: str) -> None:
    check = load(name)
    settings(max_examples=300)(given(BYTES)(check))()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "usage: python -m tests.fuzz {reader|"),
        (("nonsense",), "usage: python -m tests.fuzz {reader|"),
        (("reader",), "atheris is missing: pip install --target DIR atheris"),
    ],
)
def test_the_command_says_what_it_needs(arguments: tuple[str, ...], said: str) -> None:
    """Where atheris is not to be had, as here: a module of that name that cannot be imported."""
    code = "import runpy, sys; sys.modules['atheris'] = None; runpy.run_module('tests.fuzz', "
    code += "run_name='__main__', alter_sys=True)"
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert said in done.stderr
