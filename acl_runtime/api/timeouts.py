"""acl/acl_rt.h: how long an operator may run. The limit holds for the whole process."""

import acl_runtime.c as c
from acl_runtime.api.refusals import null
from acl_runtime.boundary import acl_api
from acl_runtime.machine.current import current
from acl_runtime.machine.timeouts import OP_INTERVAL


@acl_api("acl/acl_rt.h")
def aclrtSetOpExecuteTimeOut(timeout: c.uint32_t) -> c.aclError:
    """Let an operator run for `timeout` seconds, rounded up to a multiple of the interval; 0 is the maximum.

    Returns:
        ACL_SUCCESS: set.
    """
    current().timeouts.set_op_execute(timeout * 1_000_000)


@acl_api("acl/acl_rt.h")
def aclrtSetOpExecuteTimeOutWithMs(timeout: c.uint32_t) -> c.aclError:
    """Let an operator run for `timeout` milliseconds, rounded up to a multiple of the interval; 0 is the maximum.

    Returns:
        ACL_SUCCESS: set.
    """
    current().timeouts.set_op_execute(timeout * 1000)


@acl_api("acl/acl_rt.h")
def aclrtSetOpExecuteTimeOutV2(timeout: c.uint64_t, actualTimeout: c.uint64_t_p) -> c.aclError:
    """Let an operator run for `timeout` microseconds, rounded up to a multiple of the interval; 0 is the maximum.
    `*actualTimeout` becomes what is used, in microseconds.

    Returns:
        ACL_SUCCESS: set.
        ACL_ERROR_INVALID_PARAM: `actualTimeout` is null.
    """
    if actualTimeout.null:
        raise null("actualTimeout")
    timeouts = current().timeouts
    timeouts.set_op_execute(timeout)
    actualTimeout.store(timeouts.op_execute_us)


@acl_api("acl/acl_rt.h")
def aclrtGetOpTimeOutInterval(interval: c.uint64_t_p) -> c.aclError:
    """The interval of which a timeout is 1 to 254 times, in microseconds.

    Returns:
        ACL_SUCCESS: told.
        ACL_ERROR_INVALID_PARAM: `interval` is null.
    """
    if interval.null:
        raise null("interval")
    interval.store(OP_INTERVAL)


@acl_api("acl/acl_rt.h")
def aclrtGetOpExecuteTimeout(timeoutMs: c.uint32_t_const_p) -> c.aclError:
    """The timeout that is in force, in whole milliseconds.

    Returns:
        ACL_SUCCESS: told.
        ACL_ERROR_INVALID_PARAM: `timeoutMs` is null.
    """
    if timeoutMs.null:
        raise null("timeoutMs")
    timeoutMs.store(current().timeouts.op_execute_us // 1000)
