"""One page in the form that each peer runs: the same one-line blocks, the same prose. Pure text.

``codes`` are the blocks' code, ``printed`` what each prints (None: nothing). A peer that compares
output gets it beside the block, in its own form.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

Blocks = Sequence[tuple[str, str | None]]
Dialect = Callable[[Blocks], str]


def _page(blocks: Blocks, one: Callable[[int, str, str | None], str]) -> str:
    return "# page\n" + "".join(
        f"\nSome prose before block {n}.\n\n{one(n, code, printed)}\n"
        for n, (code, printed) in enumerate(blocks, 1)
    )


def _fenced(info: str, content: str) -> str:
    return f"```{info}\n{content}\n```"


def fencerun(blocks: Blocks) -> str:
    """Tagged, with recordings."""

    def one(n: int, code: str, printed: str | None) -> str:
        fence = _fenced(f"python fence:{n}", code)
        return fence if printed is None else f"{fence}\n\n{_fenced(f'text output:{n}', printed)}"

    return _page(blocks, one)


def plain(blocks: Blocks) -> str:
    """Code blocks of Python, and nothing else."""
    return _page(blocks, lambda n, code, printed: _fenced("python", code))


def doctest(blocks: Blocks) -> str:
    """Indented prompts, as ``python -m doctest`` reads them."""

    def one(n: int, code: str, printed: str | None) -> str:
        return f"    >>> {code}" + ("" if printed is None else f"\n    {printed}")

    return _page(blocks, one)


def pycon(blocks: Blocks) -> str:
    """Prompts in a code block."""

    def one(n: int, code: str, printed: str | None) -> str:
        return _fenced("pycon", f">>> {code}" + ("" if printed is None else f"\n{printed}"))

    return _page(blocks, one)


def print_comments(blocks: Blocks) -> str:
    """pytest-examples: output as comments behind the code, as deep as the call of `print`."""

    def one(n: int, code: str, printed: str | None) -> str:
        code = code.replace("; ", "\n")
        return _fenced("python", code if printed is None else f"{code}\n#> {printed}")

    return _page(blocks, one)


def expected_output(blocks: Blocks) -> str:
    """pytest-codeblocks: output in a block that a comment announces."""

    def one(n: int, code: str, printed: str | None) -> str:
        fence = _fenced("python", code)
        if printed is None:
            return fence
        return f"{fence}\n\n<!--pytest-codeblocks:expected-output-->\n\n{_fenced('', printed)}"

    return _page(blocks, one)


def code_runner(blocks: Blocks) -> str:
    """markdown-code-runner: output between comments."""

    def one(n: int, code: str, printed: str | None) -> str:
        fence = _fenced("python markdown-code-runner", code)
        return f"{fence}\n<!-- OUTPUT:START -->\n{printed or ''}\n<!-- OUTPUT:END -->"

    return _page(blocks, one)


def run_directive(blocks: Blocks) -> str:
    """mdoctest: a block of plain Python that a comment says to run."""
    return _page(
        blocks, lambda n, code, printed: f"<!-- mdoctest: run -->\n{_fenced('python', code)}"
    )


def showboat(blocks: Blocks) -> str:
    """showboat: every block has an output block."""

    def one(n: int, code: str, printed: str | None) -> str:
        output = "```output\n```" if printed is None else _fenced("output", printed)
        return f"{_fenced('python', code)}\n\n{output}"

    return _page(blocks, one)


def notebook(blocks: Blocks) -> str:
    """The page as a notebook, a cell a block."""
    cells: list[dict[str, object]] = [
        {
            "cell_type": "code",
            "id": f"c{n}",
            "metadata": {},
            "execution_count": None,
            "source": code,
            "outputs": [],
        }
        for n, (code, _) in enumerate(blocks, 1)
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    document = {"cells": cells, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps({**document, "metadata": {"kernelspec": kernel}})
