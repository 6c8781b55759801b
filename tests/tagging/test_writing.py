"""Tags onto pages, byte for byte."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from properties.pages import lessons, wrecks
from properties.test_splicing import _code as by_cmark

from fencerun.infostring import Carrier
from fencerun.page import Page
from fencerun.reader import parse
from fencerun.tagging.bindings import Bindings
from fencerun.tagging.candidates import Candidate, candidates
from fencerun.tagging.fitting import fit, tags_of
from fencerun.tagging.links import Links
from fencerun.tagging.rounds import Settled
from fencerun.tagging.writing import Refusal, Tag, possible, settable, tagged

CARRIERS: tuple[Carrier, ...] = ("words", "attributes", "comment")


def tag(text: str, carrier: Carrier, previous: bool = False, **more: Any) -> str | Refusal:
    """``text`` with its first untagged block as fence 7."""
    page = parse(text.encode(), "page.md")
    block = page.untagged[0]
    made = tagged(page, [Tag(block, 7, carrier, **more)], previous)
    return made if isinstance(made, Refusal) else made.decode()


@pytest.mark.parametrize(
    ("before", "words", "attributes"),
    [
        ("```python", "```python fence:7", "```python {fence=7}"),
        ("``` python", "``` python fence:7", "``` python {fence=7}"),
        ("~~~~python  ", "~~~~python fence:7  ", "~~~~python {fence=7}  "),
        ("  ```PY\t", "  ```PY fence:7\t", "  ```PY {fence=7}\t"),
        ("```python {1,3}", "```python fence:7 {1,3}", None),
        ("```python {}", "```python fence:7 {}", "```python {fence=7}"),
        ('```python {a="b"}', '```python fence:7 {a="b"}', '```python {a="b" fence=7}'),
        ('```python title="é"', '```python fence:7 title="é"', None),
    ],
)
def test_where_a_tag_goes(before: str, words: str, attributes: str | None) -> None:
    rest = "\nx\n" + re.findall("[`~]+", before)[0] + "\n"
    assert tag(before + rest, "words") == words + rest
    if attributes is not None:
        assert tag(before + rest, "attributes") == attributes + rest


def test_all_that_a_tag_says() -> None:
    more: dict[str, Any] = {"continues": 3, "requires": ("cuda",)}
    text = "```python fence:3\n```\n\n```python\nx\n```\n"
    assert tag(text, "words", **more) == text.replace(
        "python\n", "python fence:7 continues:3 requires:cuda\n"
    )
    assert tag(text, "attributes", **more) == text.replace(
        "python\n", "python {fence=7 continues=3 requires=cuda}\n"
    )
    assert tag(text, "comment", **more) == text.replace(
        "```python\n", "<!-- fence:7 continues:3 requires:cuda -->\n```python\n"
    )


def test_echo() -> None:
    assert tag(BLOCK, "words", echo=True) == BLOCK.replace("python", "python fence:7 echo")
    braces = BLOCK.replace("python", "python {fence=7 echo=yes}")
    assert tag(BLOCK, "attributes", echo=True) == braces
    assert tag(BLOCK, "comment", echo=True) == f"<!-- fence:7 echo -->\n{BLOCK}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a\r\n```python\r\nx\r\n```", "a\r\n<!-- fence:7 -->\r\n```python\r\nx\r\n```"),
        ("> ```python\n> x\n> ```\n", "> <!-- fence:7 -->\n> ```python\n> x\n> ```\n"),
        (
            "- a\n\n  ```python\n  x\n  ```\n",
            "- a\n\n  <!-- fence:7 -->\n  ```python\n  x\n  ```\n",
        ),
        ("\ufeff```python\nx\n```\n", "\ufeff<!-- fence:7 -->\n```python\nx\n```\n"),
    ],
)
def test_comments(before: str, after: str) -> None:
    assert tag(before, "comment") == after


@pytest.mark.parametrize(
    ("text", "wished", "carrier"),
    [
        ("```python\n```\n", "attributes", "attributes"),
        ('```python title="a"\n```\n', "attributes", "comment"),
        ('```python {title="a"}\n```\n', "attributes", "attributes"),
        ('```python a {b="c"}\n```\n', "attributes", "comment"),
        ("- ```python\n  ```\n", "words", "words"),
        ("- ```python\n  ```\n", "comment", None),
        ('1. ```python title="a"\n   ```\n', "attributes", None),
        ("> ```python\n> ```\n", "comment", "comment"),
    ],
)
def test_possible(text: str, wished: Carrier, carrier: Carrier | None) -> None:
    page = parse(text.encode(), "page.md")
    assert possible(page, page.untagged[0], wished) == carrier


BLOCK = "```python\nx\n```\n"
TAGGED = BLOCK.replace("python", "python fence:7")
SET = "<!-- fencerun: continues=previous -->"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("# T\n\n", f"{SET}\n\n# T\n\n", id="comment"),
        pytest.param("", f"{SET}\n\n", id="before-a-block"),
        pytest.param("\ufeff# T\n\n", f"\ufeff{SET}\n\n# T\n\n", id="bom"),
        pytest.param("<!-- (c) -->\n", f"{SET}\n\n<!-- (c) -->\n", id="another-comment"),
        pytest.param(
            "<!-- fencerun: rtol=1e-4 -->\n",
            "<!-- fencerun: rtol=1e-4 continues=previous -->\n",
            id="a-comment-that-is-there",
        ),
        pytest.param(
            "---\ntitle: x\n---\n",
            "---\ntitle: x\nfencerun: {continues: previous}\n---\n",
            id="front-matter",
        ),
        pytest.param(
            "---\nfencerun:\n  rtol: 1\n---\n",
            "---\nfencerun:\n  continues: previous\n  rtol: 1\n---\n",
            id="settings-in-front-matter",
        ),
        pytest.param(
            "---\nfencerun:\n# why\n    rtol: 1\n---\n",
            "---\nfencerun:\n    continues: previous\n# why\n    rtol: 1\n---\n",
            id="other-indentation",
        ),
        pytest.param(
            "---\nfencerun:\ntitle: x\n---\n",
            "---\nfencerun:\n  continues: previous\ntitle: x\n---\n",
            id="no-settings-yet",
        ),
        pytest.param(
            "---\nt: |\n  a\n  ---\nfencerun:\n  rtol: 1\n---\n",
            "---\nt: |\n  a\n  ---\nfencerun:\n  continues: previous\n  rtol: 1\n---\n",
            id="rule-in-a-text",
        ),
        pytest.param("+++\na = 1\n+++\n\n", f"+++\na = 1\n+++\n\n{SET}\n\n", id="toml"),
    ],
)
def test_the_setting(before: str, after: str) -> None:
    assert tag(before + BLOCK, "words", previous=True) == after + TAGGED
    crlf = (before + BLOCK).replace("\n", "\r\n")
    assert tag(crlf, "words", previous=True) == (after + TAGGED).replace("\n", "\r\n")


@pytest.mark.parametrize(
    "front",
    [
        pytest.param("fencerun: {rtol: 1}", id="settings-in-one-line"),
        pytest.param("{title: x}", id="front-matter-in-braces"),
        pytest.param("fencerun:\n  - rtol", id="a-list"),
        pytest.param('"fencerun":\n  rtol: 1', id="in-quotes"),
    ],
)
def test_where_one_line_does_not_set_it_is_not_set(front: str) -> None:
    page = parse(f"---\n{front}\n---\n```python\n```\n".encode(), "page.md")
    assert not settable(page)


def test_an_output_without_a_language() -> None:
    page = parse(b"```python fence:1\nx\n```\n\n```python\n1\n```\n", "page.md")
    made = tagged(page, [Tag(page.untagged[0], 1, "words", "output")])
    assert made == b"```python fence:1\nx\n```\n\n```python output:1\n1\n```\n"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param("- a\n\n\t```python\n\tx\n\t```\n", 3, id="tab-in-a-list"),
        pytest.param("```python\nx\n```\t\n", 1, id="tab-after-the-closer"),
    ],
)
def test_a_block_that_would_be_a_problem_is_refused(text: str, line: int) -> None:
    page = parse(f"{text}\n{BLOCK}".encode(), "page.md")
    found, _ = candidates(page)
    left_over, left = fit(page, found, "words")
    assert [one.line for one in left_over] == [found[1].line]
    assert not isinstance(left, Refusal)
    assert [(one.line, "tab" in one.what) for one in left] == [(line, True)]


def test_a_problem_elsewhere_refuses_the_page() -> None:
    page = parse(f"{BLOCK}\n```text\nnever closed\n".encode(), "page.md")
    found, _ = candidates(page)
    _, refusal = fit(page, found, "words")
    assert isinstance(refusal, Refusal)
    assert (refusal.line, refusal.tag) == (5, None)


_TAGS = rb"fence[:=]\d+( continues[:=]\d+)?( requires[:=]cuda)?"


def bare(data: bytes) -> bytes:
    """``data`` without anything that looks like a tag of ours."""
    data = re.sub(
        rb"(?m)((?:```+|~~~+)[ \t]*\w+)[^\r\n]*(?:fence|output|file)[^\r\n]*", rb"\1", data
    )
    return re.sub(rb"(?i)fence|output|file:", b"word", data)


def undone(made: bytes) -> bytes:
    """``made`` without the tags, whichever way they were written."""
    made = re.sub(rb"[ \t>]*<!-- " + _TAGS + rb" -->(?:\r\n|\r|\n)", b"", made)
    made = re.sub(rb" \{" + _TAGS + rb"\}", b"", made)
    made = re.sub(rb"(?<=\{)" + _TAGS + rb"(?=\})", b"", made)
    return re.sub(rb" " + _TAGS, b"", made)


def _codes(page: Page) -> list[str]:
    return [token.content for token in page.tokens if token.type == "fence"]


@settings(max_examples=150)
@given((lessons() | wrecks()).map(bare), st.sampled_from(CARRIERS), st.data())
def test_nothing_else_changes(data: bytes, carrier: Carrier, draw: st.DataObject) -> None:
    page = parse(data, "page.md")
    if page.broken:
        return
    # Whatever stands in them: tags are about the page, not the code.
    found = [Candidate(block, "python", block.content, Bindings()) for block in page.untagged]
    possible_, left = fit(page, found, carrier)
    if isinstance(left, Refusal) or not possible_:
        return
    kept = [one for one in possible_ if draw.draw(st.booleans())] or possible_
    python = [one.line for one in kept if one.block.info.language.lower() in ("python", "py")]
    parents: dict[int, int | None] = {
        line: draw.draw(st.sampled_from(python[:k])) for k, line in enumerate(python) if k
    }
    tags = tags_of(page, Settled(kept, Links(parents)), carrier)
    made = tagged(page, tags)
    assert not isinstance(made, Refusal), made
    assert undone(made) == data
    after = parse(made, "page.md")
    assert [fence.number for fence in after.fences] == list(range(1, len(kept) + 1))
    assert [fence.block.content for fence in after.fences] == [one.block.content for one in kept]
    assert _codes(after) == _codes(page)
    assert len(after.untagged) == len(page.untagged) - len(kept)
    assert [code for _, code in by_cmark(after)] == [code for _, code in by_cmark(page)]
