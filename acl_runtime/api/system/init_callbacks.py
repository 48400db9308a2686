"""acl/acl_rt.h: callbacks of the host program that run inside aclInit and aclFinalize."""

import operator
from collections.abc import Generator
from contextlib import contextmanager
from ctypes import c_int32
from threading import get_ident

import acl_runtime.abi.c as c
from acl_runtime.abi.pointers import Given
from acl_runtime.api.refusals import invalid, null
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import aclRegisterCallbackType
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_INTERNAL_ERROR, Status
from acl_runtime.machine.configuration import Configuration
from acl_runtime.machine.current import current
from acl_runtime.machine.init_callbacks import Callback, Callbacks
from acl_runtime.machine.machine import Machine

TYPES = frozenset(aclRegisterCallbackType)


@contextmanager
def alone(machine: Machine) -> Generator[None, None, None]:
    """ "Serialised by a recursive lock": one thread at a time runs the block, and may enter it again."""
    turn = machine.initialisation.turn
    if turn.owner == get_ident():
        yield
        return
    machine.scheduler.wait(turn)
    turn.owner = get_ident()
    try:
        yield
    finally:
        turn.owner = None
        machine.scheduler.happened()


def run_on_init(machine: Machine, configuration: Configuration) -> None:
    """Call the callbacks of aclInit; "an error from it aborts init with that code"."""
    for callback in machine.initialisation.on_init.in_turn(op_executor=configuration.given):
        if status := _call_on_init(machine, callback, configuration):
            raise _refused(callback, status)


def run_on_finalize(machine: Machine) -> None:
    """Call all callbacks of aclFinalize, then raise the first error."""
    refused: AclError | None = None
    for callback in machine.initialisation.on_finalize.in_turn(op_executor=True):
        if status := _call(machine, callback):
            refused = refused or _refused(callback, status)
    if refused is not None:
        raise refused


def _call_on_init(machine: Machine, callback: Callback, configuration: Configuration) -> int:
    raw = configuration.text.encode()
    return _call(machine, callback, raw if callback.native else configuration.text, len(raw))


def _call(machine: Machine, callback: Callback, *arguments: object) -> int:
    """Call a callback and return its status; None counts as success."""
    with machine.calling_out():
        answer = callback.function(*arguments, callback.user_data)
    if isinstance(answer, c_int32):
        answer = answer.value
    if answer is None:
        return 0
    if isinstance(answer, Status):
        return int(answer)  # `int` marks the status as checked; operator.index does not
    try:
        return operator.index(answer)
    except TypeError:
        name = getattr(callback.function, "__name__", callback.function)
        raise TypeError(f"the callback {name} must return an aclError, not {answer!r}") from None


def _refused(callback: Callback, status: int) -> AclError:
    name = getattr(callback.function, "__name__", "")
    return AclError(
        status, Item("EH9999", (f"the callback {name} of type {callback.type} returned {status}",)), runtime=0
    )


def _registered(callbacks: Callbacks, type: int, function: Given, user_data: Given) -> Callback:
    _check(type, function)
    callback = Callback(type, function.value, user_data.value)
    if not callbacks.add(callback):
        reason = f"type {type} has its callback already: only ACL_REG_TYPE_OTHER takes several"
        raise AclError(ACL_ERROR_INTERNAL_ERROR, Item("EH9999", (reason,)))
    return callback


def _remove(callbacks: Callbacks, type: int, function: Given) -> None:
    _check(type, function)
    if not callbacks.remove(type, function.value):
        reason = f"there is no such callback of type {type} to unregister"
        raise AclError(ACL_ERROR_INTERNAL_ERROR, Item("EH9999", (reason,)))


def _check(type: int, function: Given) -> None:
    if type not in TYPES:
        raise invalid(type, "type", "an aclRegisterCallbackType: [0, 7] or 65535")
    if function.value is None:
        raise null("cbFunc")


@acl_api("acl/acl_rt.h", pyacl=None)
def aclInitCallbackRegister(
    type: c.aclRegisterCallbackType, cbFunc: c.aclInitCallbackFunc, userData: c.user_data
) -> c.aclError:
    """Register `cbFunc(config, len, userData)`, which aclInit calls. An error that `cbFunc` returns ends aclInit. If
    the process is initialised already, `cbFunc` is called at once and its result is ignored.

    `config` is the text of the configuration file, or empty: bytes for a ctypes function, str for a Python function.
    `len` counts its bytes. Each of the types 0 to 7 takes one callback, ACL_REG_TYPE_OTHER any number. aclInit calls
    the types in this order: model, operator executor (only with a configuration file), media (ACL_REG_TYPE_ACL_DVPP),
    other.

    Returns:
        ACL_SUCCESS: registered.
        ACL_ERROR_INVALID_PARAM: `type` is no aclRegisterCallbackType, or `cbFunc` is null.
        ACL_ERROR_INTERNAL_ERROR: the type has its callback already.
    """
    machine = current()
    initialisation = machine.initialisation
    with alone(machine):
        callback = _registered(initialisation.on_init, type, cbFunc, userData)
        if initialisation.count:
            _call_on_init(machine, callback, initialisation.configuration)


@acl_api("acl/acl_rt.h", pyacl=None)
def aclInitCallbackUnRegister(type: c.aclRegisterCallbackType, cbFunc: c.aclInitCallbackFunc) -> c.aclError:
    """Remove a callback of aclInitCallbackRegister: the first of this type with this function.

    Returns:
        ACL_SUCCESS: the callback will not be called.
        ACL_ERROR_INVALID_PARAM: `type` is no aclRegisterCallbackType, or `cbFunc` is null.
        ACL_ERROR_INTERNAL_ERROR: the callback is not registered for this type.
    """
    machine = current()
    with alone(machine):
        _remove(machine.initialisation.on_init, type, cbFunc)


@acl_api("acl/acl_rt.h", pyacl=None)
def aclFinalizeCallbackRegister(
    type: c.aclRegisterCallbackType, cbFunc: c.aclFinalizeCallbackFunc, userData: c.user_data
) -> c.aclError:
    """Register `cbFunc(userData)`, which is called when aclFinalize or the last aclFinalizeReference finalises.

    Each of the types 0 to 7 takes one callback, ACL_REG_TYPE_OTHER any number. The types are called in this order:
    model, operator executor, media (ACL_REG_TYPE_ACL_DVPP), other.

    Returns:
        ACL_SUCCESS: registered.
        ACL_ERROR_INVALID_PARAM: `type` is no aclRegisterCallbackType, or `cbFunc` is null.
        ACL_ERROR_INTERNAL_ERROR: the type has its callback already.
    """
    machine = current()
    with alone(machine):
        _registered(machine.initialisation.on_finalize, type, cbFunc, userData)


@acl_api("acl/acl_rt.h", pyacl=None)
def aclFinalizeCallbackUnRegister(type: c.aclRegisterCallbackType, cbFunc: c.aclFinalizeCallbackFunc) -> c.aclError:
    """Remove a callback of aclFinalizeCallbackRegister: the first of this type with this function.

    Returns:
        ACL_SUCCESS: the callback will not be called.
        ACL_ERROR_INVALID_PARAM: `type` is no aclRegisterCallbackType, or `cbFunc` is null.
        ACL_ERROR_INTERNAL_ERROR: the callback is not registered for this type.
    """
    machine = current()
    with alone(machine):
        _remove(machine.initialisation.on_finalize, type, cbFunc)
