"""acl/acl_prof.h: profiling sessions. The calls are accepted, but nothing is collected, and no file is written.

The trace of the machine (`machine.write_trace`) has the times of calls and tasks instead.
"""

from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.api.live_objects import discard, required
from acl_runtime.api.meta.objects import take
from acl_runtime.api.refusals import invalid, null
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import ACL_PROF_MSPROFTX, ACL_PROF_TRAINING_TRACE
from acl_runtime.headers.handles import aclprofConfig
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import (
    ACL_ERROR_PROF_API_CONFLICT,
    ACL_ERROR_PROF_MODULES_UNSUPPORTED,
    ACL_ERROR_PROF_NOT_RUN,
    ACL_ERROR_REPEAT_INITIALIZE,
    ACL_ERROR_RT_PARAM_INVALID,
)
from acl_runtime.machine.current import current
from acl_runtime.objects.profiling import ProfilingConfig

HEADER: Final = "acl/acl_prof.h"
LONGEST_PATH: Final = 4096
LONGEST_OPTION: Final = 256
MOST_DEVICES: Final = 64
TASK_TIME: Final = 0xA802
"""the switches of task times at all levels"""
API_STATISTICS: Final = 0x4_0000_0000
EVERYTHING: Final = 0x1 | 0x100
"""the switches of an aclprofStart without a configuration: calls of acl and of the runtime"""
KNOWN: Final = 0xC_0100_FBFF
"""all switches that exist"""
IMPLIED: Final = ((0x2, 0x800), (0x6000, 0x802), (0x8000, 0x2000))
"""pairs: switches, and the switches that they imply"""
OPTIONS: Final = range(1, 17)
"""the numbers of aclprofConfigType"""


@acl_api(HEADER, inert=True)
def aclprofInit(profilerResultPath: c.const_char_p, length: c.size_t) -> c.aclError:
    """Begin to prepare a profiling session. `length` is the length of the path. The emulator writes no files.

    Returns:
        ACL_SUCCESS: prepared.
        ACL_ERROR_INVALID_PARAM: the path is null, or `length` is 0, more than 4095, or not the length of the path.
        ACL_ERROR_REPEAT_INITIALIZE: aclprofInit was called already, without aclprofFinalize since.
    """
    _check_text("profilerResultPath", profilerResultPath, "length", length, LONGEST_PATH - 1)
    if not length:
        raise invalid(length, "length", "a value in [1, 4095]")
    profiling = current().profiling
    if profiling.path is not None:
        reason = "profiling is initialised already"
        raise AclError(ACL_ERROR_REPEAT_INITIALIZE, Item("EP0008", (reason,)))
    profiling.path = profilerResultPath


@acl_api(HEADER, inert=True)
def aclprofFinalize() -> c.aclError:
    """End profiling. Call aclprofStop first; a session that still runs ends too.

    Returns:
        ACL_SUCCESS: ended; also if profiling is not initialised.
    """
    profiling = current().profiling
    profiling.path, profiling.running = None, None


@acl_api(HEADER, inert=True)
def aclprofCreateConfig(
    deviceIdList: c.uint32_t_array,
    deviceNums: c.uint32_t,
    aicoreMetrics: c.aclprofAicoreMetrics,
    aicoreEvents: c.const_aclprofAicoreEvents_p,
    dataTypeConfig: c.uint64_t,
) -> c.new_aclprofConfig:
    """Create the configuration of a session: its devices, and the switches ACL_PROF_...

    The result is null in these cases: `deviceIdList` is null and `deviceNums` is not 0; `aicoreEvents` is not null;
    there are more than 64 devices, or more than the machine has; a device does not exist or is listed twice;
    `deviceNums` is 0 without the switch ACL_PROF_MSPROFTX.
    """
    machine = current()
    if aicoreEvents.value or deviceNums > min(MOST_DEVICES, len(machine.devices)):
        return aclprofConfig()
    if (deviceNums and deviceIdList.null) or (not deviceNums and not dataTypeConfig & ACL_PROF_MSPROFTX):
        return aclprofConfig()
    numbers = take(deviceIdList, deviceNums, "deviceIdList", ACL_ERROR_RT_PARAM_INVALID) if deviceNums else ()
    if len(set(numbers)) < len(numbers) or any(number >= len(machine.devices) for number in numbers):
        return aclprofConfig()
    return aclprofConfig(machine.handles.add(ProfilingConfig(numbers, aicoreMetrics, _with_implied(dataTypeConfig))))


@acl_api(HEADER, inert=True)
def aclprofDestroyConfig(profilerConfig: c.const_aclprofConfig_p) -> c.aclError:
    """Destroy a configuration. It must live until aclprofStop.

    Returns:
        ACL_SUCCESS: destroyed.
        ACL_ERROR_INVALID_PARAM: `profilerConfig` is null.
        ACL_ERROR_RT_PARAM_INVALID: already destroyed (only if the machine reports findings instead of raising them).
    """
    if not profilerConfig:
        raise null("profilerConfig")
    discard(profilerConfig, ProfilingConfig, "profilerConfig")


