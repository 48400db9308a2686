"""The values of a random caller: handles, addresses, sizes and callbacks, which are live, dead or wild.

An address of host memory always belongs to the caller. `Guarded` memory is between inaccessible ranges, so an access
past its end raises a signal and does not damage the interpreter.
"""

from __future__ import annotations

import ctypes
import json
import mmap
import random
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Sequence
from ctypes import byref, c_char_p, c_int32, c_uint64, c_void_p
from pathlib import Path
from typing import Any

import numpy as np

import acl_runtime
import acl_runtime.abi.conversions as conversions
import acl_runtime.headers.handles as handles
from acl_runtime import (
    Machine,
    aclmdlRICondTaskParams,
    aclrtMallocAttribute,
    aclrtMallocConfig,
    aclrtMemcpyBatchAttr,
    aclrtMemManagedLocation,
    aclrtPhysicalMemProp,
    dim3,
)
from acl_runtime.abi.conversions import CType
from acl_runtime.objects.address_range import libc
from acl_runtime.objects.handle_table import Thing

KINDS = {
    "stream": "aclrtStream",
    "default stream": "aclrtStream",
    "stream of a model": "aclrtStream",
    "event": "aclrtEvent",
    "context": "aclrtContext",
    "default context": "aclrtContext",
    "tensor": "aclTensor",
    "scalar": "aclScalar",
    "int array": "aclIntArray",
    "float array": "aclFloatArray",
    "bool array": "aclBoolArray",
    "tensor list": "aclTensorList",
    "scalar list": "aclScalarList",
    "executor": "aclOpExecutor",
    "data buffer": "aclDataBuffer",
    "stream config": "aclrtStreamConfigHandle",
    "exception info": "aclrtExceptionInfo",
    "physical memory handle": "aclrtDrvMemHandle",
    "tensor descriptor": "aclTensorDesc",
    "operator attributes": "aclopAttr",
    "model description": "aclmdlDesc",
    "data set": "aclmdlDataset",
    "AIPP parameters": "aclmdlAIPP",
    "load options": "aclmdlConfigHandle",
    "execution options": "aclmdlExecConfigHandle",
    "profiling configuration": "aclprofConfig",
    "profiling step": "aclprofStepInfo",
    "profiling stamp": "stamp",
    "mstx domain": "mstxDomainHandle_t",
    "kernel binary": "aclrtBinHandle",
    "kernel function": "aclrtFuncHandle",
    "argument list": "aclrtArgsHandle",
    "parameter": "aclrtParamHandle",
    "data of a kernel binary": "aclrtBinary",
    "communicator": "HcclComm",
    "model": "aclmdlRI",
    "stored task": "aclmdlRITask",
    "condition": "aclmdlRICondHandle",
    "body": "aclmdlRI",
    "task group": "aclrtTaskGrp",
    "allocator description": "aclrtAllocatorDesc",
    "profiling subscription": "aclprofSubscribeConfig",
    "memory pool": "aclrtMemPool",
    "notify": "aclrtNotify",
    "counting notify": "aclrtCntNotify",
    "label": "aclrtLabel",
    "list of labels": "aclrtLabelList",
    "data item": "acltdtDataItem",
    "dataset of a channel": "acltdtDataset",
    "channel": "acltdtChannelHandle",
    "queue attributes": "acltdtQueueAttr",
    "queue route": "acltdtQueueRoute",
    "list of queue routes": "acltdtQueueRouteList",
    "query of queue routes": "acltdtQueueRouteQueryInfo",
}
"""what a handle of each kind of object is called in C"""
MOST = {"aclrtStream": 24, "aclrtEvent": 32, "aclrtContext": 6, "aclTensor": 60, "device": 60, "pinned": 16}
"""how many live ones the caller keeps; of other kinds 16"""
DEAD = 24
WILD = (0x10, 0xFFF, 1 << 47, (1 << 47) + 64, 1 << 63, (1 << 64) - 4096, (1 << 64) - 1)
"""addresses where no program has memory"""
GARBAGE = (1, 8, 0x10, 0xDEAD_BEEF, 1 << 47, 1 << 63, (1 << 64) - 1)
HUGE = (1 << 31, 1 << 32, 1 << 40, (1 << 50) + 1, 1 << 62, 1 << 63, (1 << 64) - 64, (1 << 64) - 1)
UNLIMITED = (1 << 40, (1 << 50) + 1, 1 << 63, (1 << 64) - 64, (1 << 64) - 1)
"""sizes that no machine here can allocate"""
FORMATS = ("%d and %s\n", "%5.2f|%-8s|%*d", "%n%n", "%", "plain", "%lld %x %p", "%999999999d", "%.*s", "\udcff %s")
PACKAGES = ("runtime", "compiler", "hccl", "toolkit", "opp", "", "../etc", "x" * 5000, "no\0such")
PAGED = ("aclrtReserveMemAddress", "aclrtMallocPhysical", "aclrtMapMem", "aclrtMemMapNoAccess", "aclrtMemSetAccess")
"""functions with sizes in pages of physical memory"""
PAGE = 2 << 20
GUARD = 64 << 20
ROOM = 64 << 10


