"""A caller that blocks signals, as Ray does: fences are interrupted all the same."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from fencerun.engines.worker import WorkerEngine

from .conftest import OPTIONS, Bench


@pytest.mark.parametrize("plain", [False, True], ids=["zygote", "plain"])
def test_a_fence_is_interrupted_although_the_caller_blocks_signals(
    tmp_path: Path, plain: bool
) -> None:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT, signal.SIGUSR2])
    try:
        with WorkerEngine(OPTIONS, plain=plain, grace=20.0) as engine:
            done = Bench(engine, tmp_path).one("while True: pass", timeout=0.2)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    assert done.failure is not None
    assert done.failure.kind == "timeout"
    assert done.replaced is None, "it ended by itself"