@acl_api(HEADER, inert=True)
def aclprofStart(profilerConfig: c.const_aclprofConfig_p) -> c.aclError:
    """Start a session; null means all devices and the usual switches. If the process has not called aclprofInit, this
    call initialises profiling, with the path "./". If a session runs already, the call changes nothing.

    With the switch ACL_PROF_MSPROFTX the session accepts stamps (aclprofCreateStamp).

    Returns:
        ACL_SUCCESS: started.
        ACL_ERROR_INVALID_PARAM: the configuration has no switch.
        ACL_ERROR_PROF_MODULES_UNSUPPORTED: the configuration has an unknown switch.
        ACL_ERROR_RT_PARAM_INVALID: the configuration was destroyed (only if the machine reports findings instead of
            raising them).
    """
    config = _checked(profilerConfig)
    machine = current()
    profiling = machine.profiling
    if profiling.path is None:
        profiling.path = "./"
    if profiling.running is None:
        everywhere = tuple(range(len(machine.devices)))
        profiling.running = config or ProfilingConfig(everywhere, 0, _with_implied(EVERYTHING))


@acl_api(HEADER, inert=True)
def aclprofWarmup(profilerConfig: c.const_aclprofConfig_p) -> c.aclError:
    """Prepare a device for a session before aclprofStart, so that its first records are not late.

    Returns:
        ACL_SUCCESS: prepared.
        ACL_ERROR_INVALID_PARAM: `profilerConfig` is null.
        ACL_ERROR_PROF_NOT_RUN: aclprofInit was not called.
        ACL_ERROR_PROF_API_CONFLICT: a session runs.
        ACL_ERROR_RT_PARAM_INVALID: the configuration was destroyed (only if the machine reports findings instead of
            raising them).
    """
    if not profilerConfig:
        raise null("profilerConfig")
    profiling = current().profiling
    if profiling.path is None:
        raise AclError(ACL_ERROR_PROF_NOT_RUN, Item("EP0008", ("profiling is not initialised: call aclprofInit",)))
    if profiling.running is not None:
        reason = "a session runs: call aclprofWarmup before aclprofStart"
        raise AclError(ACL_ERROR_PROF_API_CONFLICT, Item("EP0008", (reason,)))
    required(profilerConfig, ProfilingConfig, "profilerConfig")


@acl_api(HEADER, inert=True)
def aclprofStop(profilerConfig: c.const_aclprofConfig_p) -> c.aclError:
    """Stop a session, with the configuration that started it.

    Returns:
        ACL_SUCCESS: stopped; also if no session runs.
        ACL_ERROR_INVALID_PARAM: the configuration has no switch.
        ACL_ERROR_PROF_MODULES_UNSUPPORTED: the configuration has an unknown switch.
        ACL_ERROR_RT_PARAM_INVALID: the configuration was destroyed (only if the machine reports findings instead of
            raising them).
    """
    _checked(profilerConfig)
    current().profiling.running = None


@acl_api(HEADER, inert=True)
def aclprofSetConfig(configType: c.aclprofConfigType, config: c.const_char_p, configLength: c.size_t) -> c.aclError:
    """Set an option of profiling, such as a frequency in Hz. `configLength` is the length of the text.

    Returns:
        ACL_SUCCESS: accepted.
        ACL_ERROR_INVALID_PARAM: `configType` is not in [1, 16]; `config` is null; `configLength` is more than 256, or
            not the length of the text.
    """
    if configType not in OPTIONS:
        raise invalid(configType, "configType", "a value in [1, 16]")
    _check_text("config", config, "configLength", configLength, LONGEST_OPTION)
    current().profiling.options[configType] = str(config)


def _check_text(name: str, text: str | None, counter: str, length: int, longest: int) -> None:
    if text is None:
        raise null(name)
    size = len(text.encode(errors="surrogateescape"))
    if length > longest or length != size:
        raise invalid(length, counter, f"the {size} bytes of {name}")


def _with_implied(switches: int) -> int:
    """The switches, and the switches that they imply."""
    if switches & API_STATISTICS:
        return 0x1 | API_STATISTICS
    for some, implied in reversed(IMPLIED):
        if switches & some:
            switches |= implied
    return switches | (ACL_PROF_TRAINING_TRACE if switches & TASK_TIME else 0)


def _checked(number: int) -> ProfilingConfig | None:
    """The configuration of a handle, with a check of its switches; None for null."""
    if not number:
        return None
    config = required(number, ProfilingConfig, "profilerConfig")
    if not config.switches:
        raise invalid(0, "profilerConfig", "a configuration with a switch")
    if unknown := config.switches & ~KNOWN:
        text = (f"the switches {unknown:#x} of profilerConfig do not exist",)
        raise AclError(ACL_ERROR_PROF_MODULES_UNSUPPORTED, Item("EP0008", text))
    return config
