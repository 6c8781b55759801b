from __future__ import annotations

import re

import pytest

from fencerun import rendering
from fencerun.rendering import Decoration

from .reading import Elements, body, page

CARRIERS = {
    "words": """
        ```python fence:3 requires:cuda
        x = 1
        ```

        ```text output:3 key:3fa9c1.77d0e2 on:nvidia-h200/torch-2.11.0+cu130/2026-11-29
        one
        ```
        """,
    "attributes": """
        ```python {fence=3 requires=cuda}
        x = 1
        ```

        ```text {output=3 key=3fa9c1.77d0e2 on=nvidia-h200/torch-2.11.0+cu130/2026-11-29}
        one
        ```
        """,
    "comment": """
        <!-- fence:3 requires:cuda -->

        ```python
        x = 1
        ```

        <!-- output:3 key:3fa9c1.77d0e2 on:nvidia-h200/torch-2.11.0+cu130/2026-11-29 -->
        ```text
        one
        ```
        """,
}


@pytest.mark.parametrize("text", CARRIERS.values(), ids=CARRIERS)
def test_a_fence_and_its_recording_are_one_figure(text: str) -> None:
    shown = body(text)
    found = Elements(shown)
    (fence,) = found.of_class("fence")
    assert fence["data-fence"] == "3" and fence["data-id"] == "page.md::3"
    assert fence["id"] == "fence:3" and fence["data-state"] == "unknown"
    (output,) = found.of_class("fence-output")
    assert output["data-output"] == "3"
    assert shown.lstrip().startswith('<div class="fence"') and shown.rstrip().endswith("</div>")
    assert "nvidia-h200 · torch 2.11.0+cu130 · 2026-11-29" in found.text
    assert "fence:3" not in found.text and "output:3" not in found.text
    assert "cuda" in found.text


@pytest.mark.parametrize("text", CARRIERS.values(), ids=CARRIERS)
def test_lines_of_code_say_where_they_stand(text: str) -> None:
    read = page(text)
    (fence,) = read.fences
    (recording,) = read.recordings
    lines = [int(said["data-line"]) for said in Elements(body(text)).of_class("line")]
    assert lines == [fence.code_line, recording.line]
    assert read.lines.text(lines[0] - 1).strip() == "x = 1"
    assert read.lines.text(lines[1] - 1).strip() == "one"


def test_a_line_of_code_ends_with_its_newline() -> None:
    shown = body("```python fence:1\ns = '''a\n\nb'''\n```\n")
    code = re.search(r"<code>(.*)</code>", shown, re.DOTALL)
    assert code is not None
    assert Elements(code[1]).text == "s = '''a\n\nb'''\n"
    assert [said["data-line"] for said in Elements(code[1]).of_class("line")] == ["2", "3", "4"]


@pytest.mark.parametrize(
    ("first", "rest"),
    [("- item\n\n  ", "  "), ("> ", "> "), ("1. > ", "   > "), ("- ", "  ")],
    ids=["list", "quote", "quote in a list", "on the marker's line"],
)
def test_fences_in_lists_and_quotes(first: str, rest: str) -> None:
    lines = ["```python fence:1", "x = 1", "```", "", "```text output:1", "out", "```"]
    text = first + f"\n{rest}".join(lines) + "\n"
    shown = body(text)
    found = Elements(shown)
    assert len(found.of_class("fence")) == len(found.of_class("fence-output")) == 1
    outer = "<blockquote" if ">" in first else "<li"
    assert shown.index(outer) < shown.index('class="fence"') < shown.index("fence-output")
    assert found.open == [] and found.stray == []


def test_a_recording_that_was_moved_stands_apart() -> None:
    found = Elements(body("```python fence:1\n1\n```\n\ntext\n\n```text output:1\nout\n```\n"))
    (apart,) = found.of_class("apart")
    assert apart["data-output"] == "1"
    assert len(found.of_class("fence-output")) == 1


