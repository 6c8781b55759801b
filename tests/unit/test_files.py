"""Pages on disk: wholly old or wholly new, one recorder at a time, nothing left beside them."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest

from fencerun.files import NoSuchPath, NotWritten, PageBusy, locked, read, replace

ROOT = Path(__file__).parents[2]


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.md"
    path.write_bytes(b"old\r\n")
    return path


def beside(page: Path) -> list[str]:
    return sorted(path.name for path in page.parent.iterdir())


def test_read(page: Path) -> None:
    assert read(str(page)) == b"old\r\n"
    with pytest.raises(NoSuchPath, match=r"none\.md"):
        read(str(page.with_name("none.md")))
    with pytest.raises(NoSuchPath, match="directory"):
        read(str(page.parent))


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="descriptors are counted in /proc")
def test_what_cannot_be_read_leaves_no_descriptor_open(page: Path) -> None:
    os.mkfifo(page.with_name("pipe"))
    before = len(os.listdir("/proc/self/fd"))
    for name in ("none.md", "pipe", "."):
        with pytest.raises(NoSuchPath):
            read(str(page.parent / name))
    assert len(os.listdir("/proc/self/fd")) == before


def test_replace(page: Path) -> None:
    replace(str(page), b"new\xff")
    assert page.read_bytes() == b"new\xff"
    assert beside(page) == ["page.md"]


@pytest.mark.parametrize("mode", [0o644, 0o600, 0o664, 0o755, 0o4755])
def test_the_mode_is_kept(page: Path, mode: int) -> None:
    page.chmod(mode)
    replace(str(page), b"new")
    assert stat.S_IMODE(page.stat().st_mode) == mode


def test_the_owner_is_kept_where_we_may(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, int]] = []

    def refuse(_: int, user: int, group: int) -> NoReturn:
        asked.append((user, group))
        raise PermissionError

    monkeypatch.setattr(os, "fchown", refuse)
    status = page.stat()
    replace(str(page), b"new")
    assert asked == [(status.st_uid, status.st_gid)]
    assert page.read_bytes() == b"new"


def test_a_new_page_gets_the_usual_mode(page: Path) -> None:
    fresh = page.with_name("fresh.md")
    replace(str(fresh), b"x")
    plain = page.with_name("plain.md")
    plain.touch()
    assert fresh.stat().st_mode == plain.stat().st_mode


def test_a_symbolic_link_stays_one(page: Path) -> None:
    link, chain = page.with_name("link.md"), page.with_name("chain.md")
    link.symlink_to("page.md")
    chain.symlink_to(link)
    replace(str(chain), b"new")
    assert page.read_bytes() == b"new"
    assert (link.readlink(), chain.readlink()) == (Path("page.md"), link)


def test_the_same_bytes_do_not_touch_the_file(page: Path) -> None:
    before = page.stat()
    replace(str(page), b"old\r\n")
    assert page.stat() == before


def test_a_read_only_page_is_refused(page: Path) -> None:
    page.chmod(0o444)
    with pytest.raises(NotWritten, match=r"read-only.*chmod"):
        replace(str(page), b"new")
    assert page.read_bytes() == b"old\r\n"
    assert beside(page) == ["page.md"]


def test_only_a_regular_file_is_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    for path in (tmp_path / "pipe.md", tmp_path):
        with pytest.raises(NotWritten, match="no regular file"):
            replace(str(path), b"new")


@pytest.mark.parametrize("call", ["fsync", "fchmod"])
def test_a_full_disk_leaves_the_page_as_it_was(
    page: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    def full(*_: object) -> NoReturn:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, call, full)
    with pytest.raises(NotWritten, match="No space left"):
        replace(str(page), b"new")
    assert page.read_bytes() == b"old\r\n"
    assert beside(page) == ["page.md"]


def test_an_interrupt_leaves_the_page_as_it_was(
    page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        replace(str(page), b"new")
    assert page.read_bytes() == b"old\r\n"
    assert beside(page) == ["page.md"]


def test_a_name_as_long_as_names_get(tmp_path: Path) -> None:
    page = tmp_path / ("é" * 120 + "x.md")
    page.write_bytes(b"old")
    replace(str(page), b"new")
    assert page.read_bytes() == b"new"
    assert len(beside(page)) == 1


KILLED = """
import os, signal, sys
from fencerun import files
os.fsync = lambda descriptor: os.kill(os.getpid(), signal.SIGKILL)
files.replace(sys.argv[1], b"new")
"""


def test_what_a_killed_run_left_is_recognised_and_cleaned(page: Path) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, str(page)], check=False, cwd=ROOT)
    assert done.returncode == -signal.SIGKILL
    assert page.read_bytes() == b"old\r\n"
    [left] = [name for name in beside(page) if name != "page.md"]
    assert left.startswith(".page.md.fencerun-")
    assert left.endswith(".tmp")
    replace(str(page), b"new")
    assert page.read_bytes() == b"new"
    assert beside(page) == ["page.md"]


def test_what_a_living_run_writes_is_not_cleaned(page: Path) -> None:
    temporary = page.with_name(".page.md.fencerun-0123.tmp")
    other = page.with_name(".page.md.bak.fencerun-0123.tmp")
    other.touch()
    with temporary.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        replace(str(page), b"new")
        assert beside(page) == [other.name, temporary.name, "page.md"]
    replace(str(page), b"newer")
    assert beside(page) == [other.name, "page.md"]


def test_a_sweep_between_two_calls_is_noticed(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another run sweeps our new temporary file away before we could lock it."""
    flock, left = fcntl.flock, [1]

    def sweep_first(descriptor: int, how: int) -> None:
        for path in page.parent.glob(".*.tmp"):
            if left:
                left.clear()
                path.unlink()
        flock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", sweep_first)
    replace(str(page), b"new")
    assert left == []
    assert page.read_bytes() == b"new"
    assert beside(page) == ["page.md"]


