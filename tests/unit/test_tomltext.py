"""The line on which a key of a TOML file is set."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fencerun.tomltext import fault, line_of, parse

TEXT = b"""\
# a comment
[project]
name = "x"

[tool.fencerun]
paths = [
    "a",  # with a comment

    "b",
]
text = '''
threads = 3
'''

threads = 2
env = { A = "b", "C D" = 3 }
pages."x.md".rtol = 1

[tool.fencerun.masks]
run = 'run-'
[tool.fencerun.pages."docs/*.md"]
timeout = 0

[tool.other]
threads = 3
"""


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        ("project", 2),
        ("project name", 3),
        ("tool", 5),
        ("tool fencerun", 5),
        ("tool fencerun paths", 6),
        ("tool fencerun text", 11),
        ("tool fencerun threads", 15),
        ("tool fencerun env", 16),
        ("tool fencerun env A", 16),
        ("tool fencerun pages", 17),
        ("tool fencerun pages x.md rtol", 17),
        ("tool fencerun masks", 19),
        ("tool fencerun masks run", 20),
        ("tool fencerun pages docs/*.md timeout", 22),
        ("tool other threads", 25),
        ("tool fencerun absent", 5),
        ("tool fencerun masks absent", 19),
        ("absent", None),
    ],
)
@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
def test_line_of(keys: str, line: int | None, ending: bytes) -> None:
    assert line_of(TEXT.replace(b"\n", ending), keys.split()) == line


def test_text_without_a_table_has_no_lines() -> None:
    assert line_of(b"[a\n", ["a"]) is None
    assert line_of(b"\xff", ["a"]) is None
    assert line_of(b"a = [\n" + b"1,\n" * 3000 + b"]\n", ["a"]) is None  # it would take too long


@given(st.lists(st.sampled_from(["", "# x", "k = 1", "k = [\n1,\n]", "k = '''\n\nz = 1\n'''"])))
def test_every_key_is_found_where_it_stands(statements: list[str]) -> None:
    text, wanted = "", {}
    for number, one in enumerate(statements):
        if one.startswith("k"):
            wanted[f"k{number}"] = text.count("\n") + 1
        text += one.replace("k", f"k{number}") + "\n"
    assert {key: line_of(text.encode(), [key]) for key in parse(text.encode())} == wanted


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (b"a = 1\nb =\n", 2),
        (b"a = 1\nb = [1,\n\n", 2),
        (b"a = 1\nb = '''x\n\n", 2),
        (b"a = 1\na = 2\n", 2),
        (b"a = 1\n# \xff\n", 2),
        (b"[a\n", 1),
    ],
)
def test_where_a_text_is_no_toml(text: bytes, line: int) -> None:
    with pytest.raises(ValueError) as error:
        parse(text)
    found, why = fault(text, error.value)
    assert found == line
    assert why
    assert "line" not in why
    assert "end of document" not in why
