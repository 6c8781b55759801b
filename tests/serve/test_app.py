"""The routes, asked without a server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from starlette.applications import Starlette

from fencerun.serve.app import app
from fencerun.serve.assets import SANDBOX
from fencerun.serve.state import Order

from .calling import ACTING, COOKIE, Listed, ask

HOSTILE = "<script>alert(1)</script>.md"


@pytest.fixture
def state(tmp_path: Path) -> Listed:
    (tmp_path / "lessons/figures").mkdir(parents=True)
    (tmp_path / "lessons/figures/a.svg").write_text("<svg/>")
    pages = {"lessons/a.md": "<p>body of a</p>", "lessons/b c.md": "<p>b</p>", HOSTILE: ""}
    return Listed(pages, tmp_path)


@pytest.fixture
def served(state: Listed) -> Starlette:
    return app(state)


def test_the_list(served: Starlette) -> None:
    answer = ask(served, "GET", "/", COOKIE)
    assert answer.status == 200
    assert 'href="/page/lessons/b%20c.md"' in answer.text
    assert "<script>alert" not in answer.text


def test_what_is_no_text_breaks_no_answer(tmp_path: Path) -> None:
    name, body = b"caf\xe9.md".decode("utf-8", "surrogateescape"), "<p>caf\udce9</p>"
    served = app(Listed({name: body, "a.md": body}, tmp_path))
    for target in ("/", "/page/a.md", "/body/a.md", "/lessons", "/search?q=%ff"):
        assert ask(served, "GET", target, COOKIE).status == 200, target


def test_one_lesson_is_shown_at_once(tmp_path: Path) -> None:
    answer = ask(app(Listed({"a b.md": ""}, tmp_path)), "GET", "/", COOKIE)
    assert (answer.status, answer.headers["location"]) == (303, "/page/a%20b.md")


def test_the_first_answer_does_not_wait_for_the_lessons(served: Starlette, state: Listed) -> None:
    state.opened = False
    answer = ask(served, "GET", "/", COOKIE)
    assert (answer.status, "Reading" in answer.text) == (200, True)
    assert "lessons/a.md" not in answer.text


def test_a_lesson(served: Starlette, state: Listed) -> None:
    answer = ask(served, "GET", "/page/lessons/a.md", COOKIE)
    assert '<div id="ui:body" class="page"><p>body of a</p></div>' in answer.text
    assert f'data-word="{state.tokens.word}"' in answer.text
    assert state.tokens.cookie not in answer.text
    assert state.tokens.secret not in answer.text


def test_no_document_has_script_or_style_in_it(served: Starlette) -> None:
    text = ask(served, "GET", "/page/lessons/a.md", COOKIE).text
    assert " style=" not in text
    assert "<style" not in text
    assert text.count("<script") == text.count("<script src=") + text.count(
        '<script type="module" src='
    )


@pytest.mark.parametrize("target", ["/page/nothing.md", "/page/", "/page/lessons", "/nowhere"])
def test_no_such_address(served: Starlette, target: str) -> None:
    assert ask(served, "GET", target, COOKIE).status == 404


def test_a_missing_page_is_named_as_text(served: Starlette) -> None:
    answer = ask(served, "GET", "/page/<img src=x>.md", COOKIE)
    assert "<img" not in answer.text
    assert "&lt;img src=x&gt;" in answer.text


def test_a_figure_is_a_document_without_rights(served: Starlette) -> None:
    answer = ask(served, "GET", "/page/lessons/figures/a.svg", COOKIE)
    assert (answer.body, answer.headers["content-type"]) == (b"<svg/>", "image/svg+xml")
    assert answer.headers["content-security-policy"] == SANDBOX
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_the_body_and_the_place_in_the_stream(served: Starlette, state: Listed) -> None:
    state.hub.publish("run", {})
    answer = json.loads(ask(served, "GET", "/body/lessons/a.md", COOKIE).text)
    assert answer["body"] == "<p>body of a</p>"
    assert (answer["at"], answer["version"]) == (1, "v1")
    assert ask(served, "GET", "/body/none.md", COOKIE).status == 404


def test_search(served: Starlette) -> None:
    found = json.loads(ask(served, "GET", "/search?q=one+two", COOKIE).text)
    assert found[0] == {
        "path": "lessons/a.md",
        "title": "lessons/a.md",
        "number": 1,
        "text": "one two",
    }


def test_lessons(served: Starlette) -> None:
    found = json.loads(ask(served, "GET", "/lessons", COOKIE).text)
    assert [line["path"] for line in found["lessons"]] == [
        "lessons/a.md",
        "lessons/b c.md",
        HOSTILE,
    ]
    assert found["run"] == {"running": False}


@pytest.mark.parametrize(
    "name", ["app.js", "serve.css", "page.css", "icon.svg", "theme.js", "morph.js"]
)
def test_the_front_end(served: Starlette, name: str) -> None:
    answer = ask(served, "GET", f"/static/{name}", COOKIE)
    assert answer.status == 200
    assert answer.body
    again = ask(
        served, "GET", f"/static/{name}", {**COOKIE, "if-none-match": answer.headers["etag"]}
    )
    assert again.status == 304


@pytest.mark.parametrize(
    "name", ["../app.py", "..%2fapp.py", "../../pyproject.toml", "none.js", ""]
)
def test_the_front_end_and_nothing_else(served: Starlette, name: str) -> None:
    assert ask(served, "GET", f"/static/{name}", COOKIE).status == 404


def test_all_of_it_needs_the_cookie(served: Starlette) -> None:
    for target in ("/", "/page/lessons/a.md", "/body/lessons/a.md", "/lessons", "/search?q=a",
                   "/events", "/static/app.js", "/page/lessons/figures/a.svg"):  # fmt: skip
        assert ask(served, "GET", target).status == 401, target


@pytest.mark.parametrize(
    ("asked", "order"),
    [
        ({"verb": "run", "page": "a.md"}, Order("run", "a.md")),
        ({"verb": "run", "page": "a.md", "fences": [3, 1, 3]}, Order("run", "a.md", (3, 1))),
        ({"verb": "record", "page": "a.md", "fences": [2]}, Order("record", "a.md", (2,))),
        ({"verb": "stale", "page": "a.md"}, Order("stale", "a.md")),
        ({"verb": "stop"}, Order("stop")),
        ({"verb": "run"}, Order("run")),
    ],
    ids=str,
)
def test_orders(served: Starlette, state: Listed, asked: object, order: Order) -> None:
    answer = ask(served, "POST", "/act", ACTING, json.dumps(asked).encode())
    assert answer.status == 202
    assert state.orders == [order]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"nonsense",
        b"\xff",
        b"[]",
        b"3",
        b'{"verb": "erase", "page": "a.md"}',
        b'{"verb": ["run"], "page": "a.md"}',
        b'{"verb": "record"}',
        b'{"verb": "run", "fences": [1]}',
        b'{"verb": "run", "page": 3}',
        b'{"verb": "run", "page": "a.md", "fences": "1"}',
        b'{"verb": "run", "page": "a.md", "fences": [0]}',
        b'{"verb": "run", "page": "a.md", "fences": [true]}',
        b'{"verb": "run", "page": "a.md", "fences": [1.5]}',
        b'{"verb": "run", "page": "a.md", "fences": [[1]]}',
        b"[" * 50_000,
        b'{"verb": "run", "page": "' + b"a" * 70_000 + b'"}',
    ],
    ids=lambda body: repr(body[:40]),
)
def test_what_is_no_order(served: Starlette, state: Listed, body: bytes) -> None:
    assert ask(served, "POST", "/act", ACTING, body).status == 400
    assert state.orders == []


def test_an_order_is_json_by_its_type(served: Starlette, state: Listed) -> None:
    # A form of another site can send text/plain without asking; the rest asks first.
    headers = {**ACTING, "content-type": "text/plain"}
    assert ask(served, "POST", "/act", headers, b'{"verb": "stop"}').status == 400
    assert state.orders == []


def test_why_an_order_is_refused(served: Starlette, state: Listed) -> None:
    state.refusal = "there is no fence 9"
    answer = ask(served, "POST", "/act", ACTING, b'{"verb": "run", "page": "a.md", "fences": [9]}')
    assert (answer.status, answer.text) == (409, "there is no fence 9")


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_acting_is_posting(served: Starlette, state: Listed, method: str) -> None:
    assert ask(served, method, "/act", ACTING, b'{"verb": "stop"}').status == 405
    assert state.orders == []
