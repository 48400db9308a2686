"""acl/acl_mdl.h, acl/acl_dump.h: the dump of operators. The calls are accepted, but nothing is dumped."""

from typing import Final

import acl_runtime.abi.c as c
import acl_runtime.abi.profiling as p
from acl_runtime.api.refusals import check_product, invalid, null
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import ACL_OP_DUMP_OP_AICORE_ARGS
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import (
    ACL_ERROR_DUMP_NOT_RUN,
    ACL_ERROR_FAILURE,
    ACL_ERROR_REPEAT_INITIALIZE,
    ACL_ERROR_UNINITIALIZE,
)
from acl_runtime.machine.configuration import check_dump_file
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine

MODELS: Final = "acl/acl_mdl.h"
HEADER: Final = "acl/acl_dump.h"


@acl_api(MODELS, inert=True)
def aclmdlInitDump() -> c.aclError:
    """Begin to prepare a dump. Nothing will be dumped.

    Returns:
        ACL_SUCCESS: prepared.
        ACL_ERROR_UNINITIALIZE: aclInit was not called.
        ACL_ERROR_REPEAT_INITIALIZE: aclmdlInitDump was called already, without aclmdlFinalizeDump since.
    """
    machine = _initialised()
    if machine.dump.initialised:
        raise AclError(ACL_ERROR_REPEAT_INITIALIZE, Item("EP0008", ("the dump is initialised already",)))
    machine.dump.initialised = True


@acl_api(MODELS, inert=True)
def aclmdlSetDump(dumpCfgPath: c.const_char_p) -> c.aclError:
    """Set what is dumped, by a JSON file with a section `dump`. The file is read and checked; nothing will be dumped.

    Returns:
        ACL_SUCCESS: set; also for an empty file.
        ACL_ERROR_UNINITIALIZE: aclInit was not called.
        ACL_ERROR_DUMP_NOT_RUN: aclmdlInitDump was not called.
        ACL_ERROR_INVALID_PARAM: `dumpCfgPath` is null.
        ACL_ERROR_INVALID_FILE: the file cannot be read.
        ACL_ERROR_PARSE_FILE: the file is not JSON, or `{` or `[` are nested deeper than 10.
        ACL_ERROR_INVALID_DUMP_CONFIG: a bad value in the section `dump`.
    """
    machine = _initialised()
    _check_prepared(machine)
    if dumpCfgPath is None:
        raise null("dumpCfgPath")
    machine.dump.configuration = check_dump_file(dumpCfgPath)


@acl_api(MODELS, inert=True)
def aclmdlFinalizeDump() -> c.aclError:
    """End the dump. aclmdlInitDump may be called again.

    Returns:
        ACL_SUCCESS: ended.
        ACL_ERROR_UNINITIALIZE: aclInit was not called.
        ACL_ERROR_DUMP_NOT_RUN: aclmdlInitDump was not called.
    """
    machine = _initialised()
    _check_prepared(machine)
    machine.dump.initialised, machine.dump.configuration = False, ""


@acl_api(HEADER, inert=True, pyacl=None)
def acldumpRegCallback(messageCallback: c.acldumpCallback, flag: c.int32_t) -> c.aclError:
    """Register the function that receives the dump. The emulator never calls it.

    Returns:
        ACL_SUCCESS: registered.
        ACL_ERROR_FAILURE: the function is null, or `flag` is not 0.
    """
    if messageCallback.value is None or flag:
        raise AclError(ACL_ERROR_FAILURE, Item("EH9999", ("the function is null, or the flag is not 0",)))
    current().dump.callback = messageCallback.value


@acl_api(HEADER, inert=True, pyacl=None)
def acldumpUnregCallback() -> c.void_result:
    """Undo acldumpRegCallback."""
    current().dump.callback = None


@acl_api(HEADER, inert=True)
def aclopStartDumpArgs(dumpType: c.uint32_t, path: c.const_char_p) -> c.aclError:
    """Begin to dump the arguments of operators to a folder: `dumpType` has the bit ACL_OP_DUMP_OP_AICORE_ARGS. Nothing
    will be dumped.

    Returns:
        ACL_SUCCESS: accepted.
        ACL_ERROR_FAILURE: `path` is null, or the bit 1 is missing in `dumpType`.
    """
    if path is None or not dumpType & ACL_OP_DUMP_OP_AICORE_ARGS:
        raise AclError(ACL_ERROR_FAILURE, Item("EH9999", ("the path is null, or dumpType lacks the bit 1",)))
    check_product("Dumping the arguments of operators")


@acl_api(HEADER, inert=True)
def aclopStopDumpArgs(dumpType: c.uint32_t) -> c.aclError:
    """End aclopStartDumpArgs.

    Returns:
        ACL_SUCCESS: ended; also without the bit 1 in `dumpType`.
    """
    check_product("Dumping the arguments of operators")


@acl_api(HEADER, inert=True, pyacl=None)
def acldumpGetPath(dumpType: c.acldumpType) -> c.const_char_p_result:
    """The folder of a kind of dump: always null, as the emulator dumps nothing."""
    check_product("Getting the folder of a dump")
    return None


@acl_api(HEADER, pyacl=None)
def acldumpSaveExceptionInfo(
    fileName: c.const_char_p, userTag: c.const_char_p, tensors: p.const_acldumpTensorInfo_p, tensorCount: c.size_t
) -> c.aclError:
    """Save tensors of a failed operator, if the dump of failures is on. It is never on in the emulator.

    Returns:
        ACL_ERROR_INVALID_PARAM: the name is null, empty or leads to a folder above; `tensors` is null, or
            `tensorCount` is 0.
        ACL_ERROR_FAILURE: the dump of failures is off.
    """
    if not fileName or ".." in fileName.split("/"):
        raise invalid(fileName, "fileName", "a name inside the folder of the dump")
    if not tensors.value:
        raise null("tensors")
    if not tensorCount:
        raise invalid(tensorCount, "tensorCount", "more than 0")
    raise _off()


@acl_api(HEADER, pyacl=None)
def acldumpGetExceptionInfoPath(path: c.target_char_p, maxLen: c.size_t) -> c.aclError:
    """Query the folder of the dump of failures, which is never on in the emulator.

    Returns:
        ACL_ERROR_INVALID_PARAM: `path` is null, or `maxLen` is less than 2.
        ACL_ERROR_FAILURE: the dump of failures is off.
    """
    if not path.value:
        raise null("path")
    if maxLen <= 1:
        raise invalid(maxLen, "maxLen", "2 or more bytes")
    raise _off()


def _off() -> AclError:
    return AclError(ACL_ERROR_FAILURE, Item("EH9999", ("the dump of failures is off",)))


def _initialised() -> Machine:
    machine = current()
    if not machine.initialisation.count:
        raise AclError(ACL_ERROR_UNINITIALIZE, Item("EP0008", ("aclInit was not called",)))
    return machine


def _check_prepared(machine: Machine) -> None:
    if not machine.dump.initialised:
        raise AclError(ACL_ERROR_DUMP_NOT_RUN, Item("EP0008", ("aclmdlInitDump was not called",)))
