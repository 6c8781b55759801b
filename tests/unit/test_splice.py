"""Recordings into pages: where they go, what stays, what is refused. Traps have their numbers."""

from __future__ import annotations

import pytest

from fencerun.page import Page
from fencerun.reader import parse
from fencerun.splice import NewRecording, SpliceError, encode, splice

Said = tuple[tuple[str, str], ...]

FENCE = "```python fence:1\nx\n```\n"
STAMP: Said = (("key", "3fa9c1.77d0e2"), ("on", "cpu/torch-2.13.0/2026-11-29"))


def page(text: str) -> Page:
    return parse(text.encode("utf-8", "surrogateescape"))


def new(text: str, said: Said = (), keep_empty: bool = False) -> NewRecording:
    return NewRecording(tuple(text.split("\n")) if text else (), said, keep_empty)


def put(before: str, text: str = "o", said: Said = (), number: int = 1) -> str:
    made = splice(page(before), {number: new(text, said)})
    assert splice(parse(made), {number: new(text, said)}) == made, "twice is once"
    return made.decode("utf-8")


def take(before: str, number: int = 1) -> str:
    return splice(page(before), {number: None}).decode("utf-8")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(FENCE, FENCE + "\n```text output:1\no\n```\n", id="words"),
        pytest.param(
            "```python {fence=1}\n```\n",
            "```python {fence=1}\n```\n\n```text {output=1}\no\n```\n",
            id="attributes",
        ),
        pytest.param(
            "<!-- fence:1 -->\n\n```python\n```\n",
            "<!-- fence:1 -->\n\n```python\n```\n\n<!-- output:1 -->\n```text\no\n```\n",
            id="comment",
        ),
        pytest.param(
            "~~~python fence:1\n~~~\n",
            "~~~python fence:1\n~~~\n\n```text output:1\no\n```\n",
            id="fence-of-tildes",
        ),
        pytest.param(
            FENCE + "text\n", FENCE + "\n```text output:1\no\n```\ntext\n", id="text-right-below"
        ),
        pytest.param(
            "text\n" + FENCE + "===\n",
            "text\n" + FENCE + "\n```text output:1\no\n```\n===\n",
            id="setext-below",
        ),
        pytest.param(
            "- a\n  ```python fence:1\n  x\n  ```\n- b\n",
            "- a\n  ```python fence:1\n  x\n  ```\n  ```text output:1\n  o\n  ```\n- b\n",
            id="trap8-tight-list",
        ),
        pytest.param(
            "- a\n\n  ```python fence:1\n  ```\n\n- b\n",
            "- a\n\n  ```python fence:1\n  ```\n  ```text output:1\n  o\n  ```\n\n- b\n",
            id="loose-list",
        ),
        pytest.param(
            "- a\n\n" + FENCE, "- a\n\n" + FENCE + "\n```text output:1\no\n```\n", id="after-a-list"
        ),
        pytest.param(
            "- ```python fence:1\n  x\n  ```\n",
            "- ```python fence:1\n  x\n  ```\n  ```text output:1\n  o\n  ```\n",
            id="trap9-marker-line",
        ),
        pytest.param(
            "10) ```python fence:1\n    x\n    ```\n11) b\n",
            "10) ```python fence:1\n    x\n    ```\n    ```text output:1\n    o\n    ```\n11) b\n",
            id="trap9-ordered-marker-line",
        ),
        pytest.param(
            "> ```python fence:1\n> x\n> ```\n",
            "> ```python fence:1\n> x\n> ```\n>\n> ```text output:1\n> o\n> ```\n",
            id="quote",
        ),
        pytest.param(
            ">```python fence:1\n>x\n>```\n",
            ">```python fence:1\n>x\n>```\n>\n> ```text output:1\n> o\n> ```\n",
            id="trap10-bare-quote",
        ),
        pytest.param(
            "> - ```python fence:1\n>   x\n>   ```\n",
            "> - ```python fence:1\n>   x\n>   ```\n>   ```text output:1\n>   o\n>   ```\n",
            id="list-in-quote",
        ),
        pytest.param(
            "- > ```python fence:1\n  > ```\n",
            "- > ```python fence:1\n  > ```\n  > ```text output:1\n  > o\n  > ```\n",
            id="quote-in-list",
        ),
        pytest.param(
            "  ```python fence:1\n  x\n ```\n",
            "  ```python fence:1\n  x\n ```\n\n  ```text output:1\n  o\n  ```\n",
            id="trap11-indented",
        ),
        pytest.param(
            "- a\n\n\t```python fence:1\n\tx\n\t```\n",
            "- a\n\n\t```python fence:1\n\tx\n\t```\n    ```text output:1\n    o\n    ```\n",
            id="tabs-of-the-prefix-become-blanks",
        ),
        pytest.param(
            FENCE.replace("\n", "\r\n") + "z\r\n",
            FENCE.replace("\n", "\r\n") + "\r\n```text output:1\r\no\r\n```\r\nz\r\n",
            id="B14-crlf",
        ),
        pytest.param(
            FENCE.replace("\n", "\r"),
            FENCE.replace("\n", "\r") + "\r```text output:1\ro\r```\r",
            id="trap3-cr",
        ),
        pytest.param(
            "```python fence:1\rx\n```\r\r\nend",
            "```python fence:1\rx\n```\r\r```text output:1\ro\r```\r\r\nend",
            id="trap3-mixed-takes-the-closing-lines",
        ),
        pytest.param(
            "```python fence:1\nx\n```\r\nz\n",
            "```python fence:1\nx\n```\r\n\r\n```text output:1\r\no\r\n```\r\nz\n",
            id="trap3-mixed-crlf",
        ),
        pytest.param(
            "\ufeff" + FENCE, "\ufeff" + FENCE + "\n```text output:1\no\n```\n", id="trap1-bom"
        ),
        pytest.param(
            FENCE[:-1], FENCE + "\n```text output:1\no\n```", id="trap23-no-final-newline"
        ),
        pytest.param(
            FENCE.replace("\n", "\r\n")[:-2],
            FENCE.replace("\n", "\r\n") + "\r\n```text output:1\r\no\r\n```",
            id="trap23-no-final-newline-crlf",
        ),
        pytest.param(
            "```python fence:1   \nx   \n```   \n",
            "```python fence:1   \nx   \n```   \n\n```text output:1\no\n```\n",
            id="trap24-trailing-blanks",
        ),
        pytest.param(
            "---\na: '```'\n---\n" + FENCE,
            "---\na: '```'\n---\n" + FENCE + "\n```text output:1\no\n```\n",
            id="trap5-front-matter",
        ),
        pytest.param(
            FENCE + "\n```text\nby hand\n```\n",
            FENCE + "\n```text output:1\no\n```\n\n```text\nby hand\n```\n",
            id="B15-a-block-by-hand-is-not-ours",
        ),
    ],
)
def test_a_first_recording_and_back(before: str, after: str) -> None:
    assert put(before) == after
    assert take(after) == before


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        pytest.param("plain", "```", id="plain"),
        pytest.param("```", "````", id="ticks"),
        pytest.param("a ``````` b", "````````", id="ticks-inside-a-line"),
        pytest.param("~~~~~", "```", id="tildes"),
        pytest.param("```text output:1\nx\n```", "````", id="B12-our-own-markers"),
        pytest.param("  ````\n```", "`````", id="indented"),
    ],
)
def test_the_delimiter_is_longer_than_any_run_inside(text: str, mark: str) -> None:
    assert put(FENCE, text) == f"{FENCE}\n{mark}text output:1\n{text}\n{mark}\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("\n\n", id="B13-only-blank-lines"),
    ],
)
def test_no_output_no_recording(text: str) -> None:
    assert put(FENCE, text) == FENCE
    assert put(FENCE + "\n```text output:1\n2 + 24\n```\n", text) == FENCE