WRITER = """
import sys
from fencerun import files
path, word = sys.argv[1:]
for _ in range(20):
    with files.locked(path):
        data = files.read(path)
        files.replace(path, data + word.encode())
"""


def test_writers_take_turns(page: Path) -> None:
    """Read, change and write under the lock: of 4 x 20 additions none is lost."""
    page.write_bytes(b"")
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(page), word], cwd=ROOT)
        for word in "abcd"
    ]
    assert [writer.wait() for writer in writers] == [0, 0, 0, 0]
    assert sorted(page.read_bytes()) == sorted(b"abcd" * 20)
    assert beside(page) == ["page.md"]


def test_a_busy_page_is_named(page: Path) -> None:
    link = page.with_name("link.md")
    link.symlink_to(page)
    with locked(str(page)):
        for name in (page, link):
            with pytest.raises(PageBusy, match=name.name), locked(str(name), patience=0.05):
                pytest.fail("two hold the lock")
    with locked(str(page), patience=0.0):
        pass
    assert beside(page) == ["link.md", "page.md"]


def test_the_lock_is_on_the_page_that_is_there_now(
    page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another recorder replaces the page after it was opened and before it was locked."""
    flock, late = fcntl.flock, [b"new"]

    def replace_first(descriptor: int, how: int) -> None:
        if late:
            fresh = page.with_name("fresh")
            fresh.write_bytes(late.pop())
            fresh.replace(page)
        flock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", replace_first)
    with locked(str(page)), page.open("rb") as file, pytest.raises(BlockingIOError):
        flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_the_lock_is_let_go_on_an_error(page: Path) -> None:
    with pytest.raises(ZeroDivisionError), locked(str(page)):
        _ = 1 / 0
    with locked(str(page), patience=0.0):
        pass


def test_the_lock_of_a_missing_page(page: Path) -> None:
    with pytest.raises(NoSuchPath), locked(str(page.with_name("none.md"))):
        pass


def test_a_file_system_without_locks_can_still_be_recorded_on(
    page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*_: object) -> NoReturn:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", none)
    left = page.with_name(".page.md.fencerun-0123.tmp")
    left.touch()  # nobody can say whether its writer lives
    with locked(str(page)):
        replace(str(page), b"new")
    assert page.read_bytes() == b"new"
    assert beside(page) == [left.name, "page.md"]


@pytest.mark.parametrize(
    ("number", "why", "remedy"),
    [
        (errno.EACCES, "into its directory", "run `chmod u+w '{}'`"),
        (errno.EPERM, "into its directory", "run `chmod u+w '{}'`"),
        (errno.EROFS, "Read-only", "copy the page"),
        (errno.ENOSPC, "No space", "make room"),
        (errno.EIO, "error", ""),
    ],
)
def test_what_keeps_a_page_from_being_written_has_a_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, why: str, remedy: str
) -> None:
    page = tmp_path / "a directory" / "page.md"
    page.parent.mkdir()
    page.write_bytes(b"old")
    real = os.open

    def refused(path: str, flags: int, *mode: int) -> int:
        if flags & os.O_CREAT:
            raise OSError(number, os.strerror(number), path)
        return real(path, flags, *mode)

    monkeypatch.setattr(os, "open", refused)
    with pytest.raises(NotWritten) as error:
        replace(str(page), b"new")
    assert why in error.value.what
    assert error.value.remedy.startswith(remedy.format(page.parent))
    assert page.read_bytes() == b"old"
