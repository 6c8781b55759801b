from __future__ import annotations

import pytest

from fencerun.rendering.slots import Slots

from .reading import body


def test_what_is_given_comes_back_in_its_place() -> None:
    slots = Slots("page")
    leaf, opening = slots.leaf("<b>1</b>", "span"), slots.opening('class="x"')
    html = f"<p>a {leaf}</p>{opening}y</div>"
    assert slots.fill(html) == '<p>a <b>1</b></p><div class="x">y</div>'


def test_an_empty_element_of_the_callers_keeps_its_end() -> None:
    slots = Slots("page")
    opening = slots.opening('id="x"')
    assert slots.fill(f"{opening}</div>") == '<div id="x"></div>'


def test_a_page_cannot_hold_its_own_mark() -> None:
    mark = Slots("page").mark
    assert Slots(f"page {mark}").mark != mark


@pytest.mark.parametrize("forged", ["0", "{mark}-0", "{mark}-9"])
def test_a_forged_slot_is_only_an_element(forged: str) -> None:
    mark = Slots("x").mark
    shown = body(f"<div data-slot='{forged.format(mark=mark)}'>x</div>\n\n$x$\n")
    assert "data-slot" not in shown
    assert shown.count("<math") == 1