def test_a_recording_may_be_kept_empty() -> None:
    made = splice(page(FENCE), {1: new("", STAMP, keep_empty=True)}).decode()
    tag = "output:1 key:3fa9c1.77d0e2 on:cpu/torch-2.13.0/2026-11-29"
    assert made == f"{FENCE}\n```text {tag}\n```\n"
    assert splice(page(made), {1: new("", STAMP, keep_empty=True)}).decode() == made
    assert splice(page(made), {1: new("\n", STAMP, keep_empty=True)}).decode() == made
    assert take(made) == FENCE


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("```text output:1\nold\n```\n", "```text output:1\no\n```\n", id="plain"),
        pytest.param("```text output:1\n```\n", "```text output:1\no\n```\n", id="empty"),
        pytest.param("```json output:1\n{}\n```\n", "```json output:1\no\n```\n", id="language"),
        pytest.param(
            '~~~~ text  title="a b" output:1 {1,3}  \nold\n~~~~~ \n',
            '~~~~ text  title="a b" output:1 {1,3}  \no\n~~~~~ \n',
            id="tildes-words-blanks",
        ),
        pytest.param(
            "``` text  {.wide output=1 #id}\nold\n```\n",
            "``` text  {.wide output=1 #id}\no\n```\n",
            id="attributes",
        ),
        pytest.param(
            "<!-- output:1 -->\n\n``` console\nold\n```\n",
            "<!-- output:1 -->\n\n``` console\no\n```\n",
            id="comment-and-blank",
        ),
        pytest.param(
            "It prints\n\n```text output:1\nold\n```\ntext\n",
            "It prints\n\n```text output:1\no\n```\ntext\n",
            id="moved",
        ),
        pytest.param(
            "```text output:1\r\nold\r\n```\n",
            "```text output:1\r\no\r\n```\n",
            id="its-own-line-endings",
        ),
        pytest.param(
            "  ```text output:1\nold\n ```\n", "  ```text output:1\n  o\n ```\n", id="indented"
        ),
        pytest.param("```text output:1\nold\n```", "```text output:1\no\n```", id="no-newline"),
    ],
)
def test_a_recording_is_replaced_where_it_stands(before: str, after: str) -> None:
    assert put(f"{FENCE}\n{before}") == f"{FENCE}\n{after}"