class CallbackError(Exception):
    """The exception that callbacks of the random caller raise."""


class Guarded:
    """Memory of the host between inaccessible ranges; it stays for the life of the process."""

    def __init__(self) -> None:
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000  # MAP_NORESERVE
        start = libc().mmap(None, 2 * GUARD + ROOM, 0, flags, -1, 0)
        self.address: int = start + GUARD
        if libc().mprotect(c_void_p(self.address), ROOM, mmap.PROT_READ | mmap.PROT_WRITE):
            raise OSError(ctypes.get_errno(), "mprotect")

    def array(self, offset: int, dtype: str, count: int) -> np.ndarray[Any, Any]:
        """An array over some of it."""
        nbytes = count * np.dtype(dtype).itemsize
        memory: Any = (ctypes.c_uint8 * nbytes).from_address(self.address + offset)
        return np.frombuffer(memory, dtype)


class Pool:
    """The live objects of the machine, and some that are dead."""

    def __init__(self, machine: Machine, chosen: random.Random, guarded: Guarded) -> None:
        self.machine = machine
        self.chosen = chosen
        self.live: dict[str, dict[int, int]] = {}
        """by kind: number or address, and size"""
        self.dead: dict[str, deque[tuple[int, int]]] = {}
        self.stuck: set[int] = set()
        """handles that cannot be destroyed any more"""
        self.guarded = guarded
        self.arrays = [self.guarded.array(i << 12, dtype, 64) for i, dtype in enumerate(("u1", "f2", "f4", "i8"))]
        self.buffers: list[Any] = [
            np.arange(256, dtype=np.uint8),
            np.zeros((4, 16), np.float32),
            (ctypes.c_uint8 * 128)(),
            ctypes.create_string_buffer(64),
            c_uint64(7),
            bytearray(96),
            *self.arrays,
        ]
        """memory of the host whose size Python knows"""

    def look(self) -> None:
        """Ask the machine what is live now; what is not any more is dead."""
        with self.machine.lock:
            found: dict[str, dict[int, int]] = {}
            for thing in self.machine.handles.all(Thing):
                found.setdefault(KINDS[thing.kind], {})[thing.number] = 0
            memories = [device.memory for device in self.machine.devices]
            found["device"] = {each.address: each.size for memory in memories for each in memory if not each.label}
            found["reserved"] = {each.address: each.size for each in self.machine.virtual}
            found["pinned"] = {each.address: each.size for each in self.machine.pinned if not each.registered}
            known = [each for each in self.machine.pinned if each.registered and each.shows is None]
            found["registered"] = {each.address: each.size for each in known}
            mappings = [each for reservation in self.machine.virtual for each in reservation.mappings]
            found["mapping"] = {each.address: each.size for each in mappings}
            shown = [each.mapping for each in self.machine.pinned]
            found["mapped"] = {each.address: each.size for each in shown if each is not None}
        for kind, known in self.live.items():
            gone = self.dead.setdefault(kind, deque(maxlen=DEAD))
            now = found.get(kind, {})
            gone.extend((number, size) for number, size in known.items() if number not in now)
        self.live = found

    def some(self, kind: str) -> tuple[int, int]:
        """A live one of this kind, with its size; 0 if there is none."""
        known = self.live.get(kind)
        return self.chosen.choice(list(known.items())) if known else (0, 0)

    def gone(self, kind: str) -> tuple[int, int]:
        """A dead one."""
        known = self.dead.get(kind)
        return self.chosen.choice(known) if known else (0, 0)

    def number(self, kind: str) -> int:
        """A handle: mostly a live one of the kind, sometimes dead, null, of another kind, or garbage."""
        luck = self.chosen.random()
        if luck < 0.72:
            return self.some(kind)[0]
        if luck < 0.82:
            return self.gone(kind)[0]
        if luck < 0.90:
            return 0
        if luck < 0.96:
            other = self.chosen.choice(list(KINDS.values()))
            return self.chosen.choice((self.some, self.gone))(other)[0]
        return self.chosen.choice((*GARBAGE, self.some(kind)[0] + 8, self.some("device")[0], self.guarded.address))

    def on_device(self) -> int:
        """An address of a device: live, inside, past the end, freed, mapped."""
        luck = self.chosen.random()
        kind = "mapped" if luck > 0.98 else "mapping" if luck > 0.96 else "reserved" if luck > 0.94 else "device"
        start, size = self.some(kind)
        if luck < 0.70:
            return start
        if luck < 0.80:
            return start + self.chosen.choice((1, 4, 8, 32, size // 2, max(size - 1, 0)))
        if luck < 0.86:
            return start + size + self.chosen.choice((0, 1, 32, 512, 1 << 20))
        if luck < 0.94:
            return self.gone("device")[0]
        return start

    def on_host(self) -> int:
        """An address of the host as a number: pinned, registered, freed, plain."""
        luck = self.chosen.random()
        start, size = self.some("registered" if luck > 0.9 else "pinned")
        if luck > 0.9 and not 0 <= start - self.guarded.address < ROOM:
            return self.guarded.address  # a number of memory on the interpreter's heap is never drawn
        if luck < 0.40:
            return start
        if luck < 0.50:
            return start + self.chosen.choice((1, 8, size // 2, max(size - 1, 0)))
        if luck < 0.55:
            return self.gone("pinned")[0]
        if luck < 0.85:
            return self.guarded.address + self.chosen.choice((0, 1, 8, 64, 4096, ROOM - 64, ROOM - 1, ROOM, -1))
        return start

    def wild(self) -> int:
        """An address where nothing is."""
        return self.chosen.choice(WILD)


def quick(*_: Any) -> None:
    """A callback."""


def succeeds(*_: Any) -> int:
    """A callback that answers ACL_SUCCESS."""
    return 0


def fails(*_: Any) -> int:
    """A callback that answers with a status that aclInit and aclFinalize document."""
    return acl_runtime.ACL_ERROR_FAILURE


def raises(*_: Any) -> None:
    """A callback that raises."""
    raise CallbackError("raised by a callback of the random caller")


def nonsense(*_: Any) -> str:
    """A callback that answers no status."""
    return "nonsense"


NATIVE: list[Any] = [
    ctypes.CFUNCTYPE(None, c_void_p)(quick),
    ctypes.CFUNCTYPE(c_int32, c_void_p)(succeeds),
    ctypes.CFUNCTYPE(c_int32, c_char_p, ctypes.c_size_t, c_void_p)(succeeds),
    ctypes.CFUNCTYPE(None, c_void_p)(),
]
TAKES_CONFIG = NATIVE[2]


class Draws:
    """Draws an argument for each C type."""

    def __init__(self, pool: Pool, chosen: random.Random, callbacks: Sequence[Callable[..., Any]] = ()) -> None:
        self.pool = pool
        self.chosen = chosen
        self.callbacks = (quick, quick, quick, succeeds, fails, raises, nonsense, *callbacks)
        self._drawn = threading.local()
        self.by_class: dict[type[CType], Callable[[Any, str], Any]] = {  # a row for each kind of conversion
            conversions.Integer: self._integer,
            conversions.Enum: self._enum,
            conversions.Bool: lambda ctype, name: chosen.choice((True, False, 0, 1)),
            conversions.Real: lambda ctype, name: chosen.choice((0.0, 0.0, 1.5, -1e300, float("inf"), float("nan"), 3)),
            conversions.CString: self._text,
            conversions.TextArray: self._texts,
            conversions.Pointer: self._pointer,
            conversions.Output: self._output,
            conversions.RuntimeHandleType: self._handle,
            conversions.MetaHandleType: self._meta,
            conversions.Array: self._array,
            conversions.HandleArray: self._handles,
            conversions.ArrayOfArrays: lambda ctype, name: chosen.choice(
                (None, [self._array(ctype.inner, name) for _ in range(chosen.randrange(4))])
            ),
            conversions.UnionByValue: lambda ctype, name: chosen.choice((0, 1, 2, -1, ctype.kind(1))),
            conversions.StructByValue: self._by_value,
            conversions.FunctionParameter: lambda ctype, name: self.callback(self._function),
            conversions.AddressArray: self._addresses,
            conversions.Structs: self._struct,
            conversions.Function: lambda ctype, name: self.callback(self._function),
            conversions.Anything: lambda ctype, name: chosen.choice((None, 5, "data", c_uint64(1), pool.buffers)),
            conversions.Variadic: lambda ctype, name: chosen.choice(
                (1, "text", b"raw", 1.5, None, 1 << 70, c_int32(3))
            ),
        }
        self.folder = Path(tempfile.mkdtemp(prefix="callers"))
        self.paths = self._files()

    def begin(self, function: str) -> None:
        """Arguments for this function come next, in this thread."""
        self._drawn.odd, self._function = False, function

    @property
    def odd(self) -> bool:
        """Was an argument drawn, in this thread, that the compiler would refuse?"""
        return self._drawn.odd

    def argument(self, name: str, ctype: CType) -> Any:
        """One argument."""
        if self.chosen.random() < 0.004:
            self._drawn.odd = True
            return self.chosen.choice((object(), "text", 1.5, [1], {}, {1: 2}, b"raw", -1, handles.aclTensor(64), ()))
        return self.by_class[type(ctype)](ctype, name)

    # numbers

    def size(self) -> int:
        """A number of bytes or elements: mostly small."""
        luck = self.chosen.random()
        if luck < 0.55:
            return self.chosen.choice((1, 2, 4, 8, 16, 32, 48, 64))
        if luck < 0.75:
            return self.chosen.randrange(1, 300)
        if luck < 0.85:
            return self.chosen.choice((512, 4096, 65536, 1 << 20))
        if luck < 0.93:
            return 0
        return self.chosen.choice(HUGE)

    def to_allocate(self) -> int:
        """A size of memory: none that a machine here could give, yet not hold."""
        luck = self.chosen.random()
        if luck < 0.8:
            return self.chosen.choice((32, 64, 100, 256, 1024, 4096))
        return self.chosen.choice((0, 1, 65536, 1 << 20, *UNLIMITED))

    def _integer(self, ctype: conversions.Integer, name: str) -> int:
        chosen = self.chosen
        if name in ("deviceId", "peerDeviceId"):
            devices = len(self.pool.machine.devices)
            return chosen.choice((*range(devices), *range(devices), *range(devices), devices, -1, 99, (1 << 31) - 1))
        if name == "timeout":
            return chosen.choice((-1, 1, 1, 2, 5, 1000, 0, -2, (1 << 31) - 1))
        if name in ("flags", "offset") and self._function in PAGED:
            return chosen.choice((0, 0, 0, 0, 0, 1, 9))
        if name in ("numInputs", "numOutputs", "numValues", "numLists", "numDims", "deviceNums", "numBlocks"):
            return chosen.choice((0, 1, 1, 2, 3, -1, 1 << 30))
        if name in ("length", "msgLen", "configLength", "argsSize"):
            return chosen.choice((0, 1, 4, 4, 4, 16, 64, 5000, self.size()))
        if name == "dataTypeConfig":
            return chosen.choice((0, 0x1, 0x80, 0x80, 0x83, 0x8000, 1 << 34, 1 << 50))
        if name in ("flag", "flags", "reserve"):
            return chosen.choice((0, 0, 0, 1, 1, 2, 3, 4, 8, 9, 14, 0x10, 0x20, 0x40, 0x1000_0000, 0xFFFF_FFFF))
        if name == "threadId":
            return chosen.choice((threading.get_ident(), threading.get_ident(), 0, 12345))
        if name == "outputSize":
            return chosen.choice((64, 64, 0, 63, 1 << 40))
        if name in ("dpitch", "spitch"):  # a pitch of a few GiB might hit somebody else's memory
            return chosen.choice((0, 1, 8, 16, 64, 64, 64, 4096, 1 << 20, 1 << 24, 1 << 63, (1 << 64) - 1))
        if name in ("width", "height"):
            return chosen.choice((0, 1, 2, 4, 8, 16, 64, 5_000_000, 5_242_880, 5_242_881, 1 << 63, (1 << 64) - 1))
        if name in ("index", "irIndex", "relativeIndex", "numBatches", "numAttrs", "viewDimsNum", "storageDimsNum"):
            return chosen.choice((0, 1, 1, 2, 2, 3, 4, 9, 1 << 31, 1 << 63, (1 << 64) - 1))
        if name in ("dim", "offset", "ignoreIndex", "paddingIdx", "numWeights", "priority", "mode", "memType", "line"):
            return chosen.choice((0, 0, 1, 1, 2, 7, -1, -100, 64, 1 << 31, (1 << 63) - 1, -(1 << 63)))
        if name == "size" and self._function in PAGED:
            return chosen.choice((PAGE, PAGE, PAGE, 4 * PAGE, self.size()))
        if name == "size" and "Malloc" in self._function:
            return self.to_allocate()
        if name == "value":
            return chosen.choice((0, 0, 1, 1, 2, 3, 255, -1, 1 << 31, (1 << 63) - 1, (1 << 64) - 1))
        return self.size()

    def _enum(self, ctype: CType, name: str) -> int:
        members: list[int] = [*getattr(acl_runtime, ctype.spelling.removeprefix("const "))]
        if self.chosen.random() < 0.9:
            return self.chosen.choice(members)
        return self.chosen.choice((-1, 99, max(members) + 1, (1 << 31) - 1, -(1 << 31)))

    # text and files

    def _files(self) -> list[Any]:
        """Configurations to be read: good, bad, absent."""
        texts = {
            "empty.json": "",
            "plain.json": "{}",
            "per_process.json": '{"err_msg_mode": "1"}',
            "per_thread.json": '{"err_msg_mode": "0"}',
            "bad_mode.json": '{"err_msg_mode": "7"}',
            "device.json": json.dumps({"defaultDevice": {"default_device": "0"}}),
            "no_device.json": json.dumps({"defaultDevice": {"default_device": "99"}}),
            "stack.json": json.dumps({"StackSize": {"aicore_stack_size": "big"}}),
            "fifo.json": json.dumps({"simt_printf_fifo_size": -1}),
            "deep.json": "{" * 40,
            "not.json": "not json",
        }
        for name, text in texts.items():
            (self.folder / name).write_text(text, encoding="utf-8")
        (self.folder / "binary.json").write_bytes(bytes(range(256)))
        return [None, "", str(self.folder), "/no/such/file", *(str(self.folder / name) for name in texts)]

    def _text(self, ctype: CType, name: str) -> Any:
        if name == "configPath":
            path = self.chosen.choice(self.paths)
            return path.encode() if path and self.chosen.random() < 0.3 else path
        if name in ("dumpCfgPath", "path"):
            return self.chosen.choice(self.paths)
        if name in ("message", "name", "msg", "profilerResultPath", "config", "kernelName", "kernelInfoExt"):
            return self.chosen.choice((None, "", "text", "=text", "default", "x" * 2000, "kernel"))
        if name == "pkgName":
            return self.chosen.choice((None, *PACKAGES))
        if name == "fmt":
            return self.chosen.choice((None, *FORMATS))
        return self.chosen.choice((None, "mean", "sum", "none", b"mean", c_char_p(b"sum"), "", b"\xff\xfe", "x" * 3000))

    def callback(self, function: str) -> Any:
        """A function of the host program, or null."""
        luck = self.chosen.random()
        if luck < 0.08:
            return self.chosen.choice((None, 0))
        if luck < 0.2:
            return TAKES_CONFIG if function.startswith("aclInit") else self.chosen.choice((*NATIVE[:2], NATIVE[3]))
        if function.endswith("CallbackRegister") and luck < 0.9:  # it stays, and would end every aclInit or aclFinalize
            return self.chosen.choice((quick, succeeds))
        return self.chosen.choice(self.callbacks)

    # addresses

    def _pointer(self, ctype: conversions.Pointer, name: str) -> Any:
        pool, chosen, luck = self.pool, self.chosen, self.chosen.random()
        if luck < 0.03:
            return chosen.choice((None, 0, c_void_p()))
        if luck < 0.08:
            return self._spelled(pool.wild())
        host = {"hostPtr": 0.9, "pHost": 0.9, "versionStr": 1.0, "value": 1.0, "attrValue": 1.0, "dst": 0.4, "src": 0.4}
        device = name in ("devPtr", "devAddr", "tensorData", "tensorDataAddr", "addr", "workspace", "outputAddr")
        if name == "expectPtr":
            return chosen.choice((None, None, None, 17 << 40, (18 << 40) + PAGE, (18 << 40) + 1, pool.wild()))
        if name in ("stamp", "binHandle") and chosen.random() < 0.8:
            return self._spelled(pool.number("stamp" if name == "stamp" else "aclrtBinHandle"))
        if name in ("msg", "hashInfo", "bin", "data", "stubFunc") and chosen.random() < 0.5:
            return self._spelled(pool.guarded.address)
        if name == "virPtr" and chosen.random() < 0.8:
            kind = chosen.choice(("reserved", "mapping"))
            return self._spelled(pool.some(kind)[0] + chosen.choice((0, 0, 0, PAGE, 3 * PAGE, 64)))
        if name == "reserve":
            return None if chosen.random() < 0.8 else pool.wild()
        if chosen.random() >= host.get(name, 0.1 if device else 0.5):
            return self._spelled(pool.on_device())
        if chosen.random() < 0.5:
            return self._spelled(pool.on_host())
        if not ctype.target and chosen.random() < 0.2:
            return b"sixteen bytes..."
        buffer: Any = chosen.choice(pool.buffers)
        return byref(buffer) if isinstance(buffer, ctypes.Array | c_uint64) and chosen.random() < 0.5 else buffer

    def _spelled(self, address: int) -> Any:
        """A number, or what else Python has for it."""
        luck = self.chosen.random()
        if luck < 0.7:
            return address
        if luck < 0.9:
            return c_void_p(address)
        return ctypes.cast(c_void_p(address), ctypes.POINTER(ctypes.c_uint8))

    def _addresses(self, ctype: CType, name: str) -> Any:
        if self.chosen.random() < 0.05:
            return None
        found = [
            self.chosen.choice((self.pool.on_device, self.pool.on_host))() for _ in range(self.chosen.randrange(5))
        ]
        if self.chosen.random() < 0.3:
            found.append(self.chosen.choice((self.pool.wild(), 0)))
        return found if self.chosen.random() < 0.8 else (c_void_p * len(found))(*found)

    # outputs, structs, arrays

    def _output(self, ctype: conversions.Output, name: str) -> Any:
        luck = self.chosen.random()
        if luck < 0.04:
            return None
        accepted: Any = ctype.accepted[0]
        target = accepted()
        if luck < 0.85:
            return byref(target)
        if luck < 0.93:
            return ctypes.pointer(target)
        return (accepted * 3)()

    def _struct(self, ctype: conversions.Structs, name: str) -> Any:
        luck = self.chosen.random()
        if luck < 0.1:
            return None
        if luck < 0.25:
            return self.pool.wild() if luck < 0.15 else c_void_p(self.pool.on_host() or self.pool.guarded.address)
        struct: Any = ctype.kind()
        if ctype.kind is aclrtMallocConfig:
            struct = self._malloc_config()
        elif ctype.kind is aclrtMemcpyBatchAttr:
            for location in (struct.dstLoc, struct.srcLoc):
                location.id, location.type = self.chosen.choice((0, 0, 1, 9)), self.chosen.choice((0, 1, 1, 1, 2, 77))
        elif ctype.kind is aclrtPhysicalMemProp and luck < 0.9:
            struct.memAttr = self.chosen.choice((4, 4, 4, 5, 10, 12, 13, 2, 0, 77))
            struct.location.id = self.chosen.choice((0, 0, 0, 1, 9))
            struct.location.type = self.chosen.choice((1, 1, 0))
        elif luck > 0.6:
            ctypes.memmove(byref(struct), self.chosen.randbytes(ctypes.sizeof(struct)), ctypes.sizeof(struct))
        if luck > 0.9:
            return (ctype.kind * 2)(struct, struct)
        return byref(struct) if luck < 0.7 else ctypes.pointer(struct)

    def _by_value(self, ctype: conversions.StructByValue, name: str) -> Any:
        """A struct of legal values, or of random bytes."""
        struct: Any = ctype.kind()
        if self.chosen.random() < 0.2:
            return ctype.kind.from_buffer_copy(self.chosen.randbytes(ctypes.sizeof(struct)))
        if ctype.kind is aclrtMemManagedLocation:
            return aclrtMemManagedLocation(self.chosen.choice((0, 1, 1, 2, 7)), self.chosen.choice((0, 0, 1, 9)))
        if ctype.kind is dim3:
            return dim3(*(self.chosen.choice((0, 1, 1, 1, 2, 32)) for _ in "xyz"))
        if ctype.kind is not aclmdlRICondTaskParams:
            return struct
        bodies = self.chosen.choice((0, self.pool.guarded.address))
        condition = self.pool.number("aclmdlRICondHandle")
        array = ctypes.cast(c_void_p(bodies), ctypes.POINTER(handles.aclmdlRI))
        return aclmdlRICondTaskParams(condition, self.chosen.choice((0, 1, 2, 3)), self.chosen.choice((1, 2, 9)), array)

    def _malloc_config(self) -> aclrtMallocConfig:
        count = self.chosen.choice((0, 1, 1, 2, 3, 1 << 40, (1 << 64) - 1))
        attributes = (aclrtMallocAttribute * 3)()
        for each in attributes:
            each.attr, each.value.deviceId = self.chosen.choice((0, 1, 2, 3, 9)), self.chosen.choice((0, 0, 1, 99))
        pointer: Any = ctypes.cast(attributes, ctypes.POINTER(aclrtMallocAttribute))
        if self.chosen.random() < 0.3:
            pointer = ctypes.POINTER(aclrtMallocAttribute)()
        elif count > 3 or self.chosen.random() < 0.2:  # numbers of memory that is guarded, or nowhere
            where = self.chosen.choice((self.pool.wild(), self.pool.guarded.address))
            pointer = ctypes.cast(c_void_p(where), ctypes.POINTER(aclrtMallocAttribute))
        return aclrtMallocConfig(pointer, count)

    def _array(self, ctype: conversions.Array, name: str) -> Any:
        luck = self.chosen.random()
        if luck < 0.06:
            return None
        if luck < 0.16:  # a bare pointer: guarded, wild or null
            where = self.chosen.choice(
                (self.pool.guarded.address, self.pool.guarded.address + ROOM - 8, self.pool.wild(), 0)
            )
            return ctypes.cast(c_void_p(where), ctypes.POINTER(ctype.element[0]))
        count = self.chosen.randrange(6)
        if ctype.dtype.kind == "f":
            values: list[Any] = [self.chosen.choice((0.0, 1.5, float("nan"))) for _ in range(count)]
        elif ctype.dtype.kind == "b":
            values = [self.chosen.random() < 0.5 for _ in range(count)]
        else:
            most = int(np.iinfo(ctype.dtype).max)
            odd = (0, 1, min(most, 1 << 40)) if ctype.dtype.kind == "u" else (0, -1, min(most, 1 << 40), most)
            values = [self.chosen.choice((1, 2, 3, 4, 16, 64, *odd)) for _ in range(count)]
        if luck < 0.6:
            return values
        return np.array(values, ctype.dtype) if luck < 0.8 else (ctype.element[0] * count)(*values)

    def _texts(self, ctype: conversions.TextArray, name: str) -> Any:
        if self.chosen.random() < 0.06:
            return None
        return [self._text(ctype.one, name) for _ in range(self.chosen.randrange(4))]

    # handles

    def _handle(self, ctype: CType, name: str) -> Any:
        spelled = ctype.spelling.split()[-1]
        number = self.pool.number(spelled)
        if spelled == "aclrtStream" and self.chosen.random() < 0.2:
            number = 0
        made: Any = getattr(handles, spelled)(number)
        return self.chosen.choice((made, made, made, c_void_p(number), number, None if not number else made))

    def _meta(self, ctype: conversions.MetaHandleType, name: str) -> Any:
        number = self.pool.number(ctype.kind.__name__)
        made = ctype.kind(number)
        return self.chosen.choice((made, made, made, c_void_p(number), None if not number else made))

    def _handles(self, ctype: conversions.HandleArray, name: str) -> Any:
        if self.chosen.random() < 0.06:
            return None
        kind = ctype.one.kind
        found = [kind(self.pool.number(kind.__name__)) for _ in range(self.chosen.randrange(4))]
        return found if self.chosen.random() < 0.8 else (kind * len(found))(*found)
