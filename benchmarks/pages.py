"""The pages that are measured, made anew each time and always the same. Pure text."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

_WORDS = """\
the a tensor operator kernel backward gradient shape device dispatch key fake graph
compile eager autograd function schema stride memory layout cache fused scale softmax norm weight
bias step loss batch head token layer module parameter optimizer schedule precision of to in for
with and or when is are we you this that each every one two first next until because""".split()  # noqa: SIM905


def one_liners(count: int, code: Callable[[int], str] = lambda n: f"print({n})") -> str:
    """Fences of one line, as ``record`` leaves them. ``code`` must print its fence's number."""
    return "# page\n" + "".join(
        f"\nSome prose before block {n}.\n\n```python fence:{n}\n{code(n)}\n```\n"
        f"\n```text output:{n}\n{n}\n```\n"
        for n in range(1, count + 1)
    )


def importing(module: str = "sys") -> Callable[[int], str]:
    """Code for ``one_liners`` that imports something: what follows it is the whole clean-up.

    After fences that only compute and print there is hardly any.
    """
    return lambda n: f"import {module}\nprint({n})"


def silent(count: int, code: Callable[[int], str]) -> str:
    """Fences of one line that print nothing."""
    return "# page\n" + "".join(
        f"\nSome prose before block {n}.\n\n```python fence:{n}\n{code(n)}\n```\n"
        for n in range(1, count + 1)
    )


def doctest(count: int) -> str:
    """The blocks of ``one_liners`` for ``python -m doctest``."""
    return "# page\n" + "".join(
        f"\nSome prose before block {n}.\n\n    >>> print({n})\n    {n}\n"
        for n in range(1, count + 1)
    )


def code_runner(count: int) -> str:
    """The blocks of ``one_liners`` for markdown-code-runner."""
    return "# page\n" + "".join(
        f"\nSome prose before block {n}.\n\n```python markdown-code-runner\nprint({n})\n```\n"
        f"<!-- OUTPUT:START -->\n{n}\n<!-- OUTPUT:END -->\n"
        for n in range(1, count + 1)
    )


def lesson(seed: int, size: int = 13_600) -> str:
    """A page as lessons are: headings, prose, lists, tables, quotes, code with and without tags.

    At least ``size`` bytes, and no more than one section above it.
    """
    dice = random.Random(seed)
    pieces = [f"# {_sentence(dice, 4)}\n"]
    length = 0
    number = 0
    while length < size:
        number += 1
        section = "\n".join(_section(dice, number))
        length += len(section) + 1
        pieces.append(section)
    return "\n".join(pieces)


def _section(dice: random.Random, number: int) -> Iterator[str]:
    yield f"\n{'#' * dice.choice((2, 2, 3))} {_sentence(dice, 5)}\n"
    for _ in range(dice.randint(2, 4)):
        yield _paragraph(dice) + "\n"
    yield from dice.choice((_list, _table, _quote))(dice)
    yield f"\n```python fence:{number}"
    yield from _code(dice)
    yield f"```\n\n```text output:{number}"
    for _ in range(dice.randint(1, 6)):
        yield f"tensor([{dice.random():.4f}, {dice.random():.4f}, {dice.random():.4f}])"
    yield "```\n"
    if dice.random() < 0.4:
        yield "```sh\npip install torch\npython train.py --steps 100\n```\n"


def _sentence(dice: random.Random, words: int) -> str:
    return " ".join(dice.choices(_WORDS, k=words)).capitalize()


def _paragraph(dice: random.Random) -> str:
    lines = []
    for _ in range(dice.randint(2, 6)):
        words = dice.choices(_WORDS, k=dice.randint(9, 15))
        marked = dice.randrange(len(words))
        words[marked] = dice.choice(("`{}`", "*{}*", "**{}**", "[{}](x.md)")).format(words[marked])
        lines.append(" ".join(words))
    return "\n".join(lines) + "."


def _list(dice: random.Random) -> Iterator[str]:
    for _ in range(dice.randint(3, 6)):
        yield f"- {_paragraph(dice)}".replace("\n", "\n  ")
        if dice.random() < 0.3:
            yield f"  - {_sentence(dice, 8)}"


def _table(dice: random.Random) -> Iterator[str]:
    yield "| what | median | bar |\n|---|---|---|"
    for _ in range(dice.randint(3, 8)):
        yield f"| {_sentence(dice, 3)} | {dice.random():.3f} | `{dice.choice(_WORDS)}` |"


def _quote(dice: random.Random) -> Iterator[str]:
    yield "> **Note**\n> " + _paragraph(dice).replace("\n", "\n> ")


def _code(dice: random.Random) -> Iterator[str]:
    yield "import torch\n"
    for _ in range(dice.randint(1, 3)):
        yield f"def {dice.choice(_WORDS)}_{dice.randrange(100)}(x, y):"
        for _ in range(dice.randint(2, 6)):
            name, operator = dice.choices(_WORDS, k=2)
            yield f"    {name} = torch.{operator}(x, dim={dice.randrange(4)})"
        yield "    return x + y\n"
