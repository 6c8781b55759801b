"""The server in this process, over real sockets: streams that end, and readers that do not read."""

from __future__ import annotations

import http.client
import time
from collections.abc import Callable, Iterator

import pytest

from fencerun.serve.app import app
from fencerun.serve.server import HOST, Server, bind

from .calling import COOKIE, Listed


@pytest.fixture
def state() -> Listed:
    return Listed({"a.md": "<p>a</p>"})


@pytest.fixture
def server(state: Listed) -> Iterator[Server]:
    with Server(app(state), state.hub, bind(0)) as server:
        yield server
    assert not server.alive


def connect(
    server: Server, last: str = ""
) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
    connection = http.client.HTTPConnection(HOST, server.port, timeout=20)
    headers = {**COOKIE, **({"Last-Event-ID": last} if last else {})}
    connection.request("GET", "/events?page=a.md", headers=headers)
    answer = connection.getresponse()
    assert answer.status == 200
    return connection, answer


def until(answer: http.client.HTTPResponse, what: bytes) -> bytes:
    said = b""
    while what not in said:
        line = answer.readline()
        assert line, said
        said += line
    return said


def eventually(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_messages_arrive_and_a_reader_that_comes_back_misses_none(
    server: Server, state: Listed
) -> None:
    connection, answer = connect(server)
    until(answer, b"event: hello")
    state.hub.publish("run", {"turn": 1})
    last = until(answer, b'"turn": 1').partition(b"id: boot-")[2].split()[0].decode()
    answer.close()
    connection.close()
    state.hub.publish("run", {"turn": 2})
    connection, answer = connect(server, f"boot-{last}")
    assert b'"turn": 1' not in until(answer, b'"turn": 2')
    answer.close()
    connection.close()


def test_a_window_that_is_closed_is_forgotten(server: Server, state: Listed) -> None:
    connection, answer = connect(server)
    eventually(lambda: state.hub.readers == 1)
    answer.close()
    connection.close()
    eventually(lambda: state.hub.readers == 0)


def test_a_reader_that_does_not_read_holds_nobody_up(server: Server, state: Listed) -> None:
    stuck, _ = connect(server)
    connection, answer = connect(server)
    eventually(lambda: state.hub.readers == 2)
    for turn in range(2000):
        state.hub.publish("fence", {"panel": "x" * 10_000, "turn": turn}, "a.md")
        until(answer, b'"turn": %d}' % turn)
    begin = time.monotonic()
    server.close()
    assert time.monotonic() - begin < 10
    assert answer.read() is not None
    answer.close()
    connection.close()
    stuck.close()
