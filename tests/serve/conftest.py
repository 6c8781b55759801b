"""A real `fencerun serve` and a real Chromium for the tests in a browser."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import pytest


@dataclass
class Served:
    """A server over the pages in ``root``."""

    root: Path
    process: subprocess.Popen[str]
    #: With the token.
    address: str
    said: list[str] = field(default_factory=list)

    @property
    def base(self) -> str:
        return self.address.partition("/?")[0]

    def write(self, name: str, text: str) -> None:
        """Save a page, as an editor does that writes beside and renames."""
        beside = self.root / f".{name}.swp"
        beside.write_text(text, encoding="utf-8")
        os.replace(beside, self.root / name)

    def read(self, name: str) -> str:
        return (self.root / name).read_text(encoding="utf-8")


def start(root: Path, *words: str, opens: str | None = None) -> Served:
    """Start a server and wait for its address. ``opens`` is the browser that it is to start."""
    environment = {k: v for k, v in os.environ.items() if k not in ("VIRTUAL_ENV", "FORCE_COLOR")}
    if opens:
        environment["BROWSER"] = opens
    quietly = [] if opens else ["--no-open"]
    process = subprocess.Popen(
        [sys.executable, "-m", "fencerun", "serve", "--port", "0", *quietly, *words],
        cwd=root,
        env={**environment, "PYTHONUNBUFFERED": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    served = Served(root, process, "")
    for line in process.stdout:
        served.said.append(line)
        found = re.search(r"http://\S+", line)
        if found:
            served.address = found[0]
            break
    assert served.address, "".join(served.said)
    threading.Thread(target=_drain, args=(process.stdout, served.said), daemon=True).start()
    return served


def _drain(stream: IO[str], said: list[str]) -> None:
    with stream:
        said.extend(stream)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for a module: each of its tests has a page of its own."""
    root = tmp_path_factory.mktemp("course")
    (root / "pyproject.toml").write_text('[tool.fencerun]\npaths = ["."]\n')
    (root / "first.md").write_text("# The first lesson\n\nIt has no fence.\n")
    one = start(root)
    yield one
    one.process.terminate()
    assert one.process.wait(20) == 0, "".join(one.said)
    assert "Traceback" not in "".join(one.said), "".join(one.said)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A browser, Debian's or whoever's is on the path.

    Playwright's event loop runs while it is open, so that others cannot run theirs.
    """
    found = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
    if found is None:
        if os.environ.get("CI") == "true":
            pytest.fail("CI must have a Chromium")
        pytest.skip("no Chromium is on the path")
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def window(chromium: Any, served: Served) -> Iterator[Any]:
    """A window that was let in. It fails where the console shows an error."""
    context = chromium.new_context(viewport={"width": 1280, "height": 800})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    window = context.new_page()
    window.set_default_timeout(15_000)
    errors: list[str] = []
    window.on("pageerror", lambda error: errors.append(str(error)))
    window.on("console", lambda said: errors.extend([said.text] if said.type == "error" else []))
    window.errors = errors
    window.goto(served.address)
    window.wait_for_selector("#ui\\:list")
    yield window
    context.close()
    assert errors == []
