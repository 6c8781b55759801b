"""Which blocks of a page may become fences, and why others may not."""

from __future__ import annotations

import pytest

from fencerun.reader import parse
from fencerun.tagging.candidates import candidates


def found(text: str) -> tuple[list[str], list[tuple[int, str]]]:
    page = parse(text.encode(), "page.md")
    fit, left = candidates(page)
    return [one.code for one in fit], [(one.line, one.what) for one in left]


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        pytest.param("```python\nx\n```\n", ["x\n"], id="python"),
        pytest.param("~~~~ PY  title='a'\nx\n~~~~\n", ["x\n"], id="tildes"),
        pytest.param("- a\n\n  ```python3\n  x\n  ```\n", ["x\n"], id="in-a-list"),
        pytest.param("> ```bash\n> ls\n> ```\n", ["ls\n"], id="in-a-quote"),
        pytest.param("```pycon\n>>> x\n1\n```\n", ["x\n"], id="pycon"),
        pytest.param("```pycon\n>>> # what\n>>> x\n```\n", ["# what\nx\n"], id="pycon-comment"),
        pytest.param("```console\n$ ls\na\n```\n", ["ls\n"], id="console"),
        pytest.param("```python {1,3}\nx\n```\n", ["x\n"], id="foreign-braces"),
        pytest.param('```python {output="json"}\nx\n```\n', ["x\n"], id="key-of-others"),
        pytest.param("```python fence:1\nx\n```\n", [], id="tagged"),
        pytest.param("```python fence:none\nx\n```\n", [], id="excused"),
        pytest.param("<!-- fence:1 -->\n```python\nx\n```\n", [], id="tagged-in-a-comment"),
        pytest.param("```text\nx\n```\n\n```cpp\nx\n```\n\n```json\n```\n", [], id="others"),
        pytest.param("````markdown\n```python\nx\n```\n````\n", [], id="shown"),
        pytest.param("<!--\n```python\nx\n```\n-->\n", [], id="commented-out"),
        pytest.param("```\nx y z\n```\n", [], id="anything"),
    ],
)
def test_candidates(text: str, codes: list[str]) -> None:
    assert found(text) == (codes, [])


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        pytest.param("```python\n\n```\n", 1, "it is empty", id="empty"),
        pytest.param("```python\nx\n\nif a then\n```\n", 4, "it is not Python", id="line"),
        pytest.param("```python\nx", 1, "it is never closed", id="unclosed"),
        pytest.param("```python out\n1\n```\n", 1, "calls it `out`", id="output"),
        pytest.param("```python no_run\nx\n```\n", 1, "says `no_run`", id="no-run"),
        pytest.param('```python {test="skip"}\nx\n```\n', 1, 'says `test="skip"`', id="skip"),
        pytest.param("```pycon\n1\n>>> x\n```\n", 2, "no `>>>` stands", id="pycon-above"),
        pytest.param("```pycon\nx = 1\n```\n", 2, "no `>>>` stands", id="pycon-none"),
        pytest.param("```pycon\n>>> x\n1\n>>> ...\n```\n", 4, "`...`", id="pycon-sketch"),
        pytest.param("```console\n$ ls\n$ sudo ls\n```\n", 3, "`sudo`", id="console-sudo"),
        pytest.param("```bash\n$ ls\na\n```\n", 2, "prompts", id="bash-prompts"),
        pytest.param("```bash\npip install x\n```\n", 2, "`pip install`", id="pip"),
        pytest.param("```{python}\nx\n```\n", 1, "braces that stand first", id="quarto"),
        pytest.param("```{.python .input}\nx\n```\n", 1, "braces that stand first", id="pandoc"),
        pytest.param("```{code-cell} ipython3\nx\n```\n", 1, "braces that stand", id="myst"),
        pytest.param("```shell\nls\n```\n", 1, "`shell` is no language", id="shell"),
        pytest.param("```python,editable\nx\n```\n", 1, "`python,editable` is no", id="glued"),
        pytest.param("```ipython\nx\n```\n", 1, "`ipython` is no language", id="ipython"),
        pytest.param("```\nimport os\nos.sep\n```\n", 1, "looks like python", id="guess"),
        pytest.param("```\n>>> x\n```\n", 1, "looks like pycon", id="guess-pycon"),
        pytest.param("```\n$ ls\n```\n", 1, "looks like console", id="guess-console"),
        pytest.param("<div>\n```python\nx\n```\n</div>\n", 2, "in the HTML block", id="html"),
        pytest.param("a\n\n    ```python\n    x\n    ```\n", 3, "four spaces", id="indented"),
    ],
)
def test_left(text: str, line: int, what: str) -> None:
    codes, left = found(text)
    assert codes == []
    [(at, said)] = left
    assert at == line
    assert what in said


def test_mkdocs_is_named_where_it_would_help() -> None:
    page = parse(b'=== "Tab"\n\n    ```python\n    x\n    ```\n', "page.md")
    [left] = candidates(page)[1]
    assert "syntax: mkdocs" in left.remedy


def test_a_gpu_is_noticed() -> None:
    [one], _ = candidates(parse(b"```python\nx.cuda()\n```\n", "page.md"))
    assert one.needs == ".cuda()"
