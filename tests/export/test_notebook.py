from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from .making import as_notebook, by_id, source

LESSON = (Path(__file__).parent / "lesson.md").read_text(encoding="utf-8")

#: What a script cannot have: it imports of the future as a whole.
FUTURE = """
```python fence:21
from __future__ import annotations
def f(x: undefined) -> None: ...
print(f.__annotations__, __file__[-7:])
```

```text output:21
{'x': 'undefined', 'return': 'None'} page.md
```

```python fence:22 raises:NameError
def f(x: undefined) -> None: ...
```

```text output:22
NameError: name 'undefined' is not defined
```

```python fence:23 continues:21
def g(y: undefined) -> None: ...
print(g.__annotations__)
```

```text output:23
{'y': 'undefined', 'return': 'None'}
```

```python fence:24 continues:21
def g(y: undefined) -> None: ...
print(g.__annotations__, "once more")
```

```text output:24
{'y': 'undefined', 'return': 'None'} once more
```
"""


def no_cuda(requirement: str) -> str | None:
    return "no CUDA device" if requirement == "cuda" else None


def cell(text: str, number: int = 1) -> dict[str, Any]:
    return by_id(as_notebook(text))[f"fence-{number}"]


def test_a_notebook_is_valid_and_its_cells_are_called_the_same_each_time() -> None:
    book = as_notebook(LESSON, no_cuda)
    assert (book["nbformat"], book["nbformat_minor"] >= 5) == (4, True)
    names = [one["id"] for one in book["cells"]]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch("[A-Za-z0-9_-]{1,64}", name) for name in names)
    assert as_notebook(LESSON, no_cuda) == book
    moved = as_notebook(LESSON.replace("# Every form\n", "# Every form\n\nmore\n"), no_cuda)
    assert [one["id"] for one in moved["cells"]] == names


def test_recordings_are_outputs() -> None:
    shown = cell("```python fence:1\nprint(1)\n```\n\n```text output:1\n1\n\n2\n```\n")["outputs"]
    assert shown == [{"name": "stdout", "output_type": "stream", "text": ["1\n", "\n", "2\n"]}]


@pytest.mark.parametrize(
    ("text", "printed", "name", "value"),
    [
        ("ValueError: no", [], "ValueError", "no"),
        ("a\nValueError: no", ["a\n"], "ValueError", "no"),
        ("a: b\nmodule.ValueError: no\nmore", ["a: b\n"], "module.ValueError", "no\nmore"),
        ("a\nOtherError: no", ["a\n"], "OtherError", "no"),
        ("ValueError", [], "ValueError", ""),
    ],
)
def test_exceptions_are_outputs(text: str, printed: list[str], name: str, value: str) -> None:
    one = cell(f"```python fence:1 raises:ValueError\nx()\n```\n\n```text output:1\n{text}\n```\n")
    assert one["metadata"]["tags"] == ["raises-exception"]
    *before, last = one["outputs"]
    assert [line for output in before for line in output["text"]] == printed
    assert (last["output_type"], last["ename"], last["evalue"]) == ("error", name, value)


def test_tables_and_figures() -> None:
    book = by_id(
        as_notebook(
            """
            ```python fence:1 as:markdown
            table()
            ```

            <!-- output:1 -->

            | a |
            |---|

            <!-- /output:1 -->

            ```python fence:2 figure:loss.svg
            plot()
            ```

            <!-- output:2 -->
            ```text
            printed
            ```

            ![the loss](figures/loss.svg)

            ![gone](figures/loss-2.svg)
            <!-- /output:2 -->
            """,
            files={"figures/loss.svg": b"<svg>x</svg>"},
        )
    )
    (table,) = book["fence-1"]["outputs"]
    assert table["data"] == {"text/markdown": ["| a |\n", "|---|"]}
    printed, figure, gone = book["fence-2"]["outputs"]
    assert printed["text"] == ["printed\n"]
    assert figure["data"] == {"image/svg+xml": ["<svg>x</svg>"]}
    assert gone["data"] == {"text/markdown": ["![gone](figures/loss-2.svg)"]}
    assert "figure_formats = ['svg']" in source(book["fencerun"])


def test_what_cannot_run_here_is_skipped_and_keeps_its_output() -> None:
    one = by_id(as_notebook(LESSON, no_cuda))["fence-8"]
    assert one["metadata"]["tags"] == ["skip-execution", "raises-exception", "requires-cuda"]
    said = one["metadata"]["fencerun"]
    assert (said["fence"], said["skipped"]) == (8, "no CUDA device")
    assert said["on"].startswith("nvidia-h200")
    assert one["outputs"][0]["text"] == ["on a GPU\n"]
    there = by_id(as_notebook(LESSON))["fence-8"]
    assert there["metadata"]["tags"] == ["requires-cuda"]


