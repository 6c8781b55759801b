"""How the lesson's GPU fences measure: median times, and the ceilings to hold them against.

Touches no GPU until called. Knows nothing of what it measures.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable

import torch


def median_ms(fn: Callable[[], object], repeats: int = 30) -> float:
    """Median milliseconds of one call on the GPU, by CUDA events, from a cold L2 cache.

    The buffer that is written before each call empties the cache, and keeps the GPU busy while
    Python gets ahead, so that launching does not count.
    """
    flush = torch.empty(512 * 2**20, dtype=torch.int8, device="cuda")
    for _ in range(5):
        fn()
    pairs = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(repeats)]
    for start, end in pairs:
        flush.zero_()
        start.record()
        fn()
        end.record()
    torch.cuda.synchronize()
    return float(statistics.median(start.elapsed_time(end) for start, end in pairs))


def gbps(n_bytes: float, ms: float) -> float:
    """Gigabytes (10**9) a second: `n_bytes` moved in `ms` milliseconds."""
    return n_bytes / ms / 1e6


def tflops(flops: float, ms: float) -> float:
    """Teraflops (10**12 a second): `flops` floating-point operations in `ms` milliseconds."""
    return flops / ms / 1e9


def copy_bandwidth(elements: int = 2**28) -> float:
    """What copying float32 moves here, in GB/s, bytes read and written: the memory's ceiling."""
    source = torch.ones(elements, device="cuda")
    target = torch.empty_like(source)
    return gbps(2 * 4 * elements, median_ms(lambda: target.copy_(source)))


def peak_mib(fn: Callable[[], object]) -> float:
    """MiB that one call allocates on the GPU at its peak, beyond what was there before."""
    fn()  # what is allocated once, a library's workspace, say, is not the call's
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    fn()
    return float(torch.cuda.max_memory_allocated() - before) / 2**20
