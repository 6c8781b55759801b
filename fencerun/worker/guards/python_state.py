"""Probes of the interpreter and the process: what any Python code can leave changed.

What lies behind the standard streams, threads, children and random state are the loop's.
"""

from __future__ import annotations

import codecs
import contextlib
import gc
import math
import os
import signal
import sys
import threading
import time
import warnings

from fencerun.worker.guards.internals import version_cell
from fencerun.worker.guards.onceonly import forget_shown
from fencerun.worker.guards.probe import Probe, attribute, pair, sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

#: What variables begin with that torch and its runtimes set for themselves on first use.
OWN_VARIABLES = ("TORCH", "PYTORCH_", "TRITON_", "KMP_", "OMP_", "MKL_", "CUDA_", "NCCL_", "HIP_")

#: The kinds of timers that raise signals; what ``getitimer`` says of one that is not running.
_TIMERS, _NO_TIME = range(3), (0.0, math.inf)

_ERROR_HANDLERS = (
    "strict", "ignore", "replace", "xmlcharrefreplace", "backslashreplace", "namereplace",
    "surrogateescape", "surrogatepass",
)  # fmt: skip

_SIGNALS = (
    "SIGINT", "SIGTERM", "SIGALRM", "SIGCHLD", "SIGUSR1", "SIGUSR2", "SIGPIPE", "SIGHUP",
    "SIGPROF", "SIGVTALRM", "SIGQUIT", "SIGWINCH", "SIGTSTP",
)  # fmt: skip


def probes() -> list[Probe]:
    """The probes that are always active."""
    return [
        Probe("environment variable", _environment(), _write_environment, "environ", "putenv",
              "setdefault", by_key=True),
        Probe("working directory", _directory, os.chdir, "chdir", "fchdir"),
        *sequence(sys, "sys.path", "path"),
        *sequence(sys, "sys.argv", "argv"),
        *sequence(sys, "sys.meta_path", "meta_path"),
        *sequence(sys, "sys.path_hooks", "path_hooks"),
        *attribute(sys, "sys.stdin", "stdin"),
        *attribute(sys, "sys.stdout", "stdout", "redirect_stdout"),
        *attribute(sys, "sys.stderr", "stderr", "redirect_stderr"),
        *attribute(sys, "sys.displayhook", "displayhook"),
        *attribute(sys, "sys.excepthook", "excepthook"),
        *attribute(sys, "sys.unraisablehook", "unraisablehook"),
        *attribute(threading, "threading.excepthook", "excepthook"),
        *attribute(sys, "sys.dont_write_bytecode", "dont_write_bytecode"),
        *pair(sys, "trace function", "gettrace", "settrace", "set_trace"),
        *pair(sys, "profile function", "getprofile", "setprofile"),
        *pair(threading, "trace function of new threads", "gettrace", "settrace"),
        *pair(threading, "profile function of new threads", "getprofile", "setprofile"),
        Probe("recursion limit", sys.getrecursionlimit, sys.setrecursionlimit,
              "setrecursionlimit", quiet=True),
        *pair(sys, "coroutine origin tracking depth", "get_coroutine_origin_tracking_depth",
              "set_coroutine_origin_tracking_depth"),
        Probe("hooks of asynchronous generators", lambda: tuple(sys.get_asyncgen_hooks()),
              lambda value: sys.set_asyncgen_hooks(*value), "set_asyncgen_hooks"),
        Probe("prompt", _prompts, _write_prompts, by_key=True),
        Probe("handler of codec errors", _error_handlers, _write_error_handlers, "register_error",
              by_key=True, steady=True),
        *pair(sys, "switch interval", "getswitchinterval", "setswitchinterval"),
        *pair(sys, "limit on digits of int", "get_int_max_str_digits", "set_int_max_str_digits"),
        Probe("garbage collector enabled", gc.isenabled, _enable_gc, "disable", "enable"),
        Probe("garbage collector thresholds", gc.get_threshold, lambda v: gc.set_threshold(*v),
              "set_threshold"),
        Probe("garbage collector debug flags", gc.get_debug, gc.set_debug, "set_debug"),
        *sequence(gc, "garbage collector callbacks", "callbacks"),
        Probe("warnings filters", lambda: list(warnings.filters), _write_filters, "simplefilter",
              "filterwarnings", "resetwarnings", "filters", "catch_warnings"),
        *attribute(warnings, "warnings.showwarning", "showwarning"),
        *attribute(warnings, "warnings.formatwarning", "formatwarning"),
        *_signal_probes(),
        Probe("umask", _umask, os.umask, "umask"),
        Probe("time zone", lambda: time.tzname, lambda value: time.tzset(), "tzset", "TZ"),
        *_limit_probes(),
        *_descriptor_flag_probes(),
    ]  # fmt: skip


def dict_of_environment() -> dict[Any, Any]:
    """The environment as bytes, without decoding each variable (posix) or as text."""
    return dict(getattr(os.environ, "_data", os.environ))


def _environment() -> Callable[[], dict[Any, Any]]:
    """What reads the environment: the same copy as before where nothing was done to it since."""
    live: Any = None
    cell: Any = None
    last: dict[Any, Any] | None = None
    seen = 0

    def read() -> dict[Any, Any]:
        nonlocal live, cell, last, seen
        now = getattr(os.environ, "_data", None)
        if now is not live:
            live, cell, last = now, version_cell(now) if type(now) is dict else None, None
        tag = cell.value if cell is not None else 0
        if last is None or cell is None or tag != seen:
            last, seen = dict_of_environment(), tag
        return last

    return read


