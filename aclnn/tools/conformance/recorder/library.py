"""The C libraries, and the state that calls need: a device, a stream, device memory."""

from __future__ import annotations

import ctypes
import os
from typing import Any

NAMES = (
    "libascendcl.so", "libnnopbase.so", "libopapi.so", "libopapi_nn.so", "libopapi_math.so", "libopapi_cv.so",
    "libopapi_transformer.so", "libaclnn_ops_infer.so", "libaclnn_ops_train.so", "libaclnn_math.so",
    "libaclnn_sparse.so", "libaclnn_fft.so", "libaclnn_rand.so", "libacl_op_compiler.so", "libmsprofiler.so",
    "libascend_dump.so", "libprofapi.so", "libms_tools_ext.so", "libhccl.so",
)  # fmt: skip
"""a version of CANN has some of them; only the first is needed"""
TO_DEVICE, TO_HOST = 1, 2
"""aclrtMemcpyKind"""


class Unavailable(Exception):
    """No library has the function."""


class LoadedLibraries:
    """The functions of the libraries by name."""

    def __init__(self, folder: str = "") -> None:
        self.loaded: list[ctypes.CDLL] = []
        for name in NAMES:
            path = os.path.join(folder, name) if folder else name
            try:
                self.loaded.append(ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL))
            except OSError:
                if not self.loaded:
                    raise

    def function(self, name: str, result: Any = ctypes.c_int) -> Any:
        """A function object with this type of result, new for each use."""
        for library in self.loaded:
            try:
                function = library[name]
            except AttributeError:
                continue
            function.restype = result
            return function
        raise Unavailable(name)


class OpenDevice(LoadedLibraries):
    """The first device with a stream and memory."""

    def __init__(self, folder: str = "") -> None:
        super().__init__(folder)
        self.must("aclInit", None)
        self.must("aclrtSetDevice", ctypes.c_int(0))
        self.stream = self.new_handle("aclrtCreateStream")

    def must(self, name: str, *arguments: Any) -> None:
        """Make a call that the recorder itself needs. OSError if it fails."""
        status = self.function(name)(*arguments)
        if status:
            raise OSError(f"{name} returns {status}")

    def new_handle(self, name: str) -> ctypes.c_void_p:
        """The handle that a function writes to its only parameter."""
        handle = ctypes.c_void_p()
        self.must(name, ctypes.byref(handle))
        return handle

    def memory(self, content: bytes) -> ctypes.c_void_p:
        """Device memory with this content."""
        address = ctypes.c_void_p()
        self.must("aclrtMalloc", ctypes.byref(address), ctypes.c_size_t(max(len(content), 1)), 0)
        if content:
            self.copy(address, ctypes.create_string_buffer(content, len(content)), len(content), TO_DEVICE)
        return address

    def content(self, address: ctypes.c_void_p, size: int) -> bytes:
        """The bytes of device memory."""
        host = ctypes.create_string_buffer(max(size, 1))
        self.copy(host, address, size, TO_HOST)
        return host.raw[:size]

    def copy(self, to: Any, source: Any, size: int, kind: int) -> None:
        self.must("aclrtMemcpy", to, ctypes.c_size_t(size), source, ctypes.c_size_t(size), kind)

    def text(self) -> str:
        """The error text so far. Reading it also clears it."""
        message = self.function("aclGetRecentErrMsg", ctypes.c_char_p)()
        return message.decode("utf-8", "replace") if message else ""

    def describe(self) -> dict[str, Any]:
        """The product, and the version of the runtime."""
        name = self.function("aclrtGetSocName", ctypes.c_char_p)()
        numbers = [ctypes.c_int32() for _ in range(3)]
        self.function("aclrtGetVersion")(*map(ctypes.byref, numbers))
        return {"product": (name or b"").decode(), "runtime": ".".join(str(number.value) for number in numbers)}