def test_an_orphan_is_shown_too() -> None:
    assert "out" in Elements(body("```text output:9\nout\n```\n")).text


def test_a_table_in_a_region() -> None:
    text = """
        ```python fence:1 as:markdown
        print("| a |")
        ```

        <!-- output:1 on:cpu/torch-2.13.0/2026-11-30 -->

        | a |
        |---|
        | b |

        <!-- /output:1 -->

        after
        """
    shown = body(text)
    assert shown.count("fence-output") == 1
    assert shown.index("fence-output") < shown.index("<table") < shown.index("cpu · torch")
    assert shown.index('data-part="panel"') < shown.index("after")


def test_figures_in_a_region() -> None:
    text = """
        ```python fence:1 figure:loss.svg
        plot()
        ```

        <!-- output:1 -->
        ```text
        printed
        ```

        ![the loss](figures/loss.svg)
        <!-- /output:1 -->
        """
    shown = body(text, image=lambda address: f"/files/{address}")
    assert '<img src="/files/figures/loss.svg" alt="the loss">' in shown
    assert shown.index("fence-output") < shown.index("printed") < shown.index("<img")
    assert Elements(shown).open == []


def test_a_region_in_a_list() -> None:
    text = (
        "- item\n\n  ```python fence:1 as:markdown\n  1\n  ```\n\n"
        "  <!-- output:1 -->\n\n  **bold**\n\n  <!-- /output:1 -->\n\n  after\n"
    )
    shown = body(text)
    assert shown.index("fence-output") < shown.index("<strong>") < shown.index("after")
    assert Elements(shown).stray == []


@pytest.mark.parametrize("hidden", [False, True])
def test_hidden_fences_are_shown_on_request(hidden: bool) -> None:
    shown = body("<!-- fence:1 hidden\nsecret = 1\n-->\n\ntext\n", hidden=hidden)
    assert ("secret" in shown) == hidden
    assert len(Elements(shown).of_class("fence")) == hidden


def test_files_have_their_name() -> None:
    shown = body("```yaml file:conf/a.yaml\na: 1\n```\n\n```python fence:1\n1\n```\n")
    assert '<div class="code-name">conf/a.yaml</div>' in shown


@pytest.mark.parametrize(
    ("info", "name"),
    [
        ('python title="lab.py"', "lab.py"),
        ("python title='a b.py'", "a b.py"),
        ('python fence:none title="x"', "x"),
        ("python", None),
    ],
)
def test_titles_of_other_tools(info: str, name: str | None) -> None:
    found = Elements(body(f"```{info}\nx\n```\n"))
    assert [said["class"] for said in found.of_class("code-name")] == ["code-name"] * bool(name)
    assert name is None or name in found.text


def test_code_is_shown_without_tags_of_ours() -> None:
    found = Elements(body("```python fence:none\nx\n```\n"))
    assert found.of_class("code-block") and not found.of_class("fence")


def test_transcripts_are_fences() -> None:
    shown = body("```pycon fence:1\n>>> 1 + 1\n2\n```\n\n```console fence:2\n$ ls\na\n```\n")
    assert len(Elements(shown).of_class("fence")) == 2
    assert 'class="gp"' in shown


def test_decorations_go_into_their_parts() -> None:
    said = Decoration("error", "<b>badge</b>", "<p>panel</p>", "<button>run</button>")
    shown = rendering.render(
        page("```python fence:1\n1\n```\n\n```python fence:2\n2\n```\n"),
        decorate=lambda fence: said if fence.number == 1 else None,
    ).body
    states = [one["data-state"] for one in Elements(shown).of_class("fence")]
    assert states == ["error", "unknown"]
    for part in ("badge", "panel", "actions"):
        assert shown.count(f'data-part="{part}"') == 2
    assert 'data-part="badge"><b>badge</b></span>' in shown
    assert 'data-part="panel"><p>panel</p></div>' in shown
    assert 'data-part="actions"><button>run</button></span>' in shown
