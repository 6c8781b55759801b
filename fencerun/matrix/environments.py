"""The environments of a matrix: kept beside the project, built where they do not fit any more.

Each lies in ``.fencerun/environments/NAME``, beside a lock and the log of its last build. A note
in it says what it was built for; the note is written last, so what a killed build left is never
taken for an environment. Knows nothing of fences.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from fencerun.errors import FencerunError, UsageError
from fencerun.frozen import dataclass
from fencerun.matrix.wish import Wish

#: Where they are, below the project's root.
DIRECTORY = ".fencerun/environments"

_NOTE = "fencerun.json"
#: Lines of an installer's output that are told when it fails.
_LAST = 15

#: Where pip would install to something else than the environment.
_ASIDE = ("PIP_USER", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PYTHONHOME", "__PYVENV_LAUNCHER__")


class NotBuilt(FencerunError):
    """An environment that could not be built. ``last`` are the installer's last lines."""

    exit_code = 2

    def __init__(self, label: str, what: str, last: Sequence[str], log: Path) -> None:
        told = f"`{os.path.relpath(log)}` has all that it said"
        super().__init__(f"{label}: not built: {what}", told)
        self.last = tuple(last)


@dataclass(frozen=True, slots=True)
class Builder:
    """How environments are built: under which interpreter, with ``uv`` or pip, and its options."""

    root: Path
    python: str
    #: What tells one interpreter from another, see ``identity``.
    identity: str
    uv: str | None = None
    arguments: tuple[str, ...] = ()
    #: Build anew, whatever is there.
    afresh: bool = False
    #: Gets a sentence about what is going on, with the environment's label.
    say: Callable[[str, str], None] = lambda label, words: None

    @contextmanager
    def environment(self, wish: Wish) -> Iterator[Path]:
        """The interpreter of the environment for ``wish``, built if need be.

        Nobody builds or removes it meanwhile. Raises NotBuilt.
        """
        base = _base(self.root)
        directory, log = base / wish.name, base / f"{wish.name}.log"
        with open(base / f"{wish.name}.lock", "a", encoding="ascii") as lock:
            note, afresh, built = self._note(wish), self.afresh, False
            # Many may use it at a time, one may build it. Between two locks others may come.
            self._hold(lock.fileno(), fcntl.LOCK_SH, wish)
            while afresh or not _fits(directory, note):
                self._hold(lock.fileno(), fcntl.LOCK_EX, wish)
                if afresh or not _fits(directory, note):
                    self.say(wish.label, "is being built")
                    self._build(wish, directory, log, lock.fileno())
                    (directory / _NOTE).write_text(json.dumps(note), encoding="utf-8")
                    afresh, built = False, True
                self._hold(lock.fileno(), fcntl.LOCK_SH, wish)
            if not built:
                self.say(wish.label, "is there")
            yield _python(directory)

    def _hold(self, descriptor: int, how: int, wish: Wish) -> None:
        try:
            fcntl.flock(descriptor, how | fcntl.LOCK_NB)
        except BlockingIOError:
            self.say(wish.label, "is in use by another run: waiting for it")
            fcntl.flock(descriptor, how)
        except OSError:
            return  # no locks on this file system

    def _note(self, wish: Wish) -> dict[str, Any]:
        """All that the content of an environment depends on."""
        requirements = [*wish.requirements, *wish.common]
        return {
            "requirements": requirements,
            "files": [_stamp(word) for word in requirements],
            "python": self.identity,
            "arguments": list(self.arguments),
        }

    def _build(self, wish: Wish, directory: Path, log: Path, lock: int) -> None:
        shutil.rmtree(directory, ignore_errors=True)
        python = os.fspath(_python(directory))
        if self.uv is None:
            made = [self.python, "-m", "venv", os.fspath(directory)]
            install = [python, "-m", "pip", "install", "--no-input"]
        else:
            made = [self.uv, "venv", "--python", self.python, os.fspath(directory)]
            install = [self.uv, "pip", "install", "--python", python]
        install += [*self.arguments, *wish.requirements, *wish.common]
        try:
            with open(log, "wb") as said:
                for command in (made, install):
                    self._call(wish, command, log, said.fileno(), lock)
        except BaseException:
            # Half an environment is of no use, and may be gigabytes.
            shutil.rmtree(directory, ignore_errors=True)
            raise

    def _call(self, wish: Wish, command: Sequence[str], log: Path, said: int, lock: int) -> None:
        env = {name: value for name, value in os.environ.items() if name not in _ASIDE}
        env["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"
        try:
            # A group of its own, to end with all that it started. It holds the lock, too: should
            # we be killed, nobody builds here before it is done.
            installer = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                env=env,
                start_new_session=True,
                pass_fds=[lock],
            )
        except OSError as error:
            what = f"{command[0]}: {error.strerror or error}"
            raise NotBuilt(wish.label, what, (), log) from None
        try:
            status = installer.wait()
        except BaseException:
            with suppress(ProcessLookupError):
                os.killpg(installer.pid, signal.SIGKILL)
            installer.wait()
            raise
        if status:
            what = f"{self._who(command)} ended with status {status}"
            raise NotBuilt(wish.label, what, _last(log), log)

    def _who(self, command: Sequence[str]) -> str:
        return "uv" if command[0] == self.uv else command[2]


def builder_for(
    root: Path,
    python: str,
    installer: str,
    arguments: Sequence[str],
    afresh: bool,
    say: Callable[[str, str], None],
) -> Builder:
    """A builder for the interpreter ``python``; ``installer`` is uv, pip, or auto: uv if there.

    Raises UsageError.
    """
    uv = shutil.which("uv") if installer != "pip" else None
    if installer == "uv" and uv is None:
        raise UsageError("--installer uv: there is none on PATH", "install it, or write pip")
    return Builder(root, python, identity(python), uv, tuple(arguments), afresh, say)


def identity(python: str) -> str:
    """What tells an interpreter from another: its version, and where it is installed.

    Raises UsageError where it does not run.
    """
    code = "import sys; print(sys.version.split()[0], sys.implementation.name, sys.base_prefix)"
    try:
        done = subprocess.run(
            [python, "-I", "-c", code], capture_output=True, text=True, check=False, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"--python {python}: {error}") from None
    if done.returncode:
        raise UsageError(f"--python {python}: it does not run")
    return done.stdout.strip()


def _base(root: Path) -> Path:
    base = root / DIRECTORY
    try:
        base.mkdir(parents=True, exist_ok=True)
        ignore = base.parent / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="ascii")
    except OSError as error:
        raise UsageError(f"{base}: {error.strerror or error}", "environments lie there") from None
    return base


def _read(directory: Path) -> object:
    try:
        return json.loads((directory / _NOTE).read_bytes())
    except (OSError, ValueError, RecursionError):
        return None


def _python(directory: Path) -> Path:
    return directory / "bin" / "python"


def _fits(directory: Path, note: object) -> bool:
    """Whether an environment is what it should be, and its interpreter's installation is there."""
    return _read(directory) == note and os.access(_python(directory), os.X_OK)


def _stamp(word: str) -> list[int] | None:
    """Of a requirement that is a file, or ends in the address of one: when it was written."""
    with suppress(OSError, ValueError):
        path = Path(word.rpartition("@")[2].removeprefix("file://"))
        if path.is_file():
            status = path.stat()
            return [status.st_mtime_ns, status.st_size]
    return None


def _last(log: Path) -> list[str]:
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return [line for line in lines if line.strip()][-_LAST:]
