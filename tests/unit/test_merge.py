"""Recordings into a page that was edited while it ran."""

from __future__ import annotations

from itertools import cycle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fencerun.frontmatter import PageSettings
from fencerun.merge import apply
from fencerun.reader import parse
from fencerun.splice import NewRecording
from fencerun.tags import Tags
from fencerun.values import one_line


def fence(number: int, code: str = "x", tags: str = "") -> str:
    return f"```python fence:{number} {tags}\n{code}\n```\n\n"


def recording(number: int, text: str = "old") -> str:
    return f"```text output:{number}\n{text}\n```\n\n"


OUT = NewRecording(("new",))
PAGE = fence(1) + fence(2, tags="continues:1") + fence(3)


def run(
    before: str,
    now: str,
    changes: dict[int, NewRecording | None],
    base: PageSettings | None = None,
) -> tuple[str, dict[int, str]]:
    data, refused = apply(parse(before.encode()), parse(now.encode()), changes, base)
    assert list(refused) == sorted(refused)
    return data.decode(), dict(refused)


def recorded(text: str) -> dict[int, tuple[str, ...]]:
    return {found.number: found.text for found in parse(text.encode()).recordings}


def test_an_unchanged_page_takes_everything() -> None:
    made, refused = run(PAGE, PAGE, {1: OUT, 2: OUT, 3: OUT})
    assert refused == {}
    assert recorded(made) == {1: ("new",), 2: ("new",), 3: ("new",)}


def test_no_change_gives_the_pages_bytes() -> None:
    assert run(PAGE, "\ufeff" + PAGE + "\r\nmore", {}) == ("\ufeff" + PAGE + "\r\nmore", {})


@pytest.mark.parametrize(
    ("now", "refused"),
    [
        pytest.param(PAGE + "More prose.\n", {}, id="prose"),
        pytest.param("# Title\n\n" + PAGE.replace("\n", "\r\n"), {}, id="moved-and-crlf"),
        pytest.param(fence(3) + fence(1) + fence(2, tags="continues:1"), {}, id="reordered"),
        pytest.param(fence(9) + PAGE, {}, id="another-fence"),
        pytest.param(PAGE.replace("fence:3", 'title="t" fence:3'), {}, id="foreign-word"),
        pytest.param(PAGE + recording(3, "new"), {}, id="recorded-alike-meanwhile"),
        pytest.param(
            fence(1) + fence(2, tags="continues:1") + fence(3, "y"),
            {3: "fence 3 was edited while it ran"},
            id="B18-code",
        ),
        pytest.param(
            fence(1) + fence(2, tags="continues:1") + fence(3, tags="rtol:1e-3"),
            {3: "fence 3 was edited while it ran"},
            id="tags",
        ),
        pytest.param(
            PAGE.replace("```python fence:3", "```bash fence:3"),
            {3: "fence 3 was edited while it ran"},
            id="language",
        ),
        pytest.param(
            fence(1, "y") + fence(2, tags="continues:1") + fence(3),
            {
                1: "fence 1 was edited while it ran",
                2: "fence 2 continues fence 1, which was edited while it ran",
            },
            id="chain",
        ),
        pytest.param(
            fence(2) + fence(3),
            {1: "fence 1 is gone", 2: "fence 2 was edited while it ran"},
            id="gone",
        ),
        pytest.param(PAGE.replace("fence:3", "fence:4"), {3: "fence 3 is gone"}, id="renumbered"),
    ],
)
def test_edits_survive_and_the_rest_goes_in(now: str, refused: dict[int, str]) -> None:
    made, why = run(PAGE, now, {1: OUT, 2: OUT, 3: OUT})
    assert why == refused
    present = {found.number for found in parse(now.encode()).fences}
    assert {n for n, text in recorded(made).items() if text == ("new",)} >= present & (
        {1, 2, 3} - set(refused)
    )
    for number in refused:
        assert recorded(made).get(number) == recorded(now).get(number)