def test_a_recording_above_its_fence_stays_there() -> None:
    above = "```text output:1\nold\n```\n\n" + FENCE
    assert put(above) == above.replace("old", "o")


def test_a_delimiter_grows_with_need_and_keeps_what_its_author_gave_it() -> None:
    made = put(FENCE + "\n~~~~text output:1\nold\n~~~~~~ \n", "~~~~~")
    assert made == FENCE + "\n~~~~~~text output:1\n~~~~~\n~~~~~~ \n"
    assert put(made) == FENCE + "\n~~~~~~text output:1\no\n~~~~~~ \n"
    assert put(put(FENCE, "```"), "```") == put(FENCE, "```")  # B12: does not grow


@pytest.mark.parametrize(
    ("fence", "recording"),
    [
        pytest.param(
            FENCE,
            "```text output:1 key:3fa9c1.77d0e2 on:cpu/torch-2.13.0/2026-11-29\no\n```\n",
            id="words",
        ),
        pytest.param(
            "```python {fence=1}\n```\n",
            "```text {output=1 key=3fa9c1.77d0e2 on=cpu/torch-2.13.0/2026-11-29}\no\n```\n",
            id="attributes",
        ),
        pytest.param(
            "<!-- fence:1 -->\n```python\n```\n",
            "<!-- output:1 key:3fa9c1.77d0e2 on:cpu/torch-2.13.0/2026-11-29 -->\n```text\no\n```\n",
            id="comment",
        ),
    ],
)
def test_provenance_of_a_first_recording(fence: str, recording: str) -> None:
    assert put(fence, "o", STAMP) == f"{fence}\n{recording}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("text output:1", "text output:1 key:k on:o", id="none-yet"),
        pytest.param("text output:1 key:a.b on:c", "text output:1 key:k on:o", id="replaced"),
        pytest.param(
            'json  on:c title="key:x y" output:1  key:"a b" .wide',
            'json title="key:x y" output:1 key:k on:o .wide',
            id="other-words-stay",
        ),
        pytest.param(
            "text {key=a output=1 .wide} ", "text {output=1 key=k on=o .wide} ", id="attributes"
        ),
        pytest.param("text { .wide output=1 }", "text { .wide output=1 key=k on=o }", id="padded"),
        pytest.param("text on:o output:1 key:k", "text on:o output:1 key:k", id="same-stays"),
    ],
)
def test_provenance_is_replaced_beside_its_number(before: str, after: str) -> None:
    said = (("key", "k"), ("on", "o"))
    made = put(f"{FENCE}\n```{before}\nx\n```\n", "x", said)
    assert made == f"{FENCE}\n```{after}\nx\n```\n"
    bare = put(made, "x")
    assert "key" not in bare.replace("key:x", "")


