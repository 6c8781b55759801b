"""From raw output to the lines that are recorded."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fencerun.canonical import MIN_LIMIT, canonical, recorded
from fencerun.masks import NAMED, lookup

CASES: dict[str, tuple[bytes, tuple[str, ...]]] = {
    "empty": (b"", ()),
    "only blank lines": (b" \n\t\n\n", ()),
    "no final newline": (b"a", ("a",)),
    "final newline": (b"a\n", ("a",)),
    "leading blank lines stay": (b"\n\na\n", ("", "", "a")),
    "blank lines inside stay": (b"a\n\n\nb", ("a", "", "", "b")),
    "trailing blanks": (b"a  \t\nb\xc2\xa0\n\n \n", ("a", "b")),
    "leading blanks and tabs stay": (b"  a\tb\n\tc", ("  a\tb", "\tc")),
    "progress": (b"  0%\r 50%\r100%\n", ("100%",)),
    "colour": (b"\x1b[31mred\x1b[0m\n", ("red",)),
    "control characters": (b"a\x00\x07\x0b\x0c\x7f\n", (r"a\x00\x07\x0b\x0c\x7f",)),
    "only a form feed": (b"\x0c\n", (r"\x0c",)),
    "undecodable": (b"caf\xe9 \xff\n", (r"caf\xe9 \xff",)),
    "cut off character": (b"a\xe2\x82", (r"a\xe2\x82",)),
    "surrogate": (b"\xed\xa0\x80", (r"\xed\xa0\x80",)),
    "separators": ("a\u2028b\u2029c\x85".encode(), (r"a\u2028b\u2029c\x85",)),
    "bidirectional": ("a\u202eb\u2066".encode(), (r"a\u202eb\u2066",)),
    "byte order mark": ("\ufeffa\ufeff".encode(), (r"\ufeffa\ufeff",)),
    "noncharacters": ("\ufffe\ufdd0\U0001ffff".encode(), (r"\ufffe\ufdd0\U0001ffff",)),
    "tags": ("x\U000e0041".encode(), (r"x\U000e0041",)),
    "zero width": ("a\u200bb".encode(), (r"a\u200bb",)),
    "letters of all kinds stay": ("é עברית 日本 👩‍💻".encode(), ("é עברית 日本 👩‍💻",)),
    "cut off sequence": (b"\x1b[31\n", (r"\x1b[31",)),
}


@pytest.mark.parametrize(("output", "lines"), CASES.values(), ids=CASES)
def test_canonical(output: bytes, lines: tuple[str, ...]) -> None:
    assert canonical(output) == lines


@pytest.mark.parametrize(("output", "lines"), CASES.values(), ids=CASES)
def test_a_recording_of_it_reads_back(output: bytes, lines: tuple[str, ...]) -> None:
    assert recorded("\n".join(lines)) == lines
    assert recorded("\r\n".join([*lines, "", ""])) == lines


def test_surrogates_of_a_page() -> None:
    assert recorded("a\udcffb") == (r"a\udcffb",)


def test_masks() -> None:
    masks = lookup(["address", "time"])
    assert canonical(b"<o at 0x7f3c2a1b4d60> 3 s  \n", masks=masks) == ("<o at 0x…> <time>",)


def size(lines: tuple[str, ...]) -> int:
    return sum(len(line.encode()) + 1 for line in lines)


def test_head_and_tail() -> None:
    output = "".join(f"line {n}\n" for n in range(1000)).encode()
    lines = canonical(output, limit=2000)
    assert size(lines) <= 2000
    (notice,) = [at for at, line in enumerate(lines) if line.startswith("[…")]
    assert lines[:notice] == tuple(f"line {n}" for n in range(notice))
    after = len(lines) - notice - 1
    assert lines[notice + 1 :] == tuple(f"line {n}" for n in range(1000 - after, 1000))
    hidden = 1000 - notice - after
    assert notice > 50
    assert after > 50
    text = "\n".join(f"line {n}" for n in range(notice, 1000 - after))
    assert re.fullmatch(
        rf"\[… {hidden} lines, {len(text):,} bytes left out, sha256_[0-9a-f]{{12}} …\]",
        lines[notice],
    )


def test_what_is_hidden_shows_in_the_hash() -> None:
    one = canonical(b"x\n" * 5000, limit=2000)
    other = canonical(b"x\n" * 2500 + b"y\n" + b"x\n" * 2499, limit=2000)
    assert len(one) == len(other)
    assert one != other


def test_long_lines_are_cut_in_their_middle() -> None:
    lines = canonical(("é" * 70_000 + "\nend").encode())
    assert len(lines) == 2
    assert lines[1] == "end"
    assert re.fullmatch(r"é+ \[… [0-9,]+ bytes left out, sha256_[0-9a-f]{12} …\] é+", lines[0])


def test_a_long_line_within_the_limit_is_kept() -> None:
    assert canonical(b"x" * 60_000) == ("x" * 60_000,)


def test_exactly_the_limit_is_kept() -> None:
    assert canonical(b"x" * 1023 + b"\n", limit=1024) == ("x" * 1023,)
    assert canonical(b"x" * 1024 + b"\n", limit=1024) != ("x" * 1024,)


def test_megabytes() -> None:
    assert size(canonical(b"line of text\n" * 800_000)) <= 64 * 1024
    assert size(canonical(b"x\r" * 300_000 + b"y" * 300_000)) <= 64 * 1024


def test_a_tiny_limit_is_refused() -> None:
    with pytest.raises(ValueError, match="limit"):
        canonical(b"", limit=MIN_LIMIT - 1)


PIECES = [
    b"\x1b[31m",
    b"\x1b[A",
    b"\r",
    b"\b",
    b"\n",
    b"\n\n",
    b" ",
    b"\t",
    b"\xff",
    b"\x00",
    b"\xc2\xa0",
]
PIECES += [
    "\u2028\ufeff\u202e日".encode(),
    b"0.5 s",
    b"0x7f3c2a1b4d60",
    b"/tmp/x",
    b"2026-11-29",
    b"word",
]
OUTPUT = st.lists(st.sampled_from(PIECES) | st.binary(max_size=4), max_size=30).map(b"".join)
LONG = st.builds(lambda output, times: output * times, OUTPUT, st.integers(1, 200))


@settings(deadline=None)
@given(OUTPUT)
def test_canonical_twice_is_canonical_once(output: bytes) -> None:
    once = canonical(output)
    assert canonical("\n".join(once).encode()) == once
    assert recorded("\n".join(once)) == once


@settings(deadline=None)
@given(OUTPUT)
def test_masking_twice_is_masking_once(output: bytes) -> None:
    masks = lookup(NAMED)
    once = canonical(output, masks=masks)
    assert canonical("\n".join(once).encode(), masks=masks) == once


@settings(deadline=None)
@given(LONG)
def test_never_beyond_the_limit(output: bytes) -> None:
    once = canonical(output, limit=MIN_LIMIT)
    assert size(once) <= MIN_LIMIT
    assert canonical("\n".join(once).encode(), limit=MIN_LIMIT) == once


@settings(deadline=None)
@given(OUTPUT)
def test_no_control_character_comes_out(output: bytes) -> None:
    lines = canonical(output)
    assert not re.search(
        r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\ufeff]", "".join(lines)
    )
    assert all(line == line.rstrip() for line in lines)
    assert not lines or lines[-1]