def test_a_recording_edited_by_hand_meanwhile_is_kept() -> None:
    before, now = PAGE + recording(3), PAGE + recording(3, "by hand")
    made, refused = run(before, now, {3: OUT, 1: OUT})
    assert refused == {3: "the recording of fence 3 was edited while it ran"}
    assert recorded(made) == {3: ("by hand",), 1: ("new",)}


def test_a_recording_added_by_hand_meanwhile_is_kept() -> None:
    now = PAGE.replace(fence(3), fence(3) + recording(3, "mine"))
    made, refused = run(PAGE, now, {2: OUT, 3: OUT})
    assert refused == {3: "a recording of fence 3 was added while it ran"}
    assert recorded(made) == {2: ("new",), 3: ("mine",)}


@pytest.mark.parametrize("front", ["setup: other.py", "cwd: scratch"])
def test_what_a_fence_begins_with_was_edited_meanwhile(front: str) -> None:
    now = f"---\nfencerun:\n  {front}\n---\n{PAGE}"
    made, refused = run(PAGE, now, {3: OUT})
    assert made == now
    why = "fence 3 ran with another set-up file or directory than it has now"
    assert refused == {3: why}


SPAN = '<span data-fence="1:x">{}</span>'


@pytest.mark.parametrize(
    ("spans", "texts"),
    [([SPAN, SPAN], "44"), ([SPAN, SPAN.replace("1:x", "1:y"), SPAN], "454")],
    ids=["twice", "with another between"],
)
def test_a_value_that_the_page_says_twice(spans: list[str], texts: str) -> None:
    """Each was once written as often as there were equal ones."""
    page = parse((fence(1) + " ".join(one.format(3) for one in spans) + "\n").encode())
    data, refused = apply(page, page, {}, None, {1: list(zip(page.values, texts, strict=True))})
    assert refused == ()
    said = " ".join(one.format(text) for one, text in zip(spans, texts, strict=True))
    assert data.decode() == fence(1) + said + "\n"


@pytest.mark.parametrize("text", ["4", "a  b", "<b>", "`x|y`", "&amp;", "\x1b[0m", "[a](b)", ""])
def test_a_value_reads_back_as_it_was_meant(text: str) -> None:
    page = parse((fence(1) + SPAN.format(3) + "\n").encode())
    data, refused = apply(page, page, {}, None, {1: [(page.values[0], text)]})
    assert refused == ()
    assert [value.shown for value in parse(data).values] == [one_line(text)]


def test_a_recording_may_move_or_get_another_language_meanwhile() -> None:
    now = "```console output:3\nold\n```\n\n" + PAGE
    made, refused = run(PAGE + recording(3), now, {3: OUT})
    assert (made, refused) == (now.replace("old", "new"), {})


def test_a_page_that_has_a_problem_now_takes_nothing() -> None:
    now = PAGE + "```python fence:3\n```\n"
    made, refused = run(PAGE, now, {1: OUT, 3: OUT})
    assert made == now
    assert set(refused) == {1, 3}
    assert "line 13" in refused[1]


def test_a_page_that_is_not_utf8_now_keeps_its_bytes() -> None:
    data = PAGE.encode() + b"\xff\n"
    made, refused = apply(parse(PAGE.encode()), parse(data), {1: OUT})
    assert made == data
    assert [number for number, _ in refused] == [1]


def test_orphans_go_while_they_are_orphans() -> None:
    before = PAGE + recording(7)
    assert run(before, before, {7: None}) == (PAGE, {})
    assert run(before, PAGE, {7: None}) == (PAGE, {})
    now = before + fence(7)
    assert run(before, now, {7: None}) == (now, {7: "fence 7 was added while the page ran"})