def _write_environment(value: dict[Any, Any]) -> None:
    encoded = hasattr(os.environ, "_data")
    now = dict_of_environment()
    for key in now.keys() - value.keys():
        del os.environ[os.fsdecode(key) if encoded else key]
    for key, text in value.items():
        if now.get(key) != text:
            pairs = (os.fsdecode(key), os.fsdecode(text)) if encoded else (key, text)
            os.environ[pairs[0]] = pairs[1]


def _prompts() -> dict[str, Any]:
    # Their presence tells libraries that somebody sits there.
    names = sys.__dict__
    if "ps1" not in names and "ps2" not in names:
        return {}
    return {name: names[name] for name in ("ps1", "ps2") if name in names}


def _write_prompts(value: dict[str, Any]) -> None:
    for name in _prompts().keys() - value.keys():
        delattr(sys, name)
    for name, prompt in value.items():
        setattr(sys, name, prompt)


def _error_handlers() -> dict[str, Any]:
    # Those that Python brings; of others there is no list.
    return dict(zip(_ERROR_HANDLERS, map(codecs.lookup_error, _ERROR_HANDLERS)))  # noqa: B905


def _write_error_handlers(value: dict[str, Any]) -> None:
    for name, handler in value.items():
        codecs.register_error(name, handler)


def _directory() -> str | None:
    try:
        return os.getcwd()
    except OSError:
        return None  # it was removed


def _enable_gc(enabled: bool) -> None:
    (gc.enable if enabled else gc.disable)()


def _write_filters(value: list[Any]) -> None:
    warnings.filters[:] = value  # type: ignore[index]
    forget_shown()


def _umask() -> int:
    mask = os.umask(0o22)
    os.umask(mask)
    return mask


def _signal_probes() -> list[Probe]:
    # `signal.getsignal` makes an enum of each answer and takes ten times as long.
    get = getattr(sys.modules.get("_signal"), "getsignal", signal.getsignal)
    numbers = {name: int(getattr(signal, name)) for name in _SIGNALS if hasattr(signal, name)}
    names, all_numbers = tuple(numbers), tuple(numbers.values())

    def read() -> dict[str, Any]:
        return dict(zip(names, map(get, all_numbers)))  # noqa: B905

    def write(value: dict[str, Any]) -> None:
        for name, handler in value.items():
            if handler is not None and get(numbers[name]) is not handler:
                signal.signal(numbers[name], handler)

    found = [Probe("signal handler", read, write, "signal", "siginterrupt", by_key=True)]
    if hasattr(signal, "getitimer"):
        found.append(
            Probe(
                "pending alarm",
                lambda: max(map(signal.getitimer, _TIMERS)) > _NO_TIME,
                lambda value: [signal.setitimer(kind, 0) for kind in range(3)],
                "alarm",
                "setitimer",
                steady=True,
            )
        )
    # As with `getsignal`: the library's makes a set of enums.
    mask = getattr(sys.modules.get("_signal"), "pthread_sigmask", None)
    if mask is not None:
        block = int(signal.SIG_BLOCK)
        found.append(
            Probe(
                "signal mask",
                lambda: mask(block, ()),
                lambda value: signal.pthread_sigmask(signal.SIG_SETMASK, value),
                "pthread_sigmask",
                steady=True,
            )
        )
    return found


def _limit_probes() -> list[Probe]:
    try:
        import resource
    except ImportError:
        return []
    names = ("CPU", "AS", "NOFILE", "STACK", "CORE", "FSIZE", "NPROC", "DATA")
    numbers = {f"RLIMIT_{n}": getattr(resource, f"RLIMIT_{n}", None) for n in names}
    known = {name: number for name, number in numbers.items() if number is not None}
    all_known, get = tuple(known.values()), resource.getrlimit

    def read() -> dict[str, tuple[int, int]]:
        return dict(zip(known, map(get, all_known)))  # noqa: B905

    def write(value: dict[str, tuple[int, int]]) -> None:
        for name, limits in value.items():
            if resource.getrlimit(known[name]) != limits:
                resource.setrlimit(known[name], limits)

    return [Probe("resource limit", read, write, "setrlimit", by_key=True, steady=True)]


def _descriptor_flag_probes() -> list[Probe]:
    """Whether stdin, stdout and stderr block: asyncio switches that off for good."""

    blocking = os.get_blocking

    def read() -> tuple[bool, ...]:
        try:
            return blocking(0), blocking(1), blocking(2)
        except OSError:
            return tuple(map(_blocking, range(3)))

    def write(value: tuple[bool, ...]) -> None:
        for descriptor, blocking in enumerate(value):
            with contextlib.suppress(OSError):
                os.set_blocking(descriptor, blocking)

    name = "blocking mode of descriptors 0 to 2"
    return [Probe(name, read, write, "set_blocking", steady=True)]


def _blocking(descriptor: int) -> bool:
    try:
        return os.get_blocking(descriptor)
    except OSError:
        return True  # closed: that is the capture's to name, and it puts back one that blocks
