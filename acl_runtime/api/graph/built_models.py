"""acl/acl_rt.h: models that a program builds of streams."""

from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.api.capture_refusals import CAPTURED, check_not_capturing, refusal
from acl_runtime.api.graph.models import own_model
from acl_runtime.api.refusals import invalid, null, out_of_range
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import (
    ACL_MODEL_STREAM_FLAG_DEFAULT,
    ACL_MODEL_STREAM_FLAG_HEAD,
    ACL_STREAM_DEVICE_USE_ONLY,
    ACL_STREAM_FAST_LAUNCH,
    ACL_STREAM_PERSISTENT,
)
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import (
    ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
    ACL_ERROR_RT_INTERNAL_ERROR,
    ACL_ERROR_RT_PARAM_INVALID,
    ACL_ERROR_RT_STREAM_MODEL,
    ACL_ERROR_STREAM_TASK_GROUP_STATUS,
)
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.objects.soc import Series
from acl_runtime.source.frames import trail
from acl_runtime.streams.model.built import BuiltModel, model_of_stream
from acl_runtime.streams.model.controls import Control, stop
from acl_runtime.streams.model.task_group import update_in
from acl_runtime.streams.stream import Stream
from acl_runtime.text import Text

HEADER: Final = "acl/acl_rt.h"
WHAT: Final = "Building a model"
OF_MODEL: Final = (("ACL_ERROR_RT_STREAM_MODEL", "the stream is bound to no model, or to another one."),)
OWN: Final = (
    ("ACL_ERROR_RT_INVALID_HANDLE", "a handle was destroyed, or is of another kind."),
    ("ACL_ERROR_RT_PARAM_INVALID", "the model was captured, not built."),
    ("ACL_ERROR_RT_CONTEXT_NULL", "the thread has no valid context."),
    ("ACL_ERROR_RT_MODEL_CONTEXT", "the model belongs to another context than the current one."),
    ("ACL_ERROR_RT_STREAM_CONTEXT", "the stream belongs to another context."),
)