def test_new_provenance_leaves_the_text_as_it_stands() -> None:
    before = "> ```python fence:1\n> ```\n>\n> ```text output:1\n>x\n>\r\n> y\n> ```\n"
    assert put(before, "x\n\ny", (("key", "k"),)) == before.replace("output:1", "output:1 key:k")


def test_provenance_in_a_comment_is_replaced() -> None:
    made = put(f"{FENCE}\n<!--  output:1 key:a  -->\n\n```text\nx\n```\n", "x", (("on", "o"),))
    assert made == f"{FENCE}\n<!--  output:1 on:o  -->\n\n```text\nx\n```\n"


@pytest.mark.parametrize(
    "value", ["two words", 'a "quoted" one', r"back\slash and blank", "", "a>b", "x=y"]
)
@pytest.mark.parametrize("fence", ["python fence:1", "python {fence=1}"])
def test_provenance_is_quoted_where_need_be(fence: str, value: str) -> None:
    made = page(put(f"```{fence}\n```\n", "o", (("on", value),)))
    assert made.recordings[0].on == value


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("a\n\n{}\nb\n", "a\n\nb\n", id="one-blank-line-goes"),
        pytest.param("a\n\n\n{}b\n", "a\n\nb\n", id="one-of-two"),
        pytest.param("a\n{}\nb\n", "a\n\nb\n", id="none-before"),
        pytest.param("a\n{}b\n", "a\n\nb\n", id="a-blank-line-keeps-paragraphs-apart"),
        pytest.param("{}", "", id="all-there-is"),
        pytest.param("# a\n{}# b\n", "# a\n# b\n", id="between-headings"),
        pytest.param("> a\n>\n{}", "> a\n>\n", id="a-blank-line-of-another-container"),
    ],
)
def test_removal(before: str, after: str) -> None:
    orphan = "```text output:1\nx\n```\n"
    assert take(before.format(orphan)) == after
    commented = "<!-- output:1 key:a -->\n\n```text\nx\n```\n"
    assert take(before.format(commented)) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            "- ```python fence:1\n  ```\n\n  ```text output:1\n  x\n  ```\n- b\n",
            "- ```python fence:1\n  ```\n\n- b\n",
            id="a-list-stays-loose",
        ),
        pytest.param(
            "- a\n  ```python fence:1\n  ```\n\n  ```text output:1\n  x\n  ```\n",
            "- a\n  ```python fence:1\n  ```\n",
            id="a-list-that-its-recording-alone-made-loose",
        ),
        pytest.param(
            "- a\n\n  ```python fence:1\n  ```\n\n  ```text output:1\n  x\n  ```\n- b\n",
            "- a\n\n  ```python fence:1\n  ```\n- b\n",
            id="a-loose-list",
        ),
        pytest.param(FENCE + "\n```text output:1\nx\n```", FENCE[:-1], id="no-final-newline"),
    ],
)
def test_removal_beside_its_fence(before: str, after: str) -> None:
    assert take(before) == after


def test_removal_between_a_lone_cr_and_a_lone_lf_leaves_two_line_ends() -> None:
    assert take("a\r```text output:1\nx\n```\n\nb") == "a\r\r\n\nb"


def test_recordings_that_share_a_loose_list_go_together() -> None:
    item = "- a\n  ```python fence:{0}\n  ```\n\n  ```text output:{0}\n  x\n  ```\n"
    before = page("".join(item.format(number) for number in (1, 2, 3)))
    made = parse(splice(before, dict.fromkeys((1, 2, 3))))
    assert [fence.number for fence in made.fences] == [1, 2, 3]
    assert made.recordings == ()


