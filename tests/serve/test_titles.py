"""What lessons are called in a list."""

from __future__ import annotations

import pytest

from fencerun.reader import parse
from fencerun.serve.titles import Titles, title


@pytest.mark.parametrize(
    ("text", "called"),
    [
        pytest.param("# One\n", "One", id="heading"),
        pytest.param("Words\n\n# One ##\n", "One", id="closed heading"),
        pytest.param("## Two\n", "Two", id="second level"),
        pytest.param("---\ntitle: \"25. Operators\"\n---\n# Other\n", "25. Operators", id="front"),
        pytest.param("---\ntitle: It's so\n---\n", "It's so", id="bare"),
        pytest.param("---\r\ntitle: 'A'\r\n---\r\n", "A", id="CRLF"),
        pytest.param("---\nx: 1\n---\n\n# After\n", "After", id="front without"),
        pytest.param("---\ntitle: never closed\n# A\n", "A", id="front that is none"),
        pytest.param("title: no\n\n# A\n", "A", id="title in prose"),
        pytest.param("# `code`, *stress*, **more**\n", "code, stress, more", id="marks"),
        pytest.param("# snake_case_name\n", "snake_case_name", id="inner underscores"),
        pytest.param("# [A link](x.md) here\n", "A link here", id="link"),
        pytest.param("```sh\n# comment\n```\n", "", id="in code"),
        pytest.param("#no heading\n", "", id="no blank"),
        pytest.param("", "", id="empty"),
    ],
)  # fmt: skip
def test_title(text: str, called: str) -> None:
    assert title(text) == called


def test_a_page_without_a_title_goes_by_its_path() -> None:
    titles = Titles()
    assert titles.of(parse(b"Words.\n", "a/b.md")) == "a/b.md"
    assert titles.of(parse(b"# New\n", "a/b.md")) == "New"
