"""What a zygote loads before it forks."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from fencerun.worker import zygote
from fencerun.worker.zygote import may_use_a_device, preload

CPU = {"cuda": None, "hip": None}


@pytest.mark.parametrize(
    ("version", "device", "expected"),
    [
        (CPU, "nvidia0", False),
        ({"cuda": "13.0"}, "tty", False),
        ({"cuda": "13.0"}, "nvidiactl", True),
        ({"cuda": "13.0"}, "dxg", True),
        ({"hip": "6.4"}, "kfd", True),
        ({"xpu": "2025"}, "dri", True),
    ],
)
def test_a_device_is_used_where_torch_and_the_machine_can(
    version: dict[str, str],
    device: str,
    expected: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / device).touch()
    torch = SimpleNamespace(version=SimpleNamespace(**version))
    monkeypatch.setitem(sys.modules, "torch", torch)
    assert may_use_a_device(str(tmp_path)) is expected


def test_devices_that_cannot_be_listed_may_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = SimpleNamespace(version=SimpleNamespace(cuda="13.0"))
    monkeypatch.setitem(sys.modules, "torch", torch)
    assert may_use_a_device("/no/such/directory")


def test_what_asks_a_device_is_loaded_only_without_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zygote, "_ASKS_DEVICES", ("colorsys",))
    monkeypatch.setattr(zygote, "may_use_a_device", lambda: True)
    assert list(preload(["colorsys", "this_is_no_module", "json"])) == ["json"]
    monkeypatch.setattr(zygote, "may_use_a_device", lambda: False)
    assert list(preload(["colorsys", "this_is_no_module", "json"])) == ["colorsys", "json"]
