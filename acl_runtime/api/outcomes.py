"""Statuses that many functions may return: functions that wait for a stream, query it, or queue work in it."""

from typing import Final

FAILED: Final = (
    ("ACL_ERROR_RT_AICORE_TIMEOUT", "an operator took longer than its limit."),
    ("ACL_ERROR_RT_AICORE_EXCEPTION", "a task failed on the device."),
    ("ACL_ERROR_RT_AICPU_EXCEPTION", "a task failed on an AI CPU of the device."),
    ("ACL_ERROR_RT_VECTOR_CORE_EXCEPTION", "a task failed on a vector core of the device."),
    ("ACL_ERROR_RT_FFTS_PLUS_TIMEOUT", "an operation of several ranks did not take place."),
    ("ACL_ERROR_RT_EVENT_SYNC_TIMEOUT", "a stream waited for an event longer than its timeout."),
    ("ACL_ERROR_RT_MEMORY_ALLOCATION", "the host that runs the emulator has no memory for a task."),
)
NO_HOST_MEMORY: Final = (
    ("ACL_ERROR_RT_MEMORY_ALLOCATION", "the host that runs the emulator has no memory left for the bytes."),
)
"""statuses of functions that write device memory at once"""
ABORTED: Final = (("ACL_ERROR_RT_STREAM_ABORT", "a stream was aborted."),)
QUERIES: Final = ABORTED + FAILED
"""statuses of functions that query a stream: "an asynchronous failure surfaces at the next synchronise/query" """
WAITS: Final = (
    (
        "ACL_ERROR_RT_STREAM_SYNC_TIMEOUT",
        "the work can never be done (only if the machine reports findings instead of raising them).",
    ),
    *QUERIES,
)
"""statuses of functions that wait for streams"""
_IN_GROUP: Final = (("ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT", "a task group, which takes operators only, is open."),)
LAUNCHES: Final = ABORTED + tuple((name, f"in stop mode: {meaning}") for name, meaning in FAILED) + _IN_GROUP
"""statuses of functions that queue work in a stream"""
EITHER: Final = tuple(dict((*WAITS, *LAUNCHES)).items())
"""statuses of copies, which wait for the stream or queue work in it"""
