"""Socket pairs, and file descriptors that travel over them.

By the interpreter's own module: the library's ``socket`` makes enumerations of four hundred
constants on import, 1.5 ms on either side of each run, and adds nothing that is needed here.
"""

from __future__ import annotations

import _socket
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: Bytes of a descriptor's number.
_SIZE = 4


def pair() -> tuple[_socket.socket, _socket.socket]:
    """Two connected sockets; neither is passed on to child processes."""
    return _socket.socketpair()


def adopt(descriptor: int) -> _socket.socket:
    """The socket on a descriptor that this process was given."""
    return _socket.socket(fileno=descriptor)


def send(sock: _socket.socket, data: bytes, descriptors: Sequence[int]) -> None:
    """Send ``data`` with descriptors beside it. Raises OSError when nobody is there."""
    numbers = b"".join(number.to_bytes(_SIZE, sys.byteorder) for number in descriptors)
    sock.sendmsg([data], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, numbers)])


def receive(sock: _socket.socket, size: int, most: int) -> tuple[bytes, list[int]]:
    """At most ``size`` bytes, and the descriptors beside them, at most ``most``."""
    data, beside, _, _ = sock.recvmsg(size, _socket.CMSG_LEN(most * _SIZE))
    found: list[int] = []
    for level, kind, content in beside:
        if (level, kind) == (_socket.SOL_SOCKET, _socket.SCM_RIGHTS):
            whole = content[: len(content) - len(content) % _SIZE]  # the last may be cut off
            found += memoryview(whole).cast("i")
    return data, found
