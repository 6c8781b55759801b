"""The table that is added to a pyproject.toml."""

from __future__ import annotations

import pytest

from fencerun.starting.configuration import Unfit, with_table

TABLE = b'[tool.fencerun]\npaths = ["lessons"]\n'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"", TABLE),
        (b'[project]\nname = "x"\n', b'[project]\nname = "x"\n\n' + TABLE),
        (b'[project]\nname = "x"', b'[project]\nname = "x"\n\n' + TABLE),
        (b"[tool.ruff]\n# fencerun\n", b"[tool.ruff]\n# fencerun\n\n" + TABLE),
        (b"[tool]\n", b"[tool]\n\n" + TABLE),
        (b"tool.ruff.x = 1\n", None),
        (b"a = 1\r\n", b"a = 1\r\n\r\n" + TABLE.replace(b"\n", b"\r\n")),
        (b"# only words", b"# only words\n\n" + TABLE),
        (b'x = """\n[tool.fencerun]\n"""\n', b'x = """\n[tool.fencerun]\n"""\n\n' + TABLE),
        (b"[[tool.x]]\na = 1\n", b"[[tool.x]]\na = 1\n\n" + TABLE),
    ],
    ids=[
        *("empty", "plain", "no-end", "comment", "bare-tool", "dotted", "crlf", "words"),
        *("in-a-string", "array"),
    ],
)
def test_every_byte_before_it_is_kept(before: bytes, after: bytes | None) -> None:
    if after is None:
        after = before + b"\n" + TABLE
    assert with_table(before) == after


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"[tool.fencerun]\n", "it has a table"),
        (b"[tool]\nfencerun = {}\n", "it has a table"),
        (b"tool.fencerun.width = 3\n", "it has a table"),
        (b"tool = { ruff = {} }\n", "cannot be added"),
        (b"tool = 3\n", "cannot be added"),
        (b"[[tool]]\nx = 1\n", "cannot be added"),
        (b"x = \n", "it is no TOML"),
        (b"\xff\n", "it is no TOML"),
        (b"\xef\xbb\xbfx = 1\n", "it is no TOML"),
    ],
    ids=[
        *("table", "inline", "dotted", "closed", "number", "array", "broken", "latin-1", "bom"),
    ],
)
def test_what_it_cannot_be_added_to(text: bytes, why: str) -> None:
    with pytest.raises(Unfit, match=why):
        with_table(text)
