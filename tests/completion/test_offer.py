"""What is offered, from the parsers themselves."""

from __future__ import annotations

import pytest

from fencerun import cli
from fencerun.completion.offer import Option, Value, Verb, verbs

FOUND = {verb.name: verb for verb in verbs(cli._parser())}


def option(verb: str, flag: str) -> Option:
    (found,) = (one for one in FOUND[verb].options if flag in one.flags)
    return found


def test_every_verb_is_there() -> None:
    assert list(FOUND) == list(cli.VERBS)
    assert {verb.name: verb.about for verb in FOUND.values()} == cli.VERBS


@pytest.mark.parametrize(
    ("verb", "flag", "value"),
    [
        ("check", "--diff", Value("words", ("unified", "side-by-side"))),
        ("check", "-x", None),
        ("check", "-j", None),
        ("check", "--python", Value("file")),
        ("check", "-k", Value("nothing")),
        ("matrix", "--report", Value("words", ("jsonl=",))),
    ],
)
def test_what_an_option_takes(verb: str, flag: str, value: Value | None) -> None:
    assert option(verb, flag).value == value


def test_lists_and_repetition() -> None:
    requires, only = option("check", "--requires").value, option("record", "--only").value
    assert requires is not None and only is not None
    assert requires.kind == only.kind == "list"
    assert {"cuda", "gpus", "slow"} <= set(requires.words)
    assert {"unrecorded", "orphan"} <= set(only.words)
    assert option("check", "--report").repeats and option("check", "-v").repeats
    assert not option("check", "--diff").repeats


@pytest.mark.parametrize(
    ("verb", "kind"),
    [("check", "page"), ("explain", "page"), ("init", "directory"), ("schema", "words")],
)
def test_arguments(verb: str, kind: str) -> None:
    arguments = FOUND[verb].arguments
    assert arguments is not None and arguments.kind == kind


@pytest.mark.parametrize("verb", FOUND.values(), ids=lambda verb: verb.name)
def test_every_option_of_every_verb_says_what_it_does(verb: Verb) -> None:
    assert verb.about
    assert not [one.flags for one in verb.options if not one.about]
