"""Compiled code of one chain is not taken for another's."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from fencerun.engines.base import Chain, EngineOptions, Finished, Job
from fencerun.engines.worker import WorkerEngine

pytest.importorskip("torch")

CODE = """
import torch, torch.compiler.config, torch._inductor.codecache as codecache
print(torch.compiler.config.cache_key_tag)
"""


@pytest.mark.parametrize("preload", [("torch", "torch._dynamo"), ()], ids=["loaded", "imported"])
def test_each_chain_has_its_own_tag_in_the_cache_key(
    preload: tuple[str, ...], tmp_path: Path
) -> None:
    chains = [
        Chain("p.md", str(tmp_path), (Job(str(n), n, CODE, 3),), tag=tag)
        for n, tag in enumerate(("one", "two", ""), 1)
    ]
    with WorkerEngine(EngineOptions(sys.executable, preload=preload)) as engine:
        ended = [event for event in engine.run(chains) if isinstance(event, Finished)]
    assert [event.outcome.failure for event in ended] == [None] * 3
    assert [event.outcome.output.decode() for event in ended] == ["one\n", "two\n", "\n"]