@pytest.mark.parametrize(
    ("block", "code"),
    [
        ("```bash fence:1\nls\n```", "%%bash -e -o pipefail\nls"),
        ("```sh fence:1\nls\n```", "%%sh -e\nls"),
        ("```bash fence:1 exit:3\nls\n```", "%%bash --no-raise-error -e -o pipefail\nls"),
        ("```console fence:1\n$ ls\na\n$ cd\n```", "%%bash\nls\ncd"),
        ("```python fence:1\nf(x)\n```", "f(x);"),
        ("```python fence:1 echo\nf(x)\n```", "f(x)"),
    ],
)
def test_sources(block: str, code: str) -> None:
    assert source(cell(f"{block}\n")) == code


def test_each_prompt_is_a_cell() -> None:
    book = by_id(as_notebook("```pycon fence:1\n>>> x = 1\n>>> x\n1\n>>> print(x)\n1\n```\n"))
    assert [source(book[f"fence-1-{n}"]) for n in (1, 2, 3)] == ["x = 1", "x", "print(x)"]
    assert [one["output_type"] for one in book["fence-1-2"]["outputs"]] == ["execute_result"]
    assert [one["output_type"] for one in book["fence-1-3"]["outputs"]] == ["stream"]


def test_hidden_fences_are_tagged() -> None:
    one = by_id(as_notebook(LESSON))["fence-11"]
    assert one["metadata"]["tags"] == ["hidden", "remove-cell"]
    assert one["metadata"]["jupyter"] == {"source_hidden": True}


def written(path: str, text: str) -> str:
    how = 'encoding="utf-8", newline=""'
    return f'__import__("pathlib").Path({path}).write_text({text}, {how});'


@pytest.mark.parametrize(
    ("info", "text", "code"),
    [
        ("a.py", "x = 1\n", "%%writefile a.py\nx = 1"),
        ("conf/a.txt", "", written("'conf/a.txt'", "''")),
        ('"a b.txt"', "x\n", written("'a b.txt'", "'x\\n'")),
        ("-a", "x\n", written("'-a'", "'x\\n'")),
        ("{x}$y", "é\n", written("'{x}$y'", "'é\\n'")),
    ],
)
def test_files_are_cells_that_write_them(info: str, text: str, code: str) -> None:
    page = f"```text file:{info}\n{text}```\n\n```python fence:1\n1\n```\n"
    book = as_notebook(page)
    assert source(book["cells"][1]) == code


def test_each_file_has_a_cell_of_its_own_name() -> None:
    long = "x" * 80
    paths = ("a.b", "a-b", "a_b", f"{long}1", f"{long}2")
    page = "".join(f"```text file:{path}\nx\n```\n\n" for path in paths)
    book = as_notebook(f"{page}```python fence:1\n1\n```\n")
    names = [one["id"] for one in book["cells"]]
    assert names == ["fencerun", "file-a-b", "file2-a-b", "file-a_b", f"file-{long[:50]}",
                     f"file2-{long[:50]}", "fence-1"]  # fmt: skip


def test_one_chain_needs_no_way_to_another() -> None:
    text = "```python fence:1\nx = 1\n```\n\n```python fence:2 continues:1\nx\n```\n"
    book = by_id(as_notebook(text))
    assert not any("%chain" in source(one) for one in book.values())
    assert "chain" not in source(book["fencerun"]).replace("every chain", "")


def test_a_page_without_python_has_no_opening() -> None:
    book = as_notebook("# A\n\n```bash fence:1\nls\n```\n")
    assert [one["id"] for one in book["cells"]] == ["text-0-1", "fence-1"]


def printed(outputs: list[dict[str, Any]]) -> str:
    """What a reader sees of outputs, as a recording says it."""
    text = ""
    for one in outputs:
        kind = one["output_type"]
        if kind == "stream":
            text += "".join(one["text"]) if one["name"] == "stdout" else ""
        elif kind == "error":
            text += f"{one['ename']}: {one['evalue']}\n"
        else:
            data = one["data"]
            text += "".join(data.get("text/markdown") or data["text/plain"]) + "\n"
    return "\n".join(line.rstrip() for line in text.rstrip().split("\n"))


def test_executing_it_gives_the_recorded_text_again(tmp_path: Path) -> None:
    import nbformat
    from nbclient import NotebookClient

    (tmp_path / "words.py").write_text("raise SystemExit('not this one')\n")
    recorded = as_notebook(LESSON + FUTURE, no_cuda)
    book = nbformat.reads(json.dumps(recorded), 4)  # type: ignore[no-untyped-call]
    client = NotebookClient(book, timeout=60, resources={"metadata": {"path": str(tmp_path)}})
    client.execute()
    executed = {one["id"]: one for one in book.cells}
    for name, one in by_id(recorded).items():
        if one["cell_type"] == "code" and not name.startswith("file-"):
            assert printed(executed[name]["outputs"]) == printed(one["outputs"]), name
    assert sorted(path.name for path in tmp_path.iterdir()) == ["words.py"]
