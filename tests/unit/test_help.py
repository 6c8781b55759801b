"""`--help` of every verb: examples that can be pasted."""

from __future__ import annotations

import re
import shlex

import pytest

from fencerun import cli


def shown(*words: str, capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as end:
        cli.main([*words, "--help"])
    assert end.value.code == 0
    return capsys.readouterr().out


def examples(text: str) -> list[list[str]]:
    """The commands under "examples:", without what stands in a column of its own behind them."""
    lines = text.partition("\nexamples:\n")[2].partition("\n\n")[0].splitlines()
    commands = (line.partition("fencerun ")[2] for line in lines)
    return [shlex.split(re.split(r"\)?  |\)$| > ", command)[0]) for command in commands]


@pytest.mark.parametrize("verb", cli.VERBS)
def test_examples(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(verb, capsys=capsys)
    assert "\nexamples:\n" in text
    commands = examples(text)
    assert commands and all(words[0] == verb for words in commands), commands
    for words in commands:
        cli._parser(words).parse_args(words)


@pytest.mark.parametrize("verb", [*cli.VERBS, ""])
def test_lines_fit(
    verb: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    cli._columns.cache_clear()
    try:
        text = shown(*filter(None, [verb]), capsys=capsys)
    finally:
        cli._columns.cache_clear()
    assert [line for line in text.splitlines() if len(line) > 100] == []


def test_every_verb_has_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys=capsys)
    for verb in cli.VERBS:
        assert re.search(rf"^    {verb} ", text, re.MULTILINE)
