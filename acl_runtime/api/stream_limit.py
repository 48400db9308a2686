"""The limit of the streams of a device. The streams of models count too."""

from typing import Final

from acl_runtime.errors import AclError
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_NO_STREAM_RESOURCE
from acl_runtime.machine.machine import Machine
from acl_runtime.source.frames import by_site
from acl_runtime.streams.model.model import Model
from acl_runtime.streams.stream import Context

NO_STREAM: Final = (("ACL_ERROR_RT_NO_STREAM_RESOURCE", "the device has no stream left."),)
"""the status of functions that take a stream of the device"""


def check_limit(machine: Machine, context: Context, what: str) -> None:
    """207008 if the device has no stream left."""
    device, limit = context.device, context.device.stream_limit
    if device.streams_in_use >= limit:
        streams = [stream for stream in device.streams() if not stream.default]
        models = [model for model in machine.handles.all(Model) if model.context.device is device]
        lines = by_site(stream.made for stream in [*streams, *(lane for model in models for lane in model.lanes)])
        reason = f"all {limit} streams of device {device.number} ({machine.soc.label}) are in use, created: {lines}"
        raise AclError(ACL_ERROR_RT_NO_STREAM_RESOURCE, Item("EE1023", (what, reason)))
