"""The event stream: what a reader gets, and what one that does not read costs."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator

import pytest

from fencerun.serve import hub as module
from fencerun.serve.hub import Hub


async def next_of(stream: AsyncIterator[bytes], count: int) -> list[bytes]:
    return [await asyncio.wait_for(stream.__anext__(), 10) for _ in range(count)]


def kinds(frames: list[bytes]) -> list[str]:
    lines = b"".join(frames).decode().splitlines()
    return [line.removeprefix("event: ") for line in lines if line.startswith("event: ")]


def first(hub: Hub, page: str | None, last: str | None, count: int) -> list[str]:
    return kinds(asyncio.run(next_of(hub.stream(page, last), count)))


def test_a_new_reader_is_greeted_with_where_it_is() -> None:
    hub = Hub("boot")
    hub.publish("run", {})
    frames = asyncio.run(next_of(hub.stream(None, None), 2))
    assert b"id: boot-1\n" in frames[1]
    assert json.loads(frames[1].decode().split("data: ")[1]) == {"boot": "boot", "fresh": True}


def test_what_was_missed_is_sent_again() -> None:
    hub = Hub("boot")
    for kind in ("run", "line", "gone"):
        hub.publish(kind, {})
    assert first(hub, None, "boot-1", 3) == ["line", "gone"]


def test_messages_of_another_page_are_not_sent() -> None:
    hub = Hub("boot")
    hub.publish("fence", {}, "a.md")
    hub.publish("fence", {}, "b.md")
    hub.publish("run", {})
    assert first(hub, "b.md", "boot-0", 3) == ["fence", "run"]


@pytest.mark.parametrize("last", ["other-1", "boot-99", "boot-", "boot", "-1", "boot--1", "boot-²",
             f"boot-{'9' * 5000}"])  # fmt: skip
def test_a_place_that_is_not_known_means_all_anew(last: str) -> None:
    hub = Hub("boot")
    hub.publish("run", {})
    assert first(hub, None, last, 2) == ["hello"]


def test_a_place_that_is_too_long_ago_means_all_anew() -> None:
    hub = Hub("boot")
    for _ in range(module.KEPT + 2):
        hub.publish("run", {})
    assert first(hub, None, "boot-1", 2) == ["hello"]
    assert first(hub, None, "boot-2", 2) == ["run"]


def test_publishing_from_other_threads_keeps_the_order() -> None:
    hub = Hub("boot")

    async def read() -> list[bytes]:
        stream = hub.stream(None, "boot-0")
        got = await next_of(stream, 1)
        threads = [threading.Thread(target=hub.publish, args=("run", {})) for _ in range(40)]
        for thread in threads:
            thread.start()
        got += await next_of(stream, 40)
        for thread in threads:
            thread.join()
        return got

    lines = b"".join(asyncio.run(read())).decode().splitlines()
    ids = [line for line in lines if line.startswith("id: ")]
    assert ids == [f"id: boot-{number}" for number in range(1, 41)]


def test_a_slow_reader_is_dropped_and_the_others_are_not() -> None:
    hub = Hub("boot")

    async def read() -> tuple[int, int]:
        slow, quick = hub.stream(None, None), hub.stream(None, None)
        await next_of(slow, 2)
        await next_of(quick, 2)
        for _ in range(module.SLACK + 10):
            hub.publish("run", {})
            await next_of(quick, 1)
        rest = [frame async for frame in slow]
        return len(rest), hub.readers

    left, readers = asyncio.run(asyncio.wait_for(read(), 30))
    assert left == module.SLACK
    assert readers == 1


def test_closing_ends_every_stream_and_those_to_come() -> None:
    hub = Hub("boot")

    async def read() -> list[list[str]]:
        early = hub.stream(None, None)
        got = await next_of(early, 2)
        threading.Thread(target=hub.close).start()
        got += [frame async for frame in early]
        late = [frame async for frame in hub.stream(None, None)]
        return [kinds(got), kinds(late)]

    assert asyncio.run(asyncio.wait_for(read(), 30)) == [["hello"], ["hello"]]
    assert hub.readers == 0


def test_a_quiet_stream_beats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BEAT", 0.01)
    frames = asyncio.run(next_of(Hub("boot").stream(None, None), 3))
    assert frames[2] == b": beat\n\n"


def test_text_with_line_breaks_stays_one_message() -> None:
    hub = Hub("boot")
    hub.publish("fence", {"panel": "a\nb\r\n\ndata: c\u2028"})
    frame = asyncio.run(next_of(hub.stream(None, "boot-0"), 2))[1].decode()
    assert frame.count("\n") == 4
    assert json.loads(frame.split("data: ", 1)[1]) == {"panel": "a\nb\r\n\ndata: c\u2028"}
