"""`fencerun serve` as a process: how it starts, and that it ends with nothing left."""

from __future__ import annotations

import http.cookiejar
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from fencerun.worker import children

from .conftest import Served, start

ENDLESS = "```python fence:1\nimport time\nwhile True:\n    time.sleep(0.1)\n```\n"


class Client:
    """A browser without a screen."""

    def __init__(self, served: Served) -> None:
        self.base = served.base
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self._opener = urllib.request.build_opener(cookies)
        self._opener.open(served.address, timeout=30).close()
        with self._opener.open(f"{self.base}/", timeout=30) as answer:
            self.word = answer.read().decode().partition('data-word="')[2].partition('"')[0]

    def get(self, target: str) -> Any:
        with self._opener.open(self.base + target, timeout=30) as answer:
            return json.load(answer)

    def act(self, **order: Any) -> int:
        headers = {"content-type": "application/json", "x-fencerun": self.word}
        request = urllib.request.Request(
            f"{self.base}/act", json.dumps(order).encode(), headers, method="POST"
        )
        with self._opener.open(request, timeout=30) as answer:
            return int(answer.status)

    def stream(self) -> Any:
        return self._opener.open(f"{self.base}/events?page=a.md", timeout=30)


def wait_for(holds: Any) -> None:
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_ends_with_no_process_left(tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "a.md").write_text(ENDLESS)
    served = start(tmp_path)
    client = Client(served)
    stream = client.stream()
    client.act(verb="run", page="a.md")
    wait_for(lambda: client.get("/lessons")["lessons"][0]["state"] == "running")
    below = children.descendants(served.process.pid)
    assert below
    served.process.send_signal(number)
    assert served.process.wait(20) == 0
    wait_for(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in below))
    assert stream.read() is not None  # it ended, and was not cut off
    stream.close()
    assert "Traceback" not in "".join(served.said)


def test_the_stop_button_ends_the_run(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(ENDLESS)
    served = start(tmp_path)
    try:
        client = Client(served)
        client.act(verb="run", page="a.md")
        wait_for(lambda: client.get("/lessons")["lessons"][0]["state"] == "running")
        client.act(verb="stop")
        wait_for(lambda: client.get("/lessons")["run"].get("interrupted"))
    finally:
        served.process.terminate()
        assert served.process.wait(20) == 0


def call(directory: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "fencerun", "serve", "--no-open", *words],
        cwd=directory,
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["none.md"], "none.md: no such file or directory"),
        (["--port", "65536"], "is no port"),
        (["--port", "x"], "is no port"),
        (["--without", "nothing-like-it"], "--without nothing-like-it"),
    ],
    ids=str,
)
def test_a_call_that_makes_no_sense(tmp_path: Path, words: list[str], said: str) -> None:
    (tmp_path / "a.md").write_text("# A\n")
    done = call(tmp_path, *words)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_port_that_is_taken(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = call(tmp_path, "--port", str(port))
    assert done.returncode == 2
    assert f"--port {port}: Address already in use" in done.stderr


def test_the_browser_is_started_with_a_token_that_works_once(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n")
    browser = tmp_path / "browser"
    browser.write_text('#!/bin/sh\nprintf "%s" "$1" > opened.new && mv opened.new opened\n')
    browser.chmod(0o755)
    served = start(tmp_path, opens=str(browser))
    try:
        wait_for((tmp_path / "opened").exists)
        opened = (tmp_path / "opened").read_text()
        assert opened.startswith(f"{served.base}/?token=")
        assert opened != served.address
        urllib.request.urlopen(opened, timeout=30).close()
        with pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(opened, timeout=30)
        with caught.value as refused:
            assert refused.code == 401
        urllib.request.urlopen(served.address, timeout=30).close()
    finally:
        served.process.terminate()
        assert served.process.wait(20) == 0


def test_without_a_port_the_next_free_one_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    from fencerun.serve import server

    with server.bind(0) as one:
        port = one.getsockname()[1]
        monkeypatch.setattr(server, "PORT", port)
        with server.bind(None) as other:
            assert other.getsockname()[1] != port


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from fencerun.errors import UsageError
    from fencerun.serve import needs

    needs.insist()
    monkeypatch.setattr(needs, "_MODULES", ("starlette", "no_such_module_here"))
    with pytest.raises(UsageError, match=r"no_such_module_here.*fencerun\[serve\]"):
        needs.insist()