def test_what_cannot_be_written_is_refused_and_the_rest_goes_in() -> None:
    bad = NewRecording(("a\x00b",))
    made, refused = run(PAGE, PAGE, {1: bad, 2: OUT, 3: bad})
    assert recorded(made) == {2: ("new",)}
    assert set(refused) == {1, 3}
    assert all("read back" in why for why in refused.values())


PREVIOUS = PageSettings(defaults=Tags(continues="previous"))
FRONT = "---\nfencerun:\n  continues: previous\n---\n"


@pytest.mark.parametrize(
    ("front", "base"), [(FRONT, None), ("", PREVIOUS)], ids=["page", "project"]
)
def test_links_to_the_previous_fence_count(front: str, base: PageSettings | None) -> None:
    before = front + fence(1) + fence(2)
    made, refused = run(before, front + fence(1, "y") + fence(2), {2: OUT}, base)
    assert refused == {2: "fence 2 continues fence 1, which was edited while it ran"}
    _, refused = run(before, front + fence(1) + fence(5) + fence(2), {2: OUT}, base)
    assert refused == {2: "fence 2 now continues fence 5, and ran without it"}
    _, refused = run(before, front + fence(2), {2: OUT}, base)
    assert refused == {2: "fence 2 ran after fence 1, which it no longer continues"}
    made, refused = run(before, front + fence(1) + fence(2) + fence(5), {2: OUT}, base)
    assert (recorded(made), refused) == ({2: ("new",)}, {})


def test_the_pages_own_settings_count() -> None:
    front = "---\nfencerun:\n  mask: path\n---\n"
    _, refused = run(PAGE, front + PAGE, {1: OUT, 2: OUT, 3: OUT})
    assert set(refused) == {1, 2, 3}


def test_a_file_that_was_edited_meanwhile() -> None:
    before = "```cpp file:a.cpp\nint x;\n```\n\n" + PAGE
    now = before.replace("int x", "int y")
    made, refused = run(before, now, {1: OUT})
    assert (made, list(refused)) == (now, [1])
    assert "file:a.cpp was edited" in refused[1]


SESSION = "```console fence:1\n$ echo a\nold\n```\n"


def test_a_transcript_is_rewritten_in_place() -> None:
    new = NewRecording(("$ echo a", "a"))
    made, refused = run(SESSION, "# Title\n\n" + SESSION, {1: new})
    assert (made, refused) == ("# Title\n\n" + SESSION.replace("old", "a"), {})


@pytest.mark.parametrize("edit", [("echo a", "echo b"), ("old", "by hand")], ids=["code", "text"])
def test_a_transcript_that_was_edited_meanwhile(edit: tuple[str, str]) -> None:
    now = SESSION.replace(*edit)
    made, refused = run(SESSION, now, {1: NewRecording(("$ echo a", "a"))})
    assert (made, list(refused)) == (now, [1])


WHERE = ("{}", "| a | {} |\n|---|---|\n| x | {} |", "<div>\n{}\n</div>", "- {}\n- {}", "> {}",
         "# {}", "[{}](x)", "**{}**", "{} `c` {}")  # fmt: skip
TEXTS = st.text(max_size=12) | st.sampled_from(
    ["a|b", "`x`", "[a](b)", "<b>", "&amp;", "\\", "*x*"]
)


@given(st.lists(st.sampled_from(WHERE), min_size=1, max_size=4), TEXTS, TEXTS)
def test_any_values_read_back_wherever_they_stand(where: list[str], x: str, y: str) -> None:
    spans = cycle([SPAN.format(3), SPAN.format(3).replace("1:x", "1:y")])
    text = "\n\n".join(one.format(*(next(spans) for _ in range(one.count("{}")))) for one in where)
    page = parse(f"{fence(1)}{text}\n".encode())
    pairs = [(value, {"x": x, "y": y}[value.expression]) for value in page.values]
    data, refused = apply(page, page, {}, None, {1: pairs})
    assert refused == ()
    assert [value.shown for value in parse(data).values] == [one_line(said) for _, said in pairs]