def test_many_at_once() -> None:
    fences = [f"```python fence:{n}\n```\n" for n in range(1, 301)]
    made = splice(page("\n".join(fences)), {n: new(f"out {n}") for n in range(1, 301)})
    pairs = (f"{f}\n```text output:{n}\nout {n}\n```\n" for n, f in enumerate(fences, 1))
    assert made.decode() == "\n".join(pairs)


def test_nothing_to_do_gives_the_same_bytes() -> None:
    text = "\ufeffa\r\n" + put(FENCE) + "\r\x00"
    assert splice(page(text), {}) == text.encode()
    assert splice(page(text), {1: new("o"), 9: None}) == text.encode()
    assert encode(page(text)) == text.encode()


@pytest.mark.parametrize(
    ("before", "text", "why"),
    [
        pytest.param("text\n", "o", "no such fence", id="no-fence"),
        pytest.param("```text output:1\nx\n```\n", "o", "no such fence", id="orphan"),
        pytest.param("```python fence:1\nx\n", "o", "never closed", id="trap6-unclosed"),
        pytest.param("> ```python fence:1\n> x\n```\n", "o", "never closed", id="trap7"),
        pytest.param(FENCE + "\n```text output:1\nx\n", "o", "line 5", id="unclosed-recording"),
        pytest.param(
            FENCE + "\n> ```text output:1\n> ```\n", "o", "another list item", id="container"
        ),
        pytest.param(
            FENCE + 2 * "\n```text output:1\n```\n", "", "read differently", id="two-recordings"
        ),
        pytest.param(FENCE, "a\x00b", "read back", id="trap25-nul"),
        pytest.param(FENCE, "a\rb", "run together", id="trap25-carriage-return"),
        pytest.param(
            FENCE, "<<<<<<< a\n=======\n>>>>>>> b", "merge-conflict", id="A10-conflict-markers"
        ),
    ],
)
def test_refusals(before: str, text: str, why: str) -> None:
    with pytest.raises(SpliceError, match=why) as caught:
        splice(page(before), {1: new(text)})
    assert caught.value.fence == 1


def test_a_removal_that_would_give_the_page_other_settings_is_refused() -> None:
    with pytest.raises(SpliceError, match="read differently"):
        take("```text output:1\n```\n<!-- fencerun: echo=yes -->\n")


@pytest.mark.parametrize(
    ("fence", "value"),
    [
        pytest.param("<!-- fence:1 -->\n```python\n```\n", "a --> b", id="comment"),
        pytest.param("```python {fence=1}\n```\n", "a}b", id="attributes"),
        pytest.param(FENCE, "a`b", id="backtick"),
    ],
)
def test_provenance_that_its_carrier_cannot_hold_is_refused(fence: str, value: str) -> None:
    with pytest.raises(SpliceError):
        splice(page(fence), {1: new("o", (("on", value),))})


def test_the_first_fence_at_fault_is_named() -> None:
    before = page("".join(f"```python fence:{n}\n```\n\n" for n in (4, 3, 2, 1)))
    changes = {n: new("a\x00" if n in (1, 3) else "fine") for n in (1, 2, 3, 4)}
    with pytest.raises(SpliceError) as caught:
        splice(before, changes)
    assert caught.value.fence == 3


def test_text_is_kept_whatever_it_looks_like() -> None:
    lines = (
        " lead",
        "\ttab",
        "> q",
        "- l",
        "# h",
        "<!-- output:1 -->",
        "</div>",
        "&amp;",
        "\u2028x",
        "",
    )
    for shape in ("{}", "> {}", ">{}", "- {}", "1. {}", "> - {}"):
        fence = "```python fence:1\n```\n"
        pad = "".join(c if c == ">" else " " for c in shape[:-2])
        text = "".join(
            (pad if index else shape[:-2]) + line + "\n"
            for index, line in enumerate(fence.splitlines())
        )
        made = parse(splice(page(text), {1: NewRecording((*lines, "end"))}))
        assert made.recordings[0].text == (*lines, "end")
