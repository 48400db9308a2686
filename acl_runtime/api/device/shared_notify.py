"""acl/acl_rt.h: notifies that processes share by keys."""

from typing import Final

import acl_runtime.abi.c as c
import acl_runtime.abi.memory as m
from acl_runtime.api.device.notify import HEADER, live_notify, new_notify
from acl_runtime.api.memory.interprocess import server_pids, store_key
from acl_runtime.api.memory.shared_memory import allow, check_permission
from acl_runtime.api.refusals import check_product, null, null_in_runtime, out_of_range
from acl_runtime.boundary import acl_api
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.memory.shared.exports import NOTIFY, find, key_of, number_of
from acl_runtime.streams.shared.notify import Notify

EXPORTING: Final = "Exporting a notify to other processes"
IMPORTING: Final = "Importing a notify of another process"
ALLOWING: Final = "Setting the processes that may import a notify"
EXPORT_FLAGS: Final = (0, 2)
IMPORT_FLAGS: Final = 3
LOW_HALF: Final = 0xFFFF_FFFF


@acl_api(HEADER, pyacl=None)
def aclrtNotifyGetExportKey(
    notify: m.aclrtNotify, key: c.target_char_p, len: c.size_t, flags: c.uint64_t
) -> c.aclError:
    """Export a notify: write a key, a text in 65 bytes, by which other processes import it. `flags` 2 allows all
    processes.

    Returns:
        ACL_SUCCESS: the key is written.
        ACL_ERROR_INVALID_PARAM: `notify` or `key` is null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_PARAM_INVALID: `len` is too small for the key; `flags` is not 0 or 2; the notify belongs to another
            process; or `key` cannot be written (only if the machine reports findings instead of raising them).
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if not notify:
        raise null("notify")
    if not key.value:
        raise null("key")
    machine, live = live_notify(notify)
    if len == 0:
        raise out_of_range(EXPORTING, len, "len", "65")
    check_product(EXPORTING)
    if flags not in EXPORT_FLAGS:
        raise out_of_range(EXPORTING, flags, "flags", "0 or 2")
    if live.shared is None:
        live.share(machine.sharing.export(live, NOTIFY, live.physical, anybody=bool(flags)))
    store_key(key, len, key_of(NOTIFY, _exported(live, EXPORTING)), EXPORTING)


@acl_api(HEADER, pyacl=None)
def aclrtNotifySetImportPid(notify: m.aclrtNotify, pid: c.source_int32_t_p, num: c.size_t) -> c.aclError:
    """Allow processes to import a notify that this process has exported.

    Returns:
        ACL_SUCCESS: allowed.
        ACL_ERROR_INVALID_PARAM: `notify` or `pid` is null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_PARAM_INVALID: `num` is 0, or this process has not exported the notify.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if not notify:
        raise null("notify")
    if not pid.value:
        raise null("pid")
    check_product(ALLOWING)
    machine, live = live_notify(notify)
    if num == 0:
        raise out_of_range(ALLOWING, num, "num", "a value greater than 0")
    allow(machine, _exported(live, ALLOWING), pid, num)


@acl_api(HEADER, pyacl=None)
def aclrtNotifySetImportPidInterServer(
    notify: m.aclrtNotify, serverPids: m.aclrtServerPid_p, num: c.size_t
) -> c.aclError:
    """Allow processes of several servers to import a notify that this process has exported.

    Returns:
        ACL_SUCCESS: allowed.
        ACL_ERROR_RT_PARAM_INVALID: `notify` or `serverPids` is null, `num` is 0, an entry has not exactly one process,
            or this process has not exported the notify.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if not notify:
        raise null_in_runtime(ALLOWING, "notify")
    pids = server_pids(serverPids, num, ALLOWING)
    check_product(ALLOWING)
    machine, live = live_notify(notify)
    machine.exports.allow(_exported(live, ALLOWING), pids)


@acl_api(HEADER, resource=True, pyacl=None)
def aclrtNotifyImportByKey(notify: m.aclrtNotify_p, key: c.const_char_p, flags: c.uint64_t) -> c.aclError:
    """Import a notify of another process. Streams of its device may wait for it, all streams may record it.

    Returns:
        ACL_SUCCESS: `*notify` is the notify.
        ACL_ERROR_INVALID_PARAM: `notify` or `key` is null.
        ACL_ERROR_RT_PARAM_INVALID: the low half of `flags` is greater than 3, or no process of this user has exported
            the key.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_NO_PERMISSION: the process that exported it has not allowed this one.
        ACL_ERROR_RT_NO_NOTIFY_RESOURCE: the device has no notify left.
    """
    if notify.null:
        raise null("notify")
    if key is None:
        raise null("key")
    check_product(IMPORTING)
    if flags & LOW_HALF > IMPORT_FLAGS:
        raise out_of_range(IMPORTING, flags, "flags", f"[0, {IMPORT_FLAGS}]")
    machine = current()
    machine.context(IMPORTING)
    notify.store(machine.handles.add(_imported(machine, key)))


def _imported(machine: Machine, key: str) -> Notify:
    number = number_of(NOTIFY, key)
    shared = find(number, NOTIFY) if number else None
    if shared is None:
        raise out_of_range(IMPORTING, key, "key", "a key that a process of this user has exported")
    export, file = shared
    if not machine.exports.here(number):
        check_permission(number, export, file, IMPORTING, "key", "aclrtNotifySetImportPid")
    live = new_notify(machine, export.location[0])
    live.share(machine.sharing.attach(live, file))
    return live


def _exported(notify: Notify, what: str) -> int:
    """The number of a notify that this process has exported; AclError 107000 for another one."""
    number = notify.shared.number if notify.shared is not None else 0
    if not number:
        raise out_of_range(what, notify, "notify", "a notify that this process has exported")
    return number
