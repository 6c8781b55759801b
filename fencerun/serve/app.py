"""The addresses of the live page, and what each answers.

Knows Starlette and the `State` it is handed; what lessons are and how they run is behind that.

    GET  /                  the list of lessons, or the lesson where there is but one
    GET  /page/PATH         a lesson; an image beside one
    GET  /body/PATH         what of it changes when the page does, as JSON
    GET  /lessons           the list, and what is going on, as JSON
    GET  /search?q=WORDS    lines that hold the words, as JSON
    GET  /events?page=PATH  what happens, as Server-Sent Events
    GET  /static/NAME       the front end
    POST /act               {"verb": "run"|"record"|"stale"|"stop", "page": …, "fences": […]};
                            without a page, all of them are run
"""

from __future__ import annotations

import json
from dataclasses import asdict
from importlib.resources import files
from typing import Any, get_args

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from fencerun.serve import assets, shell
from fencerun.serve.doorkeeper import Doorkeeper
from fencerun.serve.state import Lesson, Order, State, Verb

#: Bytes of a request that acts: it names a page and fences.
_LARGEST = 64 << 10


def app(state: State) -> Starlette:
    """The application that shows ``state``."""
    routes = _Routes(state)
    return Starlette(
        routes=[
            Route("/", routes.index),
            Route("/page/{path:path}", routes.page),
            Route("/body/{path:path}", routes.body),
            Route("/lessons", routes.lessons),
            Route("/search", routes.search),
            Route("/events", routes.events),
            Route("/act", routes.act, methods=["POST"]),
            Mount("/static", _Static()),
        ],
        middleware=[Middleware(Doorkeeper, tokens=state.tokens)],
    )


class _Page(HTMLResponse):
    """A document. What is no text on a page or in its name shows as a question mark."""

    def render(self, content: str) -> bytes:
        return content.encode("utf-8", "replace")


class _Data(JSONResponse):
    """JSON that is ASCII, whatever is in it."""

    def render(self, content: Any) -> bytes:
        return json.dumps(content).encode()


class _Static(StaticFiles):
    """The front end's files, which a browser asks for again only where they changed."""

    def __init__(self) -> None:
        own = files("fencerun.serve") / "static"
        rendering = files("fencerun.rendering") / "static"
        super().__init__(directory=str(own))
        self.all_directories = [str(own), str(rendering)]

    def file_response(self, *args: Any, **named: Any) -> Response:
        response = super().file_response(*args, **named)
        response.headers["cache-control"] = "no-cache"
        return response


class _Routes:
    """One method for each address. Those that are not ``async`` run on threads."""

    def __init__(self, state: State) -> None:
        self.state = state

    def index(self, request: Request) -> Response:
        word, boot = self.state.tokens.word, self.state.hub.boot
        if not self.state.opened:
            return _Page(shell.reading(word, boot))
        lines = self.state.lines()
        if len(lines) == 1:
            return RedirectResponse(shell.address(lines[0].path), 303)
        return _Page(shell.overview(lines, word, boot))

    def page(self, request: Request) -> Response:
        path = request.path_params["path"]
        lesson = self.state.lesson(path)
        if lesson is not None:
            lines = self.state.lines()
            word, boot = self.state.tokens.word, self.state.hub.boot
            return _Page(shell.document(lesson, lines, word, boot))
        asset = assets.find(path, self.state.base, self.state.directories())
        if asset is None:
            lines = self.state.lines()
            missing = shell.missing(path, lines, self.state.tokens.word, self.state.hub.boot)
            return _Page(missing, 404)
        response = FileResponse(asset.path, media_type=asset.kind)
        response.headers["cache-control"] = "no-cache"
        if asset.kind == assets.KINDS[".svg"]:
            response.headers["content-security-policy"] = assets.SANDBOX
        return response

    def body(self, request: Request) -> Response:
        lesson = self.state.lesson(request.path_params["path"])
        if lesson is None:
            return PlainTextResponse("no such lesson", 404)
        return _Data(body_data(lesson))

    def lessons(self, request: Request) -> Response:
        at = self.state.hub.number  # before anything is looked at: what comes later is told again
        lines = [line.data() for line in self.state.lines()]
        return _Data({"at": at, "lessons": lines, **self.state.status()})

    def search(self, request: Request) -> Response:
        words = request.query_params.get("q", "")[:200]
        return _Data([asdict(hit) for hit in self.state.search(words)])

    async def events(self, request: Request) -> Response:
        query = request.query_params
        last = request.headers.get("last-event-id") or query.get("last")
        stream = self.state.hub.stream(query.get("page") or None, last)
        return StreamingResponse(stream, media_type="text/event-stream")

    async def act(self, request: Request) -> Response:
        try:
            order = _order(await _read(request))
        except ValueError as error:
            return PlainTextResponse(str(error), 400)
        why = await run_in_threadpool(self.state.act, order)
        return PlainTextResponse(why, 409) if why else PlainTextResponse("", 202)


def body_data(lesson: Lesson) -> dict[str, Any]:
    """What a browser needs to show a page that changed."""
    return {
        "path": lesson.line.path,
        "title": lesson.line.title,
        "version": lesson.version,
        "at": lesson.at,
        "body": lesson.body,
        "contents": shell.outline(lesson),
        "problems": shell.problems(lesson),
    }


async def _read(request: Request) -> bytes:
    """The body. Raises ValueError for one that is too large, or of another kind than JSON."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise ValueError("the request is not JSON")
    data = b""
    async for part in request.stream():
        data += part
        if len(data) > _LARGEST:
            raise ValueError("the request is too large")
    return data


def _order(data: bytes) -> Order:
    """What a request asks for. Raises ValueError where that makes no sense."""
    try:
        asked = json.loads(data)
    except (ValueError, RecursionError):
        raise ValueError("the request is not JSON") from None
    if not isinstance(asked, dict) or asked.get("verb") not in get_args(Verb):
        raise ValueError(f"the verbs are {', '.join(get_args(Verb))}")
    page, fences = asked.get("page", ""), asked.get("fences", [])
    if not isinstance(page, str) or not isinstance(fences, list):
        raise ValueError("`page` is a path, `fences` a list of numbers")
    if not all(type(number) is int and number > 0 for number in fences):
        raise ValueError("`fences` are numbers from 1")
    if not page and (fences or asked["verb"] == "record"):
        raise ValueError("which page?")
    return Order(asked["verb"], page, tuple(dict.fromkeys(fences)))
