"""Disks that are full at any byte, and files and directories that may not be written.

Not simulated: limits, mounts and users are the kernel's own, in a child process where need be.
"""

from __future__ import annotations

import os
import resource
import stat
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fencerun.files import NotWritten, locked, read, replace

OLD, NEW = b"old\r\n", b"new text, longer than the old one\r\n" * 3
NOBODY = 65534

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")


def beside(page: Path) -> list[str]:
    return sorted(path.name for path in page.parent.iterdir())


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.md"
    path.write_bytes(OLD)
    return path


def in_child(work: Callable[[], None]) -> None:
    """Run in a fork, whose limits and rights end with it; fails with what it raised."""
    source, sink = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the child of a process with threads does little here
        pid = os.fork()
    if pid == 0:
        said = b""
        try:
            work()
        except BaseException as error:
            said = f"{type(error).__name__}: {error}".encode()
        os.write(sink, said[:4096])
        os._exit(0)
    os.close(sink)
    with open(source, "rb") as file:
        said = file.read()
    os.waitpid(pid, 0)
    assert not said, said.decode()


def refused(page: Path, data: bytes = NEW) -> str:
    """What is said of a page that cannot be written, which must be as it was."""
    before = page.read_bytes()
    try:
        with locked(str(page)):
            replace(str(page), data, read(str(page)))
    except NotWritten as error:
        assert page.read_bytes() == before
        return str(error)
    raise AssertionError("it was written")


def test_no_room_from_any_byte_on(page: Path) -> None:
    """The kernel takes so many bytes of a file and no more, as a quota does."""

    def work() -> None:
        hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        for room in range(len(NEW)):
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
            assert "File too large" in refused(page)
            assert beside(page) == ["page.md"]
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(NEW), hard))
        replace(str(page), NEW)

    in_child(work)
    assert page.read_bytes() == NEW


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of eight pages of memory."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=32k", "none", str(place)]
    try:
        mounted = subprocess.run(mount, capture_output=True, timeout=30).returncode == 0
    except OSError:
        mounted = False
    if not mounted:
        pytest.skip("nothing may be mounted here")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True, timeout=30)


def test_a_disk_that_is_full(small_disk: Path) -> None:
    page = small_disk / "page.md"
    page.write_bytes(OLD)
    assert "No space left on device. Make room" in refused(page, b"x" * 40_000)
    assert beside(page) == ["page.md"]
    (small_disk / "filler").write_bytes(b"x" * (7 * 4096))
    assert "No space left" in refused(page)
    (small_disk / "filler").unlink()
    replace(str(page), NEW)
    assert page.read_bytes() == NEW


def test_a_disk_that_is_read_only(small_disk: Path) -> None:
    page = small_disk / "page.md"
    page.write_bytes(OLD)
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True, timeout=30)
    said = refused(page)
    assert "Read-only file system" in said or "it is read-only" in said
    assert beside(page) == ["page.md"]


@pytest.fixture
def open_page() -> Iterator[Path]:
    """A page where others can get at it: pytest keeps its own directories to itself."""
    with tempfile.TemporaryDirectory(prefix="fencerun-rights-") as directory:
        path = Path(directory) / "page.md"
        path.write_bytes(OLD)
        yield path


def as_nobody(work: Callable[[], None]) -> None:
    """Run without root's rights."""

    def fall() -> None:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        work()

    in_child(fall)


# Modes of the directory and the page, whether the page is ours, and what is said of it.
RIGHTS: dict[str, tuple[int, int, bool, str]] = {
    "a read-only page of ours": (0o777, 0o444, True, "it is read-only. Run `chmod u+w"),
    "a page of somebody else": (0o777, 0o644, False, "it is read-only"),
    "a directory of somebody else": (0o755, 0o666, True, "nothing can be written into its dir"),
    "a page of somebody else in a sticky directory": (
        0o1777,
        0o666,
        False,
        "nothing can be written into its directory",
    ),
}


@root_only
@pytest.mark.parametrize("name", RIGHTS)
def test_what_may_not_be_written_is_refused_and_as_it_was(name: str, open_page: Path) -> None:
    directory, mode, own, why = RIGHTS[name]
    page = open_page
    page.chmod(mode)
    if own:
        os.chown(page, NOBODY, NOBODY)
    page.parent.chmod(directory)

    def work() -> None:
        assert why in refused(page)

    as_nobody(work)
    assert page.read_bytes() == OLD
    assert beside(page) == ["page.md"]
    assert stat.S_IMODE(page.stat().st_mode) == mode


@root_only
def test_a_page_that_anybody_may_write_stays_so(open_page: Path) -> None:
    """It becomes the writer's own, as the kernel has no other way; its mode is kept."""
    page = open_page
    page.chmod(0o666)
    page.parent.chmod(0o777)
    as_nobody(lambda: replace(str(page), NEW))
    assert page.read_bytes() == NEW
    assert stat.S_IMODE(page.stat().st_mode) == 0o666


def test_a_link_into_another_directory_leaves_nothing_beside_either(page: Path) -> None:
    elsewhere = page.parent / "elsewhere"
    elsewhere.mkdir()
    link = elsewhere / "link.md"
    link.symlink_to(page)
    replace(str(link), NEW, OLD)
    assert (link.is_symlink(), page.read_bytes()) == (True, NEW)
    assert (beside(page), beside(link)) == (["elsewhere", "page.md"], ["link.md"])
