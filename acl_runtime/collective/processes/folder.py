"""The folder in which processes of one user find each other: a Unix socket for each root information.

A socket has a name only until all ranks of its communicator have joined. The folder is removed with its last socket. A
process that was killed before leaves its socket, which the next call of `listen` removes.
"""

import fcntl
import os
import socket
import stat
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from secrets import token_hex
from typing import Final

LONGEST: Final = 60
"""bytes of a folder's path: the address of a Unix socket has at most 107 bytes"""
WAITING: Final = 256
"""connections that may wait until the reader accepts them"""
TRIES: Final = 100
"""how often the folder may vanish while it is locked, as another process removes it with its last socket"""


def listen() -> tuple[socket.socket, str]:
    """A socket to which other processes of this user can connect, and its path."""
    with _locked(_folder()) as folder:
        _sweep(folder)
        path = os.path.join(folder, token_hex(8))
        return _listener(path), path


def listen_or_reach(name: str) -> tuple[socket.socket | None, str]:
    """A socket of this name, and its path, if no other process of this user has it; else None, and the path of the
    other's."""
    with _locked(_folder()) as folder:
        _sweep(folder)
        path = os.path.join(folder, name)
        return None if os.path.exists(path) else _listener(path), path


def reach(path: str) -> socket.socket:
    """A connection to the socket at `path`; OSError if nobody listens there any more."""
    connection = _socket()
    try:
        connection.connect(path)
    except OSError:
        connection.close()
        raise
    connection.setblocking(False)
    return connection


def own(connection: socket.socket) -> bool:
    """True if the process at the other end belongs to this user."""
    raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    return int.from_bytes(raw[4:8], "little") == os.geteuid()


def forget(path: str) -> None:
    """Remove the name of a socket, and the folder if it was the last one."""
    folder = os.path.dirname(path)
    with suppress(OSError), _locked(folder):
        with suppress(OSError):
            os.unlink(path)
        os.rmdir(folder)


def _listener(path: str) -> socket.socket:
    """A socket that listens at a path."""
    listener = _socket()
    listener.bind(path)
    listener.listen(WAITING)
    return listener


def _socket() -> socket.socket:
    return socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_CLOEXEC)


def _folder() -> str:
    """A folder that belongs to this user alone. Its path is short, however long the path of temporary files is."""
    base = next(base for base in (tempfile.gettempdir(), "/tmp") if len(os.fsencode(base)) <= LONGEST)
    folder = os.path.join(base, f"aclnn-hccl-{os.geteuid()}")
    with suppress(FileExistsError):
        os.mkdir(folder, 0o700)
    with suppress(FileNotFoundError):
        status = os.lstat(folder)
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o077:
            return tempfile.mkdtemp(prefix="aclnn-hccl-", dir=base)  # the name is taken by somebody else
    return folder


@contextmanager
def _locked(folder: str) -> Generator[str]:
    """A block in which no other process adds or removes sockets of the folder."""
    for _ in range(TRIES):
        with suppress(FileExistsError):
            os.mkdir(folder, 0o700)
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            with suppress(FileNotFoundError):
                if os.path.samestat(os.stat(folder), os.fstat(handle)):
                    yield folder
                    return
        finally:
            os.close(handle)
    raise OSError(f"{folder} vanishes again and again")


def _sweep(folder: str) -> None:
    """Remove sockets to which nobody listens any more."""
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        try:
            reach(path).close()
        except ConnectionRefusedError:
            with suppress(OSError):
                os.unlink(path)
        except OSError:
            continue