@acl_api(HEADER, pyacl=None)
def aclmdlRIBuildBegin(modelRI: c.aclmdlRI_p, flag: c.uint32_t) -> c.aclError:
    """Begin to build a model of streams. Bind streams to it, submit their tasks, end it with aclmdlRIEndTask, then call
    aclmdlRIBuildEnd.

    Returns:
        ACL_SUCCESS: `*modelRI` is the model.
        ACL_ERROR_INVALID_PARAM: `modelRI` is null.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if modelRI.null:
        raise null("modelRI")
    machine = current()
    modelRI.store(machine.handles.add(BuiltModel(machine, machine.context(WHAT))))


@acl_api(HEADER, also=OWN + CAPTURED, pyacl=None)
def aclmdlRIBindStream(modelRI: c.aclmdlRI, stream: c.aclrtStream, flag: c.uint32_t) -> c.aclError:
    """Bind a stream to a model: the model stores the tasks that are submitted to it. An execution begins with the
    streams of flag ACL_MODEL_STREAM_FLAG_HEAD (0); those of ACL_MODEL_STREAM_FLAG_DEFAULT begin when they are
    activated. The stream should be persistent.

    Returns:
        ACL_SUCCESS: bound.
        ACL_ERROR_INVALID_PARAM: `modelRI` or `stream` is null.
        ACL_ERROR_RT_STREAM_MODEL: the stream is bound already.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the stream is for fast launches, or its failure mode is to stop.
        ACL_ERROR_RT_INTERNAL_ERROR: the stream is for the device alone.
        ACL_ERROR_STREAM_TASK_GROUP_STATUS: an update of a task group goes on in the stream.
    """
    machine, model, live_stream = _arguments(modelRI, stream)
    if flag not in (ACL_MODEL_STREAM_FLAG_HEAD, ACL_MODEL_STREAM_FLAG_DEFAULT):
        raise out_of_range(WHAT, flag, "flag", "ACL_MODEL_STREAM_FLAG_HEAD (0) or _DEFAULT (0x7FFFFFFF)")
    if live_stream.flags & ACL_STREAM_DEVICE_USE_ONLY:
        raise refusal(ACL_ERROR_RT_INTERNAL_ERROR, WHAT, f"{live_stream} is for the device alone")
    if live_stream.flags & ACL_STREAM_FAST_LAUNCH or live_stream.stops:
        reason = f"{live_stream} is for fast launches, or stops after a failure"
        raise refusal(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, WHAT, reason)
    if not live_stream.flags & ACL_STREAM_PERSISTENT and machine.soc.series is Series.A950:
        raise out_of_range(WHAT, live_stream.flags, "stream", "a stream with the flag ACL_STREAM_PERSISTENT")
    check_not_capturing(live_stream, WHAT)
    if model_of_stream(live_stream) is not None:
        raise refusal(ACL_ERROR_RT_STREAM_MODEL, WHAT, f"{live_stream} is bound already")
    if (update := update_in(live_stream)) is not None:
        raise refusal(ACL_ERROR_STREAM_TASK_GROUP_STATUS, WHAT, f"{update} goes on in {live_stream}")
    model.bind(live_stream, head=flag == ACL_MODEL_STREAM_FLAG_HEAD)


@acl_api(HEADER, also=OWN + OF_MODEL + CAPTURED, pyacl=None)
def aclmdlRIUnbindStream(modelRI: c.aclmdlRI, stream: c.aclrtStream) -> c.aclError:
    """Undo aclmdlRIBindStream. The model forgets the tasks of the stream.

    Returns:
        ACL_SUCCESS: unbound.
        ACL_ERROR_INVALID_PARAM: `modelRI` or `stream` is null.
    """
    model, live_stream = _bound(modelRI, stream)
    model.unbind(live_stream)


@acl_api(HEADER, also=OWN + OF_MODEL + CAPTURED, pyacl=None)
def aclmdlRIEndTask(modelRI: c.aclmdlRI, stream: c.aclrtStream) -> c.aclError:
    """Store a task that ends an execution of the model, whatever its other streams have left.

    Returns:
        ACL_SUCCESS: stored.
        ACL_ERROR_INVALID_PARAM: `modelRI` or `stream` is null.
    """
    model, live_stream = _bound(modelRI, stream)
    model.append(live_stream, Control(Text("end of {model}", model=model), (), stop, trail()))


@acl_api(HEADER, also=OWN, pyacl=None)
def aclmdlRIBuildEnd(modelRI: c.aclmdlRI, reserve: c.source_void_p) -> c.aclError:
    """End the building of a model, which can then be executed.

    Returns:
        ACL_SUCCESS: built.
        ACL_ERROR_INVALID_PARAM: `modelRI` is null, or `reserve` is not.
    """
    if not modelRI:
        raise null("modelRI")
    if reserve.value:
        raise invalid(f"{reserve.value:#x}", "reserve", "null")
    built(own_model(current(), modelRI, WHAT), WHAT).capturing = False


def built(model: object, what: str) -> BuiltModel:
    """A model that was built: 107000 for a captured one."""
    if not isinstance(model, BuiltModel):
        raise refusal(ACL_ERROR_RT_PARAM_INVALID, what, f"{model} was captured, not built")
    return model


def check_of_model(stream: Stream, parameter: str, what: str) -> BuiltModel:
    """The model to which a stream is bound: 107005 if it is bound to none."""
    model = model_of_stream(stream)
    if model is None:
        values = (what, parameter, f"{stream} is bound to no model")
        raise AclError(ACL_ERROR_RT_STREAM_MODEL, Item("EE1017", values))
    return model


def _arguments(handle: int, stream: int) -> tuple[Machine, BuiltModel, Stream]:
    if not handle:
        raise null("modelRI")
    if not stream:
        raise null("stream")
    machine = current()
    machine.stream(stream, WHAT)
    model = built(own_model(machine, handle, WHAT), WHAT)
    return machine, model, machine.own_stream(stream, WHAT)


def _bound(handle: int, stream: int) -> tuple[BuiltModel, Stream]:
    _, model, live_stream = _arguments(handle, stream)
    check_not_capturing(live_stream, WHAT)
    if live_stream not in model.bound:
        values = (WHAT, "stream", f"{live_stream} is not bound to {model}")
        raise AclError(ACL_ERROR_RT_STREAM_MODEL, Item("EE1017", values))
    return model, live_stream
