"""Settings of the communication library: environment variables, the root information, the configuration of a
communicator."""

import ctypes
import json
import os
import socket
from typing import Final, NamedTuple

from acl_runtime.errors import AclError
from acl_runtime.headers.hccl import (
    HCCL_COMM_CONFIG_MAGIC_WORD,
    HCCL_COMM_CONFIG_NOT_SET,
    HCCL_COMM_DEFAULT_BUFFSIZE,
    HCCL_ROOT_INFO_BYTES,
    HcclCommConfig,
    HcclCommConfigInfo,
    HcclResult,
)
from acl_runtime.headers.messages import Item

CONNECT: Final = "HCCL_CONNECT_TIMEOUT"
EXECUTE: Final = "HCCL_EXEC_TIMEOUT"
BUFFER: Final = "HCCL_BUFFSIZE"
DEFAULTS: Final = {CONNECT: 120, EXECUTE: 1836}
"""seconds"""
LONGEST: Final = 7200
LATER: Final = 20
"""seconds that the library adds to HCCL_CONNECT_TIMEOUT"""
BOOT: Final = "/proc/sys/kernel/random/boot_id"
SMALLEST: Final = 32
"""the least size of a configuration: it has the buffer size and the switch for determinism"""


def seconds(name: str) -> int:
    """The time of an environment variable. ours: a shorter one than the documents allow is accepted, so that a test
    need not wait."""
    text = os.environ.get(name, "")
    if not text:
        return DEFAULTS[name]
    if not text.isdecimal() or (name == CONNECT and not 0 < int(text) <= LONGEST):
        reason = f"it is {text!r}, and not a number of seconds" + (f" up to {LONGEST}" if name == CONNECT else "")
        raise AclError(HcclResult.HCCL_E_PARA, Item("EI0001", (name, reason)))
    return int(text)


def connect_seconds() -> int:
    """The time after which the creation of a communicator gives up."""
    return seconds(CONNECT) + LATER


def default_megabytes() -> int:
    """The buffer size of communicators whose configuration gives none: HCCL_BUFFSIZE, or 200 MB."""
    text = os.environ.get(BUFFER, "")
    if text and not (text.isdecimal() and int(text) > 0):
        reason = f"it is {text!r}, and not a number of megabytes"
        raise AclError(HcclResult.HCCL_E_PARA, Item("EI0001", (BUFFER, reason)))
    return int(text or HCCL_COMM_DEFAULT_BUFFSIZE)


class RootInfo(NamedTuple):
    """The root information of a communicator. `path` and `secret` are those of `processes.rendezvous.Root`; they are
    empty if only threads of this process may join."""

    identity: str
    host: str
    """the identity of the running system"""
    path: str = ""
    secret: str = ""

    def packed(self) -> bytes:
        """The bytes for the program: printable ASCII, and zeros behind it, as programs copy them through texts and
        tensors of bytes."""
        return json.dumps(self._asdict()).encode().ljust(HCCL_ROOT_INFO_BYTES, b"\0")


def root_of(raw: bytes) -> RootInfo | None:
    """The root information in bytes of the program; None if it is none."""
    try:
        read = RootInfo(**json.loads(raw.split(b"\0", 1)[0]))
    except (ValueError, TypeError):
        return None
    return read if all(type(value) is str for value in read) else None  # pyright: ignore


def host() -> str:
    """The identity of the running system: another one for each host, the same in its containers."""
    try:
        with open(BOOT, encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return socket.gethostname()


class Settings(NamedTuple):
    """The configuration of a communicator, as far as the emulator uses it."""

    name: str = ""
    buffer_megabytes: int | None = None
    """None: HCCL_BUFFSIZE"""
    exec_seconds: int | None = None
    """None: HCCL_EXEC_TIMEOUT"""


def settings_of(raw: bytes) -> Settings | None:
    """The settings in a configuration. Its first member says how many bytes the caller has: a member that does not lie
    in them whole has its default. None if the configuration is not one of HcclCommConfigInit."""
    info = HcclCommConfigInfo.from_buffer_copy(raw)
    if info.magic != HCCL_COMM_CONFIG_MAGIC_WORD or info.size < SMALLEST:
        return None
    config = HcclCommConfig.from_buffer_copy(raw.ljust(_SIZE, b"\0"))
    has = {field[0] for field in HcclCommConfig._fields_ if _end(field[0]) <= info.size}
    megabytes = config.hcclBufferSize
    name = config.hcclCommName.decode(errors="replace") if "hcclCommName" in has else ""
    limit = config.hcclExecTimeOut if "hcclExecTimeOut" in has else -1
    return Settings(
        name,
        None if megabytes in (0, HCCL_COMM_CONFIG_NOT_SET) else megabytes,
        limit if limit > 0 else None,
    )


def size_of(head: bytes) -> int:
    """The bytes to read of a configuration that begins with `head`."""
    size = HcclCommConfigInfo.from_buffer_copy(head).size
    return min(size, _SIZE) if size >= SMALLEST else len(head)


def _end(member: str) -> int:
    descriptor = getattr(HcclCommConfig, member)
    return int(descriptor.offset + descriptor.size)


_SIZE: Final = ctypes.sizeof(HcclCommConfig)
