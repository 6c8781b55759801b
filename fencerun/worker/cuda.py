"""CUDA devices between fences: waited for, and given back clean.

Touches a device only where a fence has. A sticky error (an illegal access, a device assert)
makes every later call of the process fail, so it spoils the worker. Knows torch only as a module
that may be loaded.
"""

from __future__ import annotations

import ctypes
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _cuda() -> Any:
    """``torch.cuda`` where it is up in this process, else None."""
    torch = sys.modules.get("torch")
    cuda = getattr(torch, "cuda", None)
    if cuda is None or not getattr(cuda, "_initialized", False) or not cuda.is_initialized():
        return None
    return cuda


def _used_devices(cuda: Any) -> list[int]:
    torch = sys.modules["torch"]
    has_context = getattr(torch._C, "_cuda_hasPrimaryContext", None)
    if has_context is None:
        return [cuda.current_device()]
    # Asking a device without a context to synchronise would make one, with its memory.
    return [number for number in range(cuda.device_count()) if has_context(number)]


def settle() -> str | None:
    """Wait for what a fence started; the error that came of it, on one line, or None."""
    cuda = _cuda()
    if cuda is None:
        return _settle_driver()
    try:
        for device in _used_devices(cuda):
            cuda.synchronize(device)
    except RuntimeError as error:
        return _first_line(error)
    return None


def _settle_driver() -> str | None:
    """The same for code that uses CUDA past torch, such as an extension with kernels of its own.

    Asks the driver, and only one that this process has loaded already.
    """
    version = getattr(sys.modules.get("torch"), "version", None)
    if getattr(version, "cuda", None) is None:
        return None
    try:
        driver = ctypes.CDLL("libcuda.so.1", mode=os.RTLD_NOLOAD | os.RTLD_LAZY)
        context = ctypes.c_void_p()
        if driver.cuCtxGetCurrent(ctypes.byref(context)) or not context.value:
            return None
        status = driver.cuCtxSynchronize()
        if not status:
            return None
        name = ctypes.c_char_p()
        driver.cuGetErrorName(status, ctypes.byref(name))
    except (OSError, AttributeError):
        return None
    return f"CUDA error: {(name.value or b'unknown').decode('ascii', 'replace')}"


def release() -> str | None:
    """Give cached memory back and restart the statistics; why the worker is spoilt, or None."""
    cuda = _cuda()
    if cuda is None:
        return None
    try:
        devices = _used_devices(cuda)
        for device in devices:
            cuda.synchronize(device)
        cuda.empty_cache()
        for device in devices:
            cuda.reset_peak_memory_stats(device)
            cuda.reset_accumulated_memory_stats(device)
    except RuntimeError as error:
        return f"CUDA is unusable after an error: {_first_line(error)}"
    return None


def _first_line(error: BaseException) -> str:
    return str(error).strip().split("\n", 1)[0] or type(error).__name__
