"""Info strings and directive comments: what is ours, what is another tool's, what is a mistake."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from fencerun.infostring import InfoString, parse_comment, parse_info
from fencerun.tags import EXAMPLES, FLAGS, NAMES, VALUED, Raises, Tags, Tolerance

THREE = InfoString("python", "words", 3)


@pytest.mark.parametrize(
    ("info", "expected"),
    [
        pytest.param("python fence:3", THREE, id="A1-words"),
        pytest.param(" python fence:3", THREE, id="A1-blank-before"),
        pytest.param("python\tfence:3  ", THREE, id="tab-and-trailing-blanks"),
        pytest.param("python  fence:3", THREE, id="two-blanks"),
        pytest.param("Python fence:3", InfoString("Python", "words", 3), id="A1-capital"),
        pytest.param("python fence:none", InfoString("python", "words", 0), id="none"),
        pytest.param("py {fence=3}", InfoString("py", "attributes", 3), id="attributes"),
        pytest.param('py {fence="3"}', InfoString("py", "attributes", 3), id="attributes-quoted"),
        pytest.param("py { fence=3 }", InfoString("py", "attributes", 3), id="attributes-padded"),
        pytest.param("text output:3", InfoString("text", "words", None, 3), id="recording"),
        pytest.param(
            "text {output=3}", InfoString("text", "attributes", None, 3), id="recording-attributes"
        ),
        pytest.param(
            "text output:3 key:3fa9c1.77d0e2 on:cpu/2.13",
            InfoString(
                "text",
                "words",
                None,
                3,
                provenance=(("key", "3fa9c1.77d0e2"), ("on", "cpu/2.13")),
            ),
            id="provenance",
        ),
        pytest.param(
            r'text output:3 on:"a \"b\" \\c"',
            InfoString("text", "words", None, 3, provenance=(("on", r'a "b" \c'),)),
            id="quoted-provenance",
        ),
        pytest.param(
            "python fence:3 requires:cuda,sm>=90 rtol:1e-3 quiet",
            InfoString(
                "python",
                "words",
                3,
                tags=Tags(requires=("cuda", "sm>=90"), rtol=Tolerance(1e-3), quiet=True),
            ),
            id="A2-more-tags",
        ),
        pytest.param(
            'python fence:3 raises:"ValueError: no `x` here"',
            InfoString("python", "words", 3, tags=Tags(raises=Raises("ValueError", "no `x` here"))),
            id="quoted-value",
        ),
        pytest.param(
            "python {fence=3 isolated=yes requires=cuda}",
            InfoString("python", "attributes", 3, tags=Tags(isolated=True, requires=("cuda",))),
            id="flag-in-attributes",
        ),
    ],
)
def test_what_is_ours(info: str, expected: InfoString) -> None:
    assert parse_info(info) == expected


@pytest.mark.parametrize(
    "extra",
    [
        pytest.param('title="app.py"', id="title"),
        pytest.param('hl_lines="2"', id="hl_lines"),
        pytest.param('title="app.py" hl_lines="2 3" linenums="1"', id="material"),
        pytest.param("{1,3}", id="docusaurus"),
        pytest.param("{1,3-5} showLineNumbers", id="docusaurus-more"),
        pytest.param(".class #id", id="pandoc"),
        pytest.param("{.class #id}", id="pandoc-braces"),
        pytest.param("noexec exec=on", id="markdown-exec"),
        pytest.param("editable collapsed", id="bare-words"),
        pytest.param('"quoted words: fence:9"', id="text-in-quotes"),
    ],
)
def test_foreign_words_pass_on_a_fence(extra: str) -> None:
    assert parse_info(f"python fence:3 {extra}") == THREE


@pytest.mark.parametrize(
    "info",
    [
        pytest.param("", id="empty"),
        pytest.param("   ", id="blanks"),
        pytest.param("python", id="language"),
        pytest.param("python title=x", id="title"),
        pytest.param('python {output="json"}', id="pydantic-output"),
        pytest.param(
            'python {upgrade="skip" title="a" test="skip" lint="skip"}', id="pydantic-more"
        ),
        pytest.param('python executionInfo={"elapsed": 12, "status": "ok"}', id="jax-json"),
        pytest.param("{.python .input  n=1}", id="d2l"),
        pytest.param("{code-cell} python", id="myst"),
        pytest.param("{python}", id="quarto"),
        pytest.param("{{python}}", id="quarto-shown"),
        pytest.param("{python attributes={'classes': [], 'id': ''}}", id="jupytext"),
        pytest.param("python,hidelines=!!!", id="mdbook"),
        pytest.param('python exec="on" source="above"', id="markdown-exec"),
        pytest.param("python out", id="hf-course"),
        pytest.param("mermaid", id="mermaid"),
        pytest.param("python" + " " * 220, id="padded"),
        pytest.param("python fence&#58;1", id="trap15-entity"),
        pytest.param("python fence\\:1", id="trap15-escape"),
        pytest.param("python defence:3", id="another-word"),
        pytest.param("python fence", id="bare-word"),
        pytest.param("{#fence-3 .python}", id="pandoc-id"),
        pytest.param("python title=fence:3", id="another-key"),
        pytest.param('python title="fence:3"', id="another-key-quoted"),
        pytest.param('{.python title="fence=3"}', id="another-key-in-braces"),
        pytest.param("python {mask=x timeout=3}", id="braces-are-shared"),
    ],
)
def test_what_is_not_ours(info: str) -> None:
    assert not parse_info(info).tagged


@pytest.mark.parametrize(
    ("info", "says"),
    [
        pytest.param("python fence:01", "fence:1", id="A11-leading-zero"),
        pytest.param("python fence:٣", "number", id="trap16-arabic-digit"),
        pytest.param("python fence:0", "number", id="zero"),
        pytest.param("python fence:1234567", "number", id="too-large"),
        pytest.param("python fence:one", "number", id="word"),
        pytest.param("python fence: 3", "fence:1", id="blank-after-colon"),
        pytest.param("python Fence:3", "fence", id="capital"),
        pytest.param("python fnece:3", "fence", id="typo"),
        pytest.param("python fence=3", "fence:3", id="other-sign"),
        pytest.param("python {fence:3}", "fence=3", id="other-sign-in-braces"),
        pytest.param("python fence:3 require:cuda", "requires", id="A11-near-miss"),
        pytest.param("python fence:3 colour:red", "known", id="unknown-word-value"),
        pytest.param("python fence:3 quite", "quiet", id="flag-typo"),
        pytest.param("python fence:3 fence:4", "keep one", id="trap17-twice"),
        pytest.param("python fence:3 quiet quiet", "keep one", id="flag-twice"),
        pytest.param("python fence:3 output:3", "keep one", id="fence-and-recording"),
        pytest.param("python fence:3 {output=3}", "one form", id="two-carriers"),
        pytest.param("python requires:cuda", "fence:N", id="tags-without-fence"),
        pytest.param("python fence:3 rtol:lots", "1e-3", id="value"),
        pytest.param("python fence:3 quiet:perhaps", "alone", id="flag-with-value"),
        pytest.param('python fence:3 skip:"', "skip", id="unclosed-quote"),
        pytest.param('python fence:3 raises:"ValueError', "not closed", id="unclosed-quote-word"),
        pytest.param('python {fence=3 raises="Value Err}', "not closed", id="unclosed-in-braces"),
        pytest.param("python fence:3 raises:ValueError: foo", '"ValueError: foo"', id="unquoted"),
        pytest.param('python fence:3 raises:KeyError:"x"', "double quotes", id="quoted-in-part"),
        pytest.param("python fence:3 rtol=1e-3", "`rtol:1e-3`", id="sign-of-rtol"),
        pytest.param('python fence:3 skip="a b"', '`skip:"a b"`', id="sign-of-quoted"),
        pytest.param("python fence:3 quiet=yes", "`quiet`", id="sign-of-flag"),
        pytest.param("text output:", "output:1", id="recording-without-number"),
        pytest.param("python fence:3 file", "`file:dir/name.h`", id="bare-file"),
        pytest.param("python fence:3 File", "`file:dir/name.h`", id="bare-file-in-capitals"),
        pytest.param("python {fence=3 file}", "`file=dir/name.h`", id="bare-file-in-braces"),
        pytest.param("python fence:3 fence", "delete", id="bare-fence"),
        pytest.param("python fence:3 output", "delete", id="bare-output"),
        pytest.param("python fence:3 SKIP", '`skip:"the reason"`', id="bare-tag-in-capitals"),
        pytest.param("text output:3 rtol:1e-3", "to the fence", id="tag-on-a-recording"),
        pytest.param("text {output=3 skip=x}", "to the fence", id="tag-on-a-recording-in-braces"),
        pytest.param("cpp file:x.h rtol:1", "delete", id="tag-on-a-file"),
    ],
)
def test_near_misses_say_the_right_spelling(info: str, says: str) -> None:
    found = parse_info(info)
    assert found.tagged
    assert found.faults
    assert any(says in fault.what + fault.remedy for fault in found.faults), found.faults


@pytest.mark.parametrize("name", VALUED)
@pytest.mark.parametrize("info", ["python fence:3 {}", "python {{fence=3 {}}}"])
def test_a_tag_without_its_value_is_not_another_tool_s_word(name: str, info: str) -> None:
    (fault,) = parse_info(info.format(name)).faults
    assert fault.what == f"`{name}` needs a value"
    example = fault.remedy.removeprefix("write `").removesuffix("`, say")
    assert not parse_info(info.format(example)).faults


@pytest.mark.parametrize("name", [name for name in NAMES if name not in FLAGS])
@pytest.mark.parametrize(
    "info", ["python fence:3 {}", "python {{fence=3 {}}}", "python {} fence:3"]
)
@pytest.mark.parametrize("spelt", [str.lower, str.upper])
def test_no_name_of_ours_is_passed_over_as_a_bare_word(
    name: str, info: str, spelt: Callable[[str], str]
) -> None:
    (fault,) = parse_info(info.format(spelt(name))).faults
    assert f"`{spelt(name)}`" in fault.what


@pytest.mark.parametrize("name", [*VALUED, *FLAGS])
def test_a_tag_in_braces_beside_words_is_not_passed_over(name: str) -> None:
    """It would be a fence that runs otherwise than it says."""
    found = parse_info(f"python fence:3 {{.class {name}={EXAMPLES.get(name, 'yes')}}}")
    assert [fault.what for fault in found.faults] == ["tags stand among the words and in braces"]
    assert parse_info('python fence:3 {.class title="skip=x" linenos=true}') == THREE


@pytest.mark.parametrize("name", [*VALUED, *FLAGS])
def test_a_tag_with_the_sign_of_braces_is_not_another_tool_s_word(name: str) -> None:
    (fault,) = parse_info(f"python fence:3 {name}=1").faults
    assert name in fault.what
    assert name in fault.remedy


@pytest.mark.parametrize(
    ("info", "right"),
    [
        pytest.param("fence:15", "python fence:15", id="no-language"),
        pytest.param("Fence:15", "python fence:15", id="no-language-capital"),
        pytest.param("pythonfence:20", "python fence:20", id="glued"),
        pytest.param("textoutput:20", "text output:20", id="glued-recording"),
        pytest.param("output:20", "text output:20", id="no-language-recording"),
        pytest.param("python{fence=3}", "python {fence=3}", id="braces-glued"),
        pytest.param('python{fence="3"}', "python {fence=3}", id="braces-glued-quoted"),
        pytest.param("fence :3", "python fence:3", id="blank"),
        pytest.param("bash fence :3", "bash fence:3", id="blank-behind-language"),
        pytest.param("python #fence:3", "python fence:3", id="hash"),
        pytest.param("python .fence:3", "python fence:3", id="dot"),
        pytest.param("python (fence:3)", "python fence:3", id="parentheses"),
        pytest.param("python,fence:3", "python fence:3", id="comma"),
        pytest.param("python fence 3", "python fence:3", id="no-sign"),
        pytest.param("python fence-3", "python fence:3", id="dash"),
        pytest.param("python fence3", "python fence:3", id="nothing-between"),
        pytest.param("python\u00a0fence:1", "python fence:1", id="trap16-nbsp"),
        pytest.param("python fence\uff1a3", "python fence:3", id="full-width-colon"),
        pytest.param("pythonfence:none", "python fence:none", id="none"),
        pytest.param("{.python fence=22}", "python {fence=22}", id="braces-first"),
        pytest.param(
            '{.python fence=22 title="a b"}', 'python {fence=22 title="a b"}', id="braces-more"
        ),
        pytest.param("{python} fence:3", "python fence:3", id="quarto"),
    ],
)
def test_what_looks_tagged_is_never_passed_over(info: str, right: str) -> None:
    found = parse_info(info)
    assert found.tagged
    assert [fault.remedy for fault in found.faults] == [f"write ```` ```{right} ````"]
    assert not parse_info(right).faults


@pytest.mark.parametrize(
    "info",
    [
        *(f"python fence:3 {name}{sign}" for name in VALUED for sign in (":", ':"', ":?", "")),
        *(f"python fence:3 {name}:x" for name in FLAGS),
    ],
)
def test_no_message_says_a_name_twice(info: str) -> None:
    for fault in parse_info(info).faults:
        assert not re.match(r"`(\w+)`: `\1`", fault.what)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        pytest.param("<!-- fence:1 -->", InfoString("", "comment", 1), id="fence"),
        pytest.param("<!-- output:1 -->", InfoString("", "comment", None, 1), id="recording"),
        pytest.param(
            "<!-- fence:1 requires:sm>=90 -->",
            InfoString("", "comment", 1, tags=Tags(requires=("sm>=90",))),
            id="greater-sign",
        ),
        pytest.param(
            "<!-- output:1 key:a.b on:cpu/x -->",
            InfoString("", "comment", None, 1, provenance=(("key", "a.b"), ("on", "cpu/x"))),
            id="provenance",
        ),
        pytest.param("<!-- code -->", None, id="A6-other-comment"),
        pytest.param("<!-- fencerun: rtol=1e-4 -->", None, id="page-settings"),
        pytest.param("<!-- fence-like words -->", None, id="A6-word-that-begins-alike"),
        pytest.param("<!-- output of the run -->", None, id="prose-about-output"),
        pytest.param("<div>", None, id="other-html"),
    ],
)
def test_comments(html: str, expected: InfoString | None) -> None:
    assert parse_comment(html) == expected


@pytest.mark.parametrize(
    "html",
    [
        pytest.param("<!-- fence -->", id="no-number"),
        pytest.param("<!--fence:1-->", id="no-blanks"),
        pytest.param("<!-- fence:1", id="unclosed"),
        pytest.param("<!-- fence:1\nquiet -->", id="two-lines"),
        pytest.param("<!-- fence:1 --> <!-- quiet -->", id="two-comments"),
        pytest.param("<!-- Fence:1 -->", id="capital"),
        pytest.param("<!-- output=3 -->", id="sign"),
    ],
)
def test_comments_that_begin_like_ours_and_do_not_parse(html: str) -> None:
    found = parse_comment(html)
    assert found is not None
    assert found.faults
