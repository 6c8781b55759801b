"""Two drawings are the same whatever tools did to their text, and else the element is named."""

from __future__ import annotations

import base64
import math
import struct
import zlib

import pytest

from fencerun.svg import NotSvg, canonical, difference

HEAD = (
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    ' viewBox="0 0 400 200">'
)


def drawing(inner: str) -> str:
    return f"{HEAD}{inner}</svg>"


BASE = drawing(
    '<defs><path id="mark" d="M 0 0 L 1 1"/></defs><g id="axes_1"><g clip-path="url(#clip)">'
    '<path d="M 10 10 L 20.5 20" style="fill: none; stroke: #1f77b4"/>'
    '<use xlink:href="#mark" x="5" y="6"/></g>'
    '<text x="3" y="4" transform="rotate(-90 3 4)">Loss</text></g>'
    '<defs><clipPath id="clip"><rect x="0" y="0" width="9" height="9"/></clipPath></defs>'
)


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(BASE, id="itself"),
        pytest.param(
            '<?xml version="1.0" encoding="utf-8"?>\n<!-- made by x -->\n' + BASE, id="head"
        ),
        pytest.param(
            BASE.replace("mark", "m3f9").replace("clip)", "c1)").replace('"clip"', '"c1"'),
            id="identifiers",
        ),
        pytest.param(BASE.replace('x="3" y="4"', 'y="4"  x="3"'), id="order-of-attributes"),
        pytest.param(BASE.replace("><", ">\n  <"), id="blanks-between-elements"),
        pytest.param(BASE.replace("M 10 10 L 20.5 20", "M10,10L20.50 20.0"), id="path-data"),
        pytest.param(
            BASE.replace("<defs>", "<metadata><a>2026</a></metadata><defs>", 1), id="metadata"
        ),
        pytest.param(BASE.replace("<text", "<!-- Loss --><text"), id="comments"),
        pytest.param(BASE.replace(">Loss<", ">\n  Loss\n <"), id="blanks-around-text"),
        pytest.param(BASE.replace("20.5 20", "24.4 20"), id="within-a-hundredth-of-400"),
        pytest.param(BASE.replace("rotate(-90 3 4)", "rotate(-89 3.5 4)"), id="turned-a-little"),
    ],
)
def test_the_same(other: str) -> None:
    assert difference(BASE, other) is None


@pytest.mark.parametrize(
    ("other", "why"),
    [
        pytest.param(BASE.replace("20.5 20", "24.6 20"),
                     "`path` in `axes_1` has another `d`: it differs by 4.1, and 4 is allowed",
                     id="moved"),
        pytest.param(BASE.replace("20.5 20", "20.5 20 L 1 1"), "another `d`: it differs in form",
                     id="more-points"),
        pytest.param(BASE.replace(">Loss<", ">Cost<"),
                     "`text` in `axes_1` says 'Cost', and said 'Loss'", id="text"),
        pytest.param(BASE.replace("#1f77b4", "#ff7f0e"), "`path` in `axes_1` has another `style`",
                     id="colour"),
        pytest.param(BASE.replace("rotate(-90", "rotate(-80"), "another `transform`", id="turned"),
        pytest.param(BASE.replace(' y="6"', ""), "`use` in `axes_1` has no `y`", id="attribute"),
        pytest.param(BASE.replace("<text", "<rect/><text"), "`rect` in `axes_1` stands where",
                     id="element"),
        pytest.param(BASE.replace("</svg>", "<g id='late'/></svg>"), "`g` in `late` is new",
                     id="one-more"),
        pytest.param(BASE.replace('xlink:href="#mark"', 'xlink:href="#clip"'), "another `href`",
                     id="reference"),
        pytest.param(BASE.replace("0 0 400 200", "0 0 300 200"), "another `viewBox`", id="size"),
    ],
)  # fmt: skip
def test_what_differs(other: str, why: str) -> None:
    assert why in str(difference(BASE, other))
    assert difference(other, BASE) is not None


def test_a_factor_is_no_coordinate() -> None:
    one, other = (drawing(f'<g transform="scale({x})"/>') for x in (1, 2))
    assert difference(one, other) is not None
    assert difference(one, drawing('<g transform="scale(1.005)"/>')) is None


def test_all_coordinates_may_be_free() -> None:
    other = BASE.replace("20.5 20", "90 90").replace("rotate(-90", "rotate(0")
    assert difference(BASE, other, math.inf) is None
    assert difference(BASE, other.replace("Loss", "Cost"), math.inf) is not None


def png(level: int, pixels: bytes) -> str:
    parts = [(b"IHDR", struct.pack(">IIBBBBB", 2, 1, 8, 0, 0, 0, 0)),
             (b"IDAT", zlib.compress(b"\0" + pixels, level)), (b"IEND", b"")]  # fmt: skip
    data = b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in parts
    )
    text = base64.b64encode(b"\x89PNG\r\n\x1a\n" + data).decode()
    return drawing(f'<image xlink:href="data:image/png;base64,{text}"/>')


def test_bitmaps_are_compared_by_their_pixels() -> None:
    assert png(0, b"ab") != png(9, b"ab")
    assert difference(png(0, b"ab"), png(9, b"ab")) is None
    assert difference(png(0, b"ab"), png(0, b"ac")) is not None


@pytest.mark.parametrize("text", ["", "<svg", "<html/>", "hello", "<svg>&x;</svg>"])
def test_what_is_no_svg(text: str) -> None:
    with pytest.raises(NotSvg):
        difference(BASE, text)
    with pytest.raises(NotSvg):
        canonical(text)


def test_canonical_text_covers_the_drawing_and_nothing_else() -> None:
    tidied = BASE.replace("><", ">\n<").replace("mark", "m1").replace("20.5", "20.50")
    assert canonical(tidied) == canonical(BASE)
    assert canonical(BASE.replace("20.5", "20.6")) != canonical(BASE)
    assert canonical(BASE.replace("Loss", "Cost")) != canonical(BASE)


def test_elements_that_are_nested_too_deeply_are_no_svg() -> None:
    deep = f"<svg>{'<g>' * 3000}{'</g>' * 3000}</svg>"
    with pytest.raises(NotSvg, match="deep"):
        canonical(deep)


@pytest.mark.parametrize("other", ["M 1e999 50", "M 50 5"])
def test_numbers_beyond_floats_hide_no_difference(other: str) -> None:
    drawn = '<svg viewBox="0 0 100 100"><path d="{}"/></svg>'
    assert difference(drawn.format("M 1e999 5"), drawn.format("M 1e999 5")) is None
    assert difference(drawn.format("M 1e999 5"), drawn.format(other)) is not None


@pytest.mark.parametrize("unit", ["a", "a(", "a ", "url(#", "1e", "-"])
@pytest.mark.parametrize("name", ["transform", "d", "clip-path"])
def test_long_attributes_are_read_in_one_pass(name: str, unit: str) -> None:
    drawn = f'<svg><g {name}="{unit * (200_000 // len(unit))}{{}}"/></svg>'
    assert difference(drawn.format("x"), drawn.format("x")) is None
    assert difference(drawn.format("x"), drawn.format("y")) is not None
