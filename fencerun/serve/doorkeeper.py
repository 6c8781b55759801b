"""Every request passes here first: the host it names, where it comes from, what it knows.

A page runs code, so whoever may ask for a run may run code. Three kinds of callers are kept out:
other machines (the server is bound to the loopback address), other sites in the author's browser
(cookie and word, `Origin`, and the `Host` header against a name that was made to point here), and
other users of the machine (the secret). Knows ASGI; does not know what the requests ask for.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import parse_qs

from fencerun.frozen import dataclass
from fencerun.serve.tokens import Tokens

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

#: Names of this machine that no name server can answer for. A port may follow: behind
#: `ssh -L` it is another one than ours.
HOSTS = ("127.0.0.1", "localhost", "[::1]")

#: The header that carries the word.
HEADER = "x-fencerun"

#: The parameter of the opened address that carries the secret.
PARAMETER = "token"

_SAFE = ("GET", "HEAD")

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)

#: On every answer, unless the answer says otherwise itself.
HEADERS = (
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("x-frame-options", "DENY"),
    ("cache-control", "no-store"),
)

# Not a redirect: a browser that came here from another site (a web terminal, say) counts all of a
# chain of redirects as that site's, and would not send a cookie that is SameSite=Strict.
_OPENED = """<!doctype html><meta charset="utf-8"><title>fencerun</title>
<link rel="icon" href="data:,"><meta http-equiv="refresh" content="0;url={where}">
<p><a href="{where}">Open the pages</a></p>
"""

_CLOSED = """<!doctype html><meta charset="utf-8"><title>fencerun</title>
<link rel="icon" href="data:,"><h1>This address needs its token</h1>
<p>Open the address that <code>fencerun serve</code> printed when it started. Each start makes
a new one.</p>
"""


@dataclass(frozen=True, slots=True)
class Doorkeeper:
    """Lets through to ``app`` what may pass."""

    app: App
    tokens: Tokens

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # a websocket: there are none here
        send = _with_headers(send)
        headers = _Headers(scope)
        why = self._foreign(scope, headers)
        if why:
            await _answer(send, 403, why)
        elif self._opening(scope):
            await self._open(scope, send)
        elif not self.tokens.reads(_cookie(headers, self.tokens.cookie_name)):
            await _answer(send, 401, _CLOSED, "text/html; charset=utf-8")
        elif scope["method"] not in _SAFE and not self.tokens.acts(headers.one(HEADER)):
            await _answer(send, 403, "the request lacks the word of the page")
        else:
            await self.app(scope, receive, send)

    def _foreign(self, scope: Scope, headers: _Headers) -> str:
        """Why a request is none of this site's pages; empty where it is."""
        host = headers.one("host")
        if _name(host) not in HOSTS:
            return "this server answers to 127.0.0.1 and localhost only"
        origin = headers.one("origin")
        if origin and origin != f"http://{host}":
            return "the request comes from another site"
        if scope["method"] in _SAFE:
            return ""
        if headers.one("sec-fetch-site") not in ("", "same-origin"):
            return "the request comes from another site"
        return ""

    def _opening(self, scope: Scope) -> bool:
        given = parse_qs(scope["query_string"].decode("latin-1")).get(PARAMETER, [""])[0]
        return scope["method"] == "GET" and self.tokens.opens(given)

    async def _open(self, scope: Scope, send: Send) -> None:
        """Hand out the cookie, and go on to the same address without the secret."""
        import html
        from urllib.parse import quote

        where = html.escape("/" + quote(scope["path"].lstrip("/")))
        cookie = (
            f"{self.tokens.cookie_name}={self.tokens.cookie}; Path=/; HttpOnly; SameSite=Strict"
        )
        body = _OPENED.format(where=where)
        await _answer(send, 200, body, "text/html; charset=utf-8", (("set-cookie", cookie),))


class _Headers:
    """The headers of a request. Of one that stands twice and may stand once, nothing is right."""

    def __init__(self, scope: Scope) -> None:
        self._found: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            self._found.setdefault(name.decode("latin-1").lower(), []).append(
                value.decode("latin-1")
            )

    def one(self, name: str) -> str:
        return ", ".join(self._found.get(name, []))

    def all(self, name: str) -> list[str]:
        return self._found.get(name, [])


def _name(host: str) -> str:
    """A `Host` header without its port."""
    name, colon, port = host.rpartition(":")
    return name.lower() if colon and port.isdigit() else host.lower()


def _cookie(headers: _Headers, name: str) -> str:
    """Our cookie. Others that this machine's servers have set may be of any form.

    `http.cookies` gives up at the first one that it does not like.
    """
    for header in headers.all("cookie"):
        for pair in header.split(";"):
            called, equals, value = pair.partition("=")
            if equals and called.strip() == name:
                return value.strip()
    return ""


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = list(message.get("headers", ()))
            names = {name.lower() for name, _ in given}
            given += (
                (name.encode(), value.encode())
                for name, value in HEADERS
                if name.encode() not in names
            )
            message = {**message, "headers": given}
        await send(message)

    return sending


async def _answer(
    send: Send,
    status: int,
    body: str,
    kind: str = "text/plain; charset=utf-8",
    more: tuple[tuple[str, str], ...] = (),
) -> None:
    data = body.encode()
    headers = (("content-type", kind), ("content-length", str(len(data))), *more)
    encoded = [(name.encode(), value.encode("latin-1")) for name, value in headers]
    await send({"type": "http.response.start", "status": status, "headers": encoded})
    await send({"type": "http.response.body", "body": data})
