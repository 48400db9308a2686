"""acl/acl_rt.h: the time limit of operators, one for the whole process."""

import acl_runtime.abi.c as c
from acl_runtime.api.refusals import check_product, null
from acl_runtime.boundary import acl_api
from acl_runtime.machine.current import current


@acl_api("acl/acl_rt.h")
def aclrtSetOpExecuteTimeOut(timeout: c.uint32_t) -> c.aclError:
    """Let an operator run for `timeout` seconds, rounded up to a multiple of the interval (aclrtGetOpTimeOutInterval);
    0 means the maximum.

    Returns:
        ACL_SUCCESS: set.
    """
    current().timeouts.set_op_execute(timeout * 1_000_000)


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtSetOpExecuteTimeOutWithMs(timeout: c.uint32_t) -> c.aclError:
    """Let an operator run for `timeout` milliseconds, rounded up to a multiple of the interval
    (aclrtGetOpTimeOutInterval); 0 means the maximum.

    Returns:
        ACL_SUCCESS: set.
    """
    check_product("Setting the timeout of operators")
    current().timeouts.set_op_execute(timeout * 1000)


@acl_api("acl/acl_rt.h", pyacl="rt.set_op_execute_timeout_v2")
def aclrtSetOpExecuteTimeOutV2(timeout: c.uint64_t, actualTimeout: c.uint64_t_p) -> c.aclError:
    """Let an operator run for `timeout` microseconds, rounded up to a multiple of the interval
    (aclrtGetOpTimeOutInterval); 0 means the maximum. The limit that applies is written to `*actualTimeout`, in
    microseconds.

    Returns:
        ACL_SUCCESS: set.
        ACL_ERROR_INVALID_PARAM: `actualTimeout` is null.
    """
    if actualTimeout.null:
        raise null("actualTimeout")
    timeouts = current().timeouts
    timeouts.set_op_execute(timeout)
    actualTimeout.store(round(timeouts.op_execute_us))


@acl_api("acl/acl_rt.h", pyacl="rt.get_op_timeout_interval")
def aclrtGetOpTimeOutInterval(interval: c.uint64_t_p) -> c.aclError:
    """Query the interval of time limits, in whole microseconds: each limit is a multiple of the interval.

    The largest limit is 254 intervals, 255 on the training and the inference series. The interval is 4294967 on A2,
    A3, 950 and 200I/500 A2, 2147483 on the inference series, 68719476 on the training series.

    Returns:
        ACL_SUCCESS: the output is written.
        ACL_ERROR_INVALID_PARAM: `interval` is null.
    """
    if interval.null:
        raise null("interval")
    interval.store(int(current().timeouts.steps.interval_us))


@acl_api("acl/acl_rt.h")
def aclrtGetOpExecuteTimeout(timeoutMs: c.uint32_t_const_p) -> c.aclError:
    """Query the time limit that applies, in whole milliseconds. The default is 1090922 on A2, A3, 950 and 200I/500 A2,
    547608 on the inference series, 68719 on the training series.

    Returns:
        ACL_SUCCESS: the output is written.
        ACL_ERROR_INVALID_PARAM: `timeoutMs` is null.
    """
    if timeoutMs.null:
        raise null("timeoutMs")
    timeoutMs.store(round(current().timeouts.op_execute_us / 1000))
