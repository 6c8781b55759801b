"""Who is let in, and what every answer says."""

from __future__ import annotations

from typing import Any

import pytest

from fencerun.serve.doorkeeper import HEADERS, Doorkeeper

from .calling import ACTING, COOKIE, TOKENS, ask


async def inside(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"inside"})


DOOR = Doorkeeper(inside, TOKENS)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        pytest.param({}, 401, id="nothing"),
        pytest.param(COOKIE, 200, id="cookie"),
        pytest.param({"cookie": f"a=b; {COOKIE['cookie']}; c=d"}, 200, id="among others"),
        pytest.param({"cookie": f"{TOKENS.cookie_name}=wrong"}, 401, id="wrong cookie"),
        pytest.param({"cookie": f"{TOKENS.cookie_name}=é"}, 401, id="cookie beyond ASCII"),
        pytest.param({"cookie": f"{TOKENS.cookie_name}={TOKENS.secret}"}, 401, id="the secret"),
        pytest.param({"cookie": f"{TOKENS.cookie_name}={TOKENS.word}"}, 401, id="the word"),
        pytest.param({"x-fencerun": TOKENS.word}, 401, id="the word alone"),
        pytest.param({**COOKIE, "host": "localhost:9000"}, 200, id="through a tunnel"),
        pytest.param({**COOKIE, "host": "LOCALHOST"}, 200, id="no port"),
        pytest.param({**COOKIE, "host": "[::1]:80"}, 200, id="IPv6"),
        pytest.param({**COOKIE, "host": "evil.example:8025"}, 403, id="rebound name"),
        pytest.param({**COOKIE, "host": "127.0.0.1.evil.example"}, 403, id="name that begins so"),
        pytest.param({**COOKIE, "host": "localhost.evil.example:1"}, 403, id="and another"),
        pytest.param({**COOKIE, "host": "127.0.0.1@evil.example"}, 403, id="user part"),
        pytest.param({**COOKIE, "host": "192.168.1.5:8025"}, 403, id="another address"),
        pytest.param({**COOKIE, "host": ""}, 403, id="no host"),
        pytest.param({**COOKIE, "origin": "http://evil.example"}, 403, id="another origin"),
        pytest.param({**COOKIE, "origin": "null"}, 403, id="sandboxed origin"),
        pytest.param({**COOKIE, "origin": "https://127.0.0.1:8025"}, 403, id="another scheme"),
        pytest.param({**COOKIE, "origin": "http://127.0.0.1:9999"}, 403, id="another port"),
        pytest.param({**COOKIE, "origin": "http://127.0.0.1:8025"}, 200, id="own origin"),
    ],
)
def test_reading(headers: dict[str, str], status: int) -> None:
    assert ask(DOOR, "GET", "/", headers).status == status


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        pytest.param(ACTING, 200, id="page's script"),
        pytest.param(COOKIE, 403, id="no word"),
        pytest.param({**ACTING, "x-fencerun": "wrong"}, 403, id="wrong word"),
        pytest.param({**ACTING, "x-fencerun": TOKENS.cookie}, 403, id="cookie as word"),
        pytest.param({**ACTING, "origin": "http://evil.example"}, 403, id="another site"),
        pytest.param({**ACTING, "sec-fetch-site": "cross-site"}, 403, id="browser says so"),
        pytest.param({**ACTING, "sec-fetch-site": "same-site"}, 403, id="another port"),
        pytest.param({**ACTING, "sec-fetch-site": "same-origin"}, 200, id="own"),
        pytest.param({**ACTING, "cookie": ""}, 401, id="no cookie"),
    ],
)
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_acting(method: str, headers: dict[str, str], status: int) -> None:
    assert ask(DOOR, method, "/act", headers).status == status


def test_the_opened_address_gives_the_cookie() -> None:
    answer = ask(DOOR, "GET", f"/page/a%20b.md?token={TOKENS.secret}")
    assert answer.status == 200
    cookie = answer.headers["set-cookie"]
    assert COOKIE["cookie"] in cookie
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= {part.strip() for part in cookie.split(";")}
    assert TOKENS.secret not in answer.text + cookie
    assert "inside" not in answer.text


def test_a_ticket_opens_once() -> None:
    target = f"/?token={TOKENS.ticket()}"
    assert [ask(DOOR, "GET", target).status for _ in range(2)] == [200, 401]
    assert ask(DOOR, "GET", f"/?token={TOKENS.secret}").status == 200


@pytest.mark.parametrize("token", ["", "wrong", "the-secre", "the-secret2", "%00", "é"])
def test_a_wrong_token_opens_nothing(token: str) -> None:
    answer = ask(DOOR, "GET", f"/?token={token}")
    assert answer.status == 401
    assert "set-cookie" not in answer.headers


def test_the_opened_address_goes_nowhere_else() -> None:
    answer = ask(DOOR, "GET", f"//evil.example/?token={TOKENS.secret}")
    assert 'url=/evil.example/"' in answer.text


def test_a_token_does_not_make_a_foreign_host_ours() -> None:
    target = f"/?token={TOKENS.secret}"
    assert ask(DOOR, "GET", target, {"host": "evil.example"}).status == 403


@pytest.mark.parametrize("headers", [COOKIE, {}, {"host": "evil.example"}])
def test_every_answer_is_hardened(headers: dict[str, str]) -> None:
    said = ask(DOOR, "GET", "/", headers).headers
    assert {name: said[name] for name, _ in HEADERS} == dict(HEADERS)
    assert "unsafe" not in said["content-security-policy"]


def test_two_servers_have_two_cookies() -> None:
    from fencerun.serve import tokens

    one, other = tokens.fresh(), tokens.fresh()
    assert one.cookie_name != other.cookie_name
    assert not other.reads(one.cookie)


def test_no_websocket() -> None:
    import asyncio

    async def refuse(message: Any) -> None:
        raise AssertionError(message)

    asyncio.run(DOOR({"type": "websocket", "headers": []}, None, refuse))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "other",
    [
        pytest.param('settings={"wide":true}', id="JSON"),
        pytest.param("said=two words", id="a blank"),
        pytest.param("said=é", id="beyond ASCII"),
        pytest.param("bare", id="no value"),
        pytest.param("path=/", id="an attribute's name"),
        pytest.param('open="', id="a quote"),
        pytest.param("a[b]=c", id="brackets"),
        pytest.param("", id="nothing"),
    ],
)
def test_what_other_servers_of_this_machine_set_is_passed_over(other: str) -> None:
    """A browser sends the cookies of all ports of 127.0.0.1 to each."""
    ours = COOKIE["cookie"]
    for sent in (f"{other}; {ours}", f"{ours}; {other}", f"{other};{ours};{other}"):
        assert ask(DOOR, "GET", "/", {"cookie": sent}).status == 200, sent
