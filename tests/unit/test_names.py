"""Which fence makes a name."""

from __future__ import annotations

import pytest

from fencerun.names import bound, maker
from fencerun.reader import parse


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("opt = 1", {"opt"}),
        ("a, (b, *c) = x", {"a", "b", "c"}),
        ("import torch.nn as nn, os.path", {"nn", "os"}),
        ("from m import y as z", {"z"}),
        ("def f(arg):\n    inner = 1", {"f"}),
        ("class K:\n    field = 1", {"K"}),
        ("for i in x:\n    with y as w:\n        v = 1", {"i", "w", "v"}),
        ("if (n := 3): pass", {"n"}),
        ("try:\n    pass\nexcept E as e:\n    pass", {"e"}),
        ("x.attr = 1; d[k] = 2", set()),
        ("this is not python", set()),
    ],
)
def test_bound(code: str, names: set[str]) -> None:
    assert set(bound(code)) == names


def test_maker_is_the_last_that_binds_it() -> None:
    text = "```python fence:1\nopt = 1\n```\n\n```python fence:2\nopt = 2\n```\n"
    fences = parse(text.encode()).fences
    found = maker("opt", fences)
    assert found is not None
    assert found.number == 2
    assert maker("missing", fences) is None
