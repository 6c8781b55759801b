"""What is told of a block that failed when it was tried."""

from __future__ import annotations

import pytest

from fencerun.reader import parse
from fencerun.result import Failure
from fencerun.tagging import reasons
from fencerun.tagging.candidates import Candidate, candidates
from fencerun.tagging.links import Links
from fencerun.tagging.report import page as told
from fencerun.tagging.rounds import Settled


def blocks(*codes: str) -> list[Candidate]:
    text = "".join(f"```python\n{code}\n```\n" for code in codes)
    return candidates(parse(text.encode(), "page.md"))[0]


def raised(name: str, *bases: str, message: str = "m", missing: str | None = None) -> Failure:
    mro = (name, *bases, "builtins.Exception")
    short = name.rpartition(".")[2]
    return Failure("exception", f"{short}: {message}", 2, "", mro, message, missing_name=missing)


@pytest.mark.parametrize(
    ("failure", "what", "remedy"),
    [
        (raised("builtins.KeyError"), "KeyError: m", "`raises:KeyError`"),
        (raised("builtins.ModuleNotFoundError"), "ModuleNotFoundError", "install it"),
        (raised("builtins.FileNotFoundError"), "FileNotFoundError", "`file:NAME`"),
        (Failure("namespace", "registers operator a::b"), "registers", "`allows:`"),
        (raised("builtins.EOFError"), "EOFError", "nobody types"),
        (raised("socket.gaierror"), "needs network? gaierror", "`requires:network`"),
        (
            raised("a.Mine", "requests.exceptions.ConnectionError"),
            "needs network? Mine",
            "`requires:network`",
        ),
        (
            raised("builtins.AssertionError", message="Torch not compiled with CUDA enabled"),
            "AssertionError: Torch",
            "`requires:cuda`",
        ),
        (Failure("timeout", "it took longer than 60 s"), "it took longer", "mend it"),
        (Failure("syntax", "SyntaxError: no"), "it is not Python: SyntaxError", "mend it"),
        (Failure("exit", "bash ended with status 3", message="3"), "status 3", "`exit:3`"),
        (Failure("exit", "bash ended with status 127", message="127"), "status 127", "mend it"),
    ],
)
def test_why(failure: Failure, what: str, remedy: str) -> None:
    [one] = blocks("x")
    left = reasons.why(one, failure, [one], [])
    assert what in left.what
    assert remedy in left.remedy
    assert left.line == (failure.line or 1)


def test_where_a_missing_name_comes_from() -> None:
    early, one, late = blocks("n = 1", "n", "n = 2")
    failure = raised("builtins.NameError", missing="n")

    def remedy(left: list[Candidate], kept: list[Candidate]) -> str:
        return reasons.why(one, failure, left, kept).remedy

    assert remedy([early, one], []) == "`n` is made by the block on line 1, which is left, too"
    assert remedy([one], [early]) == "`n` is made by the block on line 1, in another chain"
    assert remedy([one], [late]) == "`n` is made further down, by the block on line 7"
    assert remedy([one], []) == "no block before it makes `n`"


def test_a_sentence_ends_once() -> None:
    page = parse(b"```python\nx\n```\n", "page.md")
    [one] = candidates(page)[0]
    left = reasons.why(one, raised("builtins.KeyError", message="Over."), [one], [])
    [line] = told(page, [], Settled([], Links()), [left], False)
    assert line.startswith("page.md:2: left: KeyError: Over. If it is to raise")
