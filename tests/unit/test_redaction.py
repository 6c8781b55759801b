"""What no page and no report may show."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fencerun.canonical import canonical
from fencerun.events import DiffLine, Verdict
from fencerun.redaction import NOTHING, from_environment
from fencerun.result import Failure, Leak, Outcome, ValueResult

SECRET = "s3cret-of-mine"


@pytest.mark.parametrize(
    ("name", "value", "hidden"),
    [
        ("HF_TOKEN", SECRET, True),
        ("aws_secret_access_key", SECRET, True),
        ("DB_PASSWORD_2", SECRET, True),
        ("API_KEY", f"  {SECRET}\n", True),
        ("HF_TOKEN", "short77", False),
        ("HF_TOKEN", "        ", False),
        ("HOME", SECRET, False),
        ("PASSWD", SECRET, False),
    ],
)
def test_the_name_and_the_length_make_a_secret(name: str, value: str, hidden: bool) -> None:
    secrets = from_environment({name: value})
    assert secrets.text(f"<{value}>") == f"<{value}>".replace(SECRET, "***" if hidden else SECRET)
    assert (secrets is NOTHING) is not hidden


def test_the_longest_of_several_is_replaced() -> None:
    secrets = from_environment({"A_KEY": "abcdefgh", "B_KEY": "abcdefgh12345678"})
    assert secrets.text("abcdefgh12345678 abcdefgh") == "*** ***"


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("<abcdefgh1234ijklmnop>", "<***>"),
        ("abcdefgh1234 1234ijklmnop", "*** ***"),
        ("abcdefgh1234abcdefgh1234", "******"),
        ("abcdefgh1234ijkl", "***ijkl"),
    ],
)
def test_no_end_of_a_secret_shows_where_two_overlap(said: str, shown: str) -> None:
    secrets = from_environment({"A_KEY": "abcdefgh1234", "B_KEY": "1234ijklmnop"})
    assert secrets.text(said) == shown


KEY = "-----BEGIN KEY-----\nMIIEvQIBADANBg\nkqh\n-----END KEY-----"


@pytest.mark.parametrize(
    "shown",
    [KEY, "MIIEvQIBADANBg", repr(KEY), json.dumps(KEY), KEY.replace("\n", "\r\n")],
    ids=["whole", "a line", "repr", "JSON", "CRLF"],
)
def test_a_secret_of_several_lines_is_hidden_in_each_form(shown: str) -> None:
    secrets = from_environment({"DEPLOY_KEY": KEY})
    assert "MIIE" not in secrets.text(shown)


def test_quotes_and_backslashes_are_hidden_as_they_are_quoted() -> None:
    value = "a\"b\\c'd€€€"
    secrets = from_environment({"X_TOKEN": value})
    assert secrets.text(value) == "***"
    quoted = (repr(value), ascii(value), json.dumps(value), json.dumps(value, ensure_ascii=False))
    for shown in (*quoted, repr(value.encode())[1:]):
        assert secrets.text(shown) == f"{shown[0]}***{shown[-1]}"


@pytest.mark.parametrize(
    "output",
    [
        SECRET.encode(),
        f"\x1b[31m{SECRET[:4]}\x1b[0m{SECRET[4:]}".encode(),
        f"{SECRET[:4]}x\b{SECRET[4:]}".encode(),
        f"overwritten\r{SECRET}".encode(),
        b"a" * 5000 + SECRET.encode() + b"b" * 5000,
    ],
    ids=["plain", "in colour", "corrected", "overwriting", "in a long line"],
)
def test_canonical_output_holds_none(output: bytes) -> None:
    secrets = from_environment({"X_TOKEN": SECRET})
    lines = canonical(output, limit=1024, secrets=secrets)
    assert SECRET not in "\n".join(lines)
    assert SECRET[-8:] not in "\n".join(lines)


def test_bytes_that_are_not_utf8_are_hidden_as_they_are_shown() -> None:
    value = b"\xff\xfesecretive".decode("utf-8", "surrogateescape")
    secrets = from_environment({"X_TOKEN": value})
    assert canonical(b"\xff\xfesecretive", secrets=secrets) == ("***",)


def test_every_text_of_a_value_is_searched_and_handles_stay() -> None:
    secrets = from_environment({"X_TOKEN": SECRET})
    failure = Failure(
        "exception", SECRET, traceback=SECRET, message=SECRET, values=(("x", SECRET),)
    )
    leak = Leak("variable X", SECRET, SECRET)
    outcome = Outcome(
        failure=failure,
        leaks=(leak,),
        values=(ValueResult(SECRET), ValueResult(None, SECRET)),
        figures=(f"<svg>{SECRET}</svg>",),
        replaced=SECRET,
    )
    assert SECRET not in repr(secrets.of(outcome))
    page = f"{SECRET}.md"
    verdict = Verdict(
        f"{page}::1", "changed", page, 1, 1, SECRET, SECRET, SECRET,
        diff=(DiffLine("-", SECRET, 3),), failure=failure, leaks=(leak,), output=SECRET,
        stderr=SECRET, source=SECRET, printed=(SECRET,), values=(SECRET,), figures=(SECRET,),
    )  # fmt: skip
    hidden = secrets.of(verdict)
    assert (hidden.id, hidden.page) == (verdict.id, page)
    assert repr(hidden).count(SECRET) == 2
    assert secrets.of(hidden) is hidden


def test_knowing_no_secret_changes_nothing() -> None:
    outcome = Outcome(figures=("x",))
    assert NOTHING.of(outcome) is outcome
    assert NOTHING.text("x") == "x"


NO_STARS = st.characters(codec="utf-8", exclude_characters="*")


@given(st.text(NO_STARS, min_size=8).filter(lambda t: len(t.strip()) >= 8), st.text(), st.text())
def test_no_secret_survives(value: str, before: str, after: str) -> None:
    secrets = from_environment({"X_TOKEN": value})
    whole = value.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace").strip()
    assert whole not in secrets.text(before + value + after)
