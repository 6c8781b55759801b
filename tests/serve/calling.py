"""An ASGI application asked without a server, and a state that is a list of pages."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fencerun.serve import tokens
from fencerun.serve.doorkeeper import App
from fencerun.serve.hub import Hub
from fencerun.serve.state import Hit, Lesson, Line, Order


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()


def ask(
    app: App, method: str, target: str, headers: Mapping[str, str] | None = None, body: bytes = b""
) -> Answer:
    """One request."""
    path, _, query = target.partition("?")
    said = {"host": "127.0.0.1:8025", **(headers or {})}
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(n.lower().encode(), v.encode("latin-1")) for n, v in said.items()],
        "client": ("127.0.0.1", 50000),
        "server": ("127.0.0.1", 8025),
    }
    return asyncio.run(_ask(app, scope, body))


async def _ask(app: App, scope: dict[str, Any], body: bytes) -> Answer:
    sent: list[Any] = []
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Any:
        if waiting:
            return waiting.pop()
        return await asyncio.sleep(3600)

    async def send(message: Any) -> None:
        sent.append(message)

    await asyncio.wait_for(app(scope, receive, send), 30)
    if not sent:
        return Answer(0, {}, b"")
    headers = {n.decode(): v.decode("latin-1") for n, v in sent[0]["headers"]}
    return Answer(sent[0]["status"], headers, b"".join(m.get("body", b"") for m in sent[1:]))


TOKENS = tokens.Tokens("the-secret")

#: What a browser that was let in sends.
COOKIE = {"cookie": f"{TOKENS.cookie_name}={TOKENS.cookie}"}

#: What its script sends with a request that acts.
ACTING = {
    **COOKIE,
    "x-fencerun": TOKENS.word,
    "origin": "http://127.0.0.1:8025",
    "content-type": "application/json",
}


@dataclass
class Listed:
    """A `State` of pages that are given. ``orders`` are those that came in."""

    pages: Mapping[str, str]
    base: Path = Path("/nowhere")
    tokens: tokens.Tokens = TOKENS
    hub: Hub = field(default_factory=lambda: Hub("boot"))
    orders: list[Order] = field(default_factory=list)
    refusal: str = ""
    opened: bool = True

    def status(self) -> dict[str, Any]:
        return {"run": {"running": False}, "about": "", "trouble": {}}

    def lines(self) -> Sequence[Line]:
        return [Line(path, f"Title of {path}") for path in self.pages]

    def lesson(self, path: str) -> Lesson | None:
        if path not in self.pages:
            return None
        line = Line(path, f"Title of {path}")
        return Lesson(line, self.pages[path], (), (), "v1", self.hub.number, path)

    def directories(self) -> Sequence[Path]:
        return [(self.base / path).parent for path in self.pages]

    def search(self, words: str) -> Sequence[Hit]:
        return [Hit(path, path, 1, words) for path in self.pages]

    def act(self, order: Order) -> str:
        self.orders.append(order)
        return self.refusal
