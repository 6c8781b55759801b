from __future__ import annotations

import pytest

from fencerun.rendering.pictures import size

from .reading import body

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (640).to_bytes(4, "big") + (480).to_bytes(4, "big")


@pytest.mark.parametrize(
    ("data", "known"),
    [
        (PNG, (640, 480)),
        (b"GIF89a\x10\0\x20\0", (16, 32)),
        (b'<?xml version="1.0"?>\n<svg xmlns="x" width="432pt" height="216pt">', (576, 288)),
        (b"<svg height='10' width='20px'/>", (20, 10)),
        (b'<svg width="100%" height="10">', None),
        (b'<svg stroke-width="3" viewBox="0 0 1 1">', None),
        (b'<svg width="1.2.3" height="4">', None),
        (b"", None),
        (PNG[:20], None),
        (b"text", None),
    ],
)
def test_sizes(data: bytes, known: tuple[int, int] | None) -> None:
    assert size(data) == known


def test_images_say_their_size_where_it_is_known() -> None:
    there = {"a.png": (640, 480)}
    shown = body("![a](a.png) [![b](b.png)](x)\n\n> ![c](a.png)\n", size=there.get)
    assert shown.count('width="640" height="480"') == 2
