"""Hypothesis strategies: pages, and what their fences might print.

`lessons` are pages a careful author could write: whatever the container, ending or carrier, they
have no problem and every recording must go in. `wrecks` are anything: reading must not fail, and
a recording goes in without harm or is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from hypothesis import strategies as st

Block = list[str]

ENDINGS = ("\n", "\n", "\r\n", "\r", None)  # None: each line draws its own

# Lines of code and of output that look like Markdown, like our own markers, or break scanners.
CODE = (
    *(
        "x = 1",
        "print(x)",
        "",
        "",
        "    indented",
        "\ttab",
        "# heading",
        "> quote",
        "- item",
        "1. x",
    ),
    *("``", "`x`", "---", "===", "é", "a\u2028b", "p\x85q", "f\x0cg", "\xa0", "<!-- output:1 -->"),
    *(
        "-->",
        "<div>",
        "</script>",
        "&amp; \\` &#58;",
        "trailing  ",
        "    ```",
        "=======",
        "$$",
        ":::",
    ),
)
PRINTED = (
    *CODE,
    *("```", "~~~", "````", "~~~~~~", " ```", "    ~~~~", "```text output:1", "```python", "<!--"),
    *(
        "<!-- /output:1 -->",
        "| a | b |",
        "|---|---|",
        " lead",
        "\t\t x",
        "שלום",
        "{{ x }}",
        "x" * 200,
    ),
    *("[a]: /b", "* * *", "+", ">", "1)", "<pre>", "{% x %}", "```` ``` ~~~", '--8<-- "x"', "🙂"),
)
FOREIGN = ("", "", "", ' title="app.py"', ' hl_lines="2"', " {1,3}", " linenums", " .class #id")


def printed() -> st.SearchStrategy[tuple[str, ...]]:
    """Canonical output: no control characters, no trailing blanks, not only blank lines."""
    wild = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp"]), max_size=12)
    line = st.one_of(st.sampled_from(PRINTED), wild).map(_canonical)
    return st.lists(line, min_size=1, max_size=5).map(_without_blank_end).filter(bool)


def _canonical(line: str) -> str:
    return re.sub("[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]", "?", line).rstrip(" \t\xa0")


def _without_blank_end(lines: list[str]) -> tuple[str, ...]:
    while lines and not lines[-1]:
        lines = lines[:-1]
    return tuple(lines)


def provenances() -> st.SearchStrategy[tuple[tuple[str, str], ...]]:
    """The tags that stand beside ``output:N``."""
    on = st.sampled_from(
        ["nvidia-h200/torch-2.11.0+cu130/2026-11-29", "cpu/2.13", 'a "b" c', "two words"]
    )
    said = st.tuples(st.just(("key", "3fa9c1.77d0e2")), on.map(lambda value: ("on", value)))
    return st.one_of(st.just(()), st.just(()), said)


@st.composite
def _fence(draw: st.DrawFn) -> Block:
    """A fence whose number stands as ``@``, perhaps with its recording."""
    carrier = draw(st.sampled_from(("words", "words", "attributes", "comment")))
    blank = draw(st.sampled_from(([], [""])))
    indent = " " * draw(st.sampled_from((0, 0, 0, 1, 2, 3)))
    code = draw(st.lists(st.sampled_from(CODE), max_size=4))
    char = draw(st.sampled_from("``~"))
    extra = draw(st.sampled_from(FOREIGN)) if carrier == "words" else ""
    tag = {"words": " fence:@" + extra, "attributes": " {fence=@}", "comment": ""}[carrier]
    lines = _delimited(draw, char, "python" + tag, code, indent)
    if carrier == "comment":
        lines = [indent + "<!-- fence:@ -->", *blank, *lines]
    if draw(st.integers(0, 2)):
        return lines
    gap = draw(st.sampled_from(([""], [""], [], ["", indent + "It prints", ""])))
    recording = st.one_of(_recording(carrier, indent), _region(indent))
    return [*lines, *gap, *draw(recording)]


#: Markdown that can stand in a region of any page, a tight list but for its blank lines.
MARKDOWN = (
    ("| a | b |", "|---|---|", "| 1 | 2.5 |"),
    ("*text*",),
    ("text", "", "and more"),
    ("- a", "  - b"),
    ("```text", "x", "", "    y", "```", "", "![a](figures/a.svg)"),
    ("> quoted", "", "1. one", "", "       code", ""),
    ("# heading", "", "text", "---"),
    ("    code",),
    ("<details>", "", "`<b>` &amp; \\<", "", "</details>"),
    ("~~~~", "```python fence:99", "~~~", "~~~~"),
)


@st.composite
def _region(draw: st.DrawFn, indent: str = "") -> Block:
    """A region that its author may have touched; its number stands as ``%``."""
    text = [indent + line if line else "" for line in draw(st.sampled_from(MARKDOWN))]
    said = "".join(f" {name}:{value}" for name, value in draw(provenances()) if " " not in value)
    # Without a blank line the closing comment would belong to HTML before it.
    close = ([""],) if text[-1].endswith(">") else ([""], [""], [], ["", ""])
    blank = draw(st.sampled_from(close))
    opening, closing = f"{indent}<!-- output:%{said} -->", f"{indent}<!-- /output:% -->"
    return [opening, *blank, *text, *blank, closing]


@st.composite
def _recording(draw: st.DrawFn, carrier: str = "words", indent: str = "") -> Block:
    """A recording that its author may have touched; its number stands as ``%``."""
    char = draw(st.sampled_from("``~"))
    text = [line for line in draw(printed()) if not re.search("[`~]{3}", line)]
    language = draw(st.sampled_from(("text", "text", "console", "json")))
    said = "".join(f" {name}:{value}" for name, value in draw(provenances()) if " " not in value)
    if carrier == "attributes":
        tag = " {output=%" + said.replace(":", "=") + "}"
    else:
        tag = " output:%" + said + draw(st.sampled_from(FOREIGN)) if carrier == "words" else ""
    lines = _delimited(draw, char, language + tag, text, indent)
    return [f"{indent}<!-- output:%{said} -->", *lines] if carrier == "comment" else lines


def _delimited(draw: st.DrawFn, char: str, info: str, lines: Block, indent: str) -> Block:
    mark = char * draw(st.sampled_from((3, 3, 3, 4, 5)))
    lines = [line for line in lines if not line.strip().startswith(mark)]
    if char == "`":
        info = info.replace("`", "")
    space = draw(st.sampled_from(("", "", " ")))
    after = draw(st.sampled_from(("", "", "  ")))
    closing = mark + char * draw(st.sampled_from((0, 0, 1))) + after
    body = [indent + line if line else "" for line in lines]
    return [f"{indent}{mark}{space}{info}{after}", *body, indent + closing]


_PROSE = st.lists(
    st.sampled_from(("Some text", "with *emphasis* and `code`", "and an end.")),
    min_size=1,
    max_size=2,
).map(lambda lines: ["", *lines, ""])
_FURNITURE = st.sampled_from(
    (
        ["", "# Heading", ""],
        ["", "| a | b |", "|---|---|", "| 1 | 2 |", ""],
        ["", "<details>", "", "</details>", ""],
        ["", "    indented code", ""],
        ["", "````markdown", "```python fence:99", "shown", "```", "````", ""],
        ["", "***", ""],
        ["", "::: note", ":::", ""],
    )
)
_MARKERS = ("- ", "* ", "+ ", "1. ", "10) ", "-   ")


def _contained(inner: st.SearchStrategy[Block]) -> st.SearchStrategy[Block]:
    return st.one_of(_quoted(inner), _listed(inner))


@st.composite
def _quoted(draw: st.DrawFn, inner: st.SearchStrategy[Block]) -> Block:
    lines = [line for block in draw(st.lists(inner, min_size=1, max_size=2)) for line in block]
    mark = draw(st.sampled_from(("> ", ">", " > ", ">  ")))
    if any(line.startswith((" ", "\t")) for line in lines):
        mark = mark.rstrip() + " "  # a bare `>` takes the first blank of what it quotes
    return ["", *(mark + line if line else mark.rstrip() for line in lines), ""]


@st.composite
def _listed(draw: st.DrawFn, inner: st.SearchStrategy[Block]) -> Block:
    marker, made = draw(st.sampled_from(_MARKERS)), [""]
    for item in draw(st.lists(inner, min_size=1, max_size=2)):
        lines = _trimmed(item)
        if draw(st.booleans()) or lines[0].startswith((" ", "\t")):
            # Else its first block opens on the marker's line. The blank is for `10)`, which
            # would go on the paragraph.
            lines = ["An item", *([""] if lines[0].startswith("10)") else []), *lines]
        pad = " " * len(marker)
        made += [marker + lines[0], *(pad + line if line else "" for line in lines[1:])]
        made += [""] * draw(st.sampled_from((0, 0, 1)))
    return [*made, ""]


def _trimmed(lines: Block) -> Block:
    """Without blank lines around: a list item that begins with two is empty."""
    text = [index for index, line in enumerate(lines) if line.strip()]
    return lines[text[0] : text[-1] + 1] if text else ["text"]


_FRONT: tuple[Block, ...] = (
    [],
    [],
    [],
    ["---", "title: x", 'a: "```"', "---"],
    ["+++", 'a = "```"', "+++"],
)


@st.composite
def lessons(draw: st.DrawFn) -> bytes:
    """A page without problems, its fences numbered from 1."""
    leaf = st.one_of(_fence(), _fence(), _PROSE, _FURNITURE)
    blocks = st.recursive(leaf, _contained, max_leaves=5)
    lines = list(draw(st.sampled_from(_FRONT)))
    for block in draw(st.lists(blocks, min_size=1, max_size=5)):
        lines += block + draw(st.sampled_from(([], [""])))
    return _encoded(draw, _numbered(lines))


def _numbered(lines: Block) -> Block:
    """With ``@`` and ``%`` replaced by numbers."""
    count = 0
    made = []
    for line in lines:
        if "fence:@" in line or "fence=@" in line:
            count += 1
        made.append(re.sub("(fence[:=]|output[:=])[@%]", rf"\g<1>{count}", line))
    return made


def _encoded(draw: st.DrawFn, lines: Block) -> bytes:
    ending = draw(st.sampled_from(ENDINGS))
    endings: Callable[[], str] = lambda: ending or draw(st.sampled_from(("\n", "\r\n", "\r")))  # noqa: E731
    text = ""
    for line in lines:
        end = endings()
        # An empty line's line feed would make one ending of it and the carriage return before.
        text += line + ("\r\n" if not line and end == "\n" and text[-1:] == "\r" else end)
    if draw(st.integers(0, 3)) == 0:
        text = text.rstrip("\r\n")
    bom = "\ufeff" if draw(st.integers(0, 5)) == 0 else ""
    return (bom + text).encode("utf-8")


_HOSTILE = (
    *("```", "~~~", "````", "``` ", "    ```python fence:9", "\t```", "```python fence:8", "<!--"),
    *(
        "-->",
        "<div>",
        "<details>",
        "---",
        "===",
        "> ```",
        ">```python fence:7",
        "- ```python fence:6",
    ),
    *(
        "[a]: /b",
        "    indented",
        "!!! note",
        "\x00",
        "<script>",
        "</script>",
        "<pre>",
        "<?php",
        "1.",
    ),
    *(
        "# h",
        "* * *",
        "+ ",
        ">",
        "> ",
        "  ",
        "\t",
        "[^1]: note",
        "```python fence:01",
        "```py {fence=4}",
    ),
    *(
        "```python fence:5 `x`",
        "~~~python fence:5 `x`",
        "```text output:1",
        "<!-- output:2 -->",
        "lazy",
    ),
    *(
        "<!-- fence:3 -->",
        "<!-- fence:1 output -->",
        "```python fence:1 fence:2",
        "\ufeff",
        "\x0b```",
    ),
    *(
        "\xa0```python fence:9",
        "```python Fence:3 requires:",
        "<!-- fencerun: rtol=x -->",
        "<<<<<<< a",
    ),
    *(
        "=======",
        ">>>>>>> b",
        '```python fence:2 skip:"',
        "```text {output=1}",
        "> - <script>",
        "+++",
    ),
    *(
        "```python continues:9 fence:3",
        "-\t```python fence:2",
        ">\t```",
        "```bash fence:4",
        "```\t",
    ),
)
_MORE_MARKERS = ("> ", ">", ">\t", " > ", "- ", "* ", "1. ", "-   ", "-\t", "1.\t", "    ", "\t")


@st.composite
def wrecks(draw: st.DrawFn) -> bytes:
    """Any page at all, rich in what parsers trip over."""
    hostile = st.lists(st.one_of(st.sampled_from(_HOSTILE), st.text(max_size=6)), max_size=4)
    leaf = st.one_of(_fence(), _recording(), hostile, hostile)
    lines: Block = []
    for block in draw(st.lists(st.recursive(leaf, _any_container, max_leaves=4), max_size=5)):
        lines += block
    data = _encoded(draw, _numbered(lines))
    if draw(st.integers(0, 9)) == 0:
        at = draw(st.integers(0, len(data)))
        data = data[:at] + draw(st.binary(max_size=3)) + data[at:]
    return data


@st.composite
def _any_container(draw: st.DrawFn, inner: st.SearchStrategy[Block]) -> Block:
    lines = [line for block in draw(st.lists(inner, min_size=1, max_size=3)) for line in block]
    marker = draw(st.sampled_from(_MORE_MARKERS))
    later = marker if ">" in marker else re.sub(r"[^\s]", " ", marker)
    made = [(later if index else marker) + line for index, line in enumerate(lines)]
    if made and draw(st.integers(0, 5)) == 0:  # a line that lost its prefix
        at = draw(st.integers(0, len(made) - 1))
        made[at] = lines[at]
    return made
