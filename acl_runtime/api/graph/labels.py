"""acl/acl_rt.h: labels, and tasks that choose the next tasks of a built model."""

import operator
from collections.abc import Callable
from ctypes import c_uint64
from typing import Any, Final

import numpy as np

import acl_runtime.abi.built as b
import acl_runtime.abi.c as c
from acl_runtime.abi.pointers import Address
from acl_runtime.api.graph.built_models import check_of_model
from acl_runtime.api.memory.buffers import load_array
from acl_runtime.api.refusals import check_product, invalid, null, out_of_range
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_INTERNAL_ERROR, ACL_ERROR_RT_LABEL_CONTEXT
from acl_runtime.machine.contexts import live_object
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.memory.copies import Kind, Side, bad_address, kind_of, locate
from acl_runtime.source.frames import trail
from acl_runtime.streams.model.controls import Control, Label, LabelList, Place, activate, jump, switch
from acl_runtime.text import Text

HEADER: Final = "acl/acl_rt.h"
LABELS: Final = "A label"
SWITCHING: Final = "Switching streams"
MOST: Final = 65535
CONDITIONS: Final[tuple[Callable[[int, int], bool], ...]] = (
    operator.eq,
    operator.ne,
    operator.gt,
    operator.ge,
    operator.lt,
    operator.le,
)
"""comparisons, by aclrtCondition"""
TYPES: Final[tuple[Any, ...]] = (np.int32, np.int64)
"""types of the numbers, by aclrtCompareDataType"""
OF_MODEL: Final = (("ACL_ERROR_RT_STREAM_MODEL", "a stream is bound to no model."),)


@acl_api(HEADER, pyacl=None)
def aclrtCreateLabel(label: b.aclrtLabel_p) -> c.aclError:
    """Create a label in the current context.

    Returns:
        ACL_SUCCESS: `*label` is the label.
        ACL_ERROR_INVALID_PARAM: `label` is null.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if label.null:
        raise null("label")
    machine = current()
    label.store(machine.handles.add(Label(machine.context(LABELS))))


@acl_api(HEADER, pyacl=None)
def aclrtDestroyLabel(label: b.aclrtLabel) -> c.aclError:
    """Destroy a label.

    Returns:
        ACL_SUCCESS: destroyed.
        ACL_ERROR_INVALID_PARAM: `label` is null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_LABEL_CONTEXT: the label belongs to another context.
    """
    machine, live_label = _label(label)
    machine.handles.remove(live_label)


@acl_api(HEADER, also=OF_MODEL, pyacl=None)
def aclrtSetLabel(label: b.aclrtLabel, stream: c.aclrtStream) -> c.aclError:
    """Set a label at the present place in a stream of a built model.

    Returns:
        ACL_SUCCESS: set.
        ACL_ERROR_INVALID_PARAM: an argument is null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_LABEL_CONTEXT: the label belongs to another context.
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    if label and not stream:
        raise null("stream")
    machine, live_label = _label(label)
    live_stream = machine.own_stream(stream, LABELS)
    model = check_of_model(live_stream, "stream", LABELS)
    live_label.model, live_label.place = model, Place(live_stream, len(model.bound[live_stream]))


@acl_api(HEADER, pyacl=None)
def aclrtCreateLabelList(labels: b.aclrtLabels, num: c.size_t, labelList: b.aclrtLabelList_p) -> c.aclError:
    """Make a list of labels that are set, all in streams of one model.

    Returns:
        ACL_SUCCESS: `*labelList` is the list.
        ACL_ERROR_INVALID_PARAM: `labels` or `labelList` is null.
        ACL_ERROR_RT_PARAM_INVALID: `num` is 0 or more than 65535; or `labels` has fewer elements (only if the machine
            reports findings instead of raising them).
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_LABEL_CONTEXT: a label belongs to another context.
        ACL_ERROR_RT_INTERNAL_ERROR: a label is not set, or belongs to another model.
    """
    if not labels.value:
        raise null("labels")
    if labelList.null:
        raise null("labelList")
    if not 0 < num <= MOST:
        raise out_of_range(LABELS, num, "num", f"[1, {MOST}]")
    numbers = load_array(labels, c_uint64, num, "labels")
    live_labels = [_label(number, "labels")[1] for number in numbers]
    models = {label.model for label in live_labels}
    if len(models) > 1 or None in models:
        reason = (LABELS, "a label is not set, or the labels are of several models")
        raise AclError(ACL_ERROR_RT_INTERNAL_ERROR, Item("EE1018", reason))
    labelList.store(current().handles.add(LabelList(live_labels)))


@acl_api(HEADER, pyacl=None)
def aclrtDestroyLabelList(labelList: b.aclrtLabelList) -> c.aclError:
    """Destroy a list of labels. The labels stay.

    Returns:
        ACL_SUCCESS: destroyed.
        ACL_ERROR_INVALID_PARAM: `labelList` is null.
        ACL_ERROR_RT_INVALID_HANDLE
    """
    if not labelList:
        raise null("labelList")
    handles = current().handles
    handles.remove(live_object(handles, labelList, LabelList, LABELS, "labelList"))


@acl_api(HEADER, also=OF_MODEL, pyacl=None)
def aclrtSwitchLabelByIndex(
    ptr: c.source_void_p, maxValue: c.uint32_t, labelList: b.aclrtLabelList, stream: c.aclrtStream
) -> c.aclError:
    """Store a task that goes on at the label whose number, a uint32_t, is in device memory at `ptr` when the task runs;
    at the last label if the number is too large. The rest of the stream is skipped.

    Returns:
        ACL_SUCCESS: stored.
        ACL_ERROR_INVALID_PARAM: `ptr`, `labelList` or `stream` is null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_PARAM_INVALID: `ptr` is no live device memory.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    for name, value in (("ptr", ptr.value), ("labelList", labelList), ("stream", stream)):
        if not value:
            raise null(name)
    machine = current()
    labels = live_object(machine.handles, labelList, LabelList, LABELS, "labelList").labels
    live_stream = machine.own_stream(stream, LABELS)
    model = check_of_model(live_stream, "stream", LABELS)
    side = cell(machine, ptr, 4, "ptr")
    model.append(live_stream, Control(Text("switch by label"), (side,), jump(side, maxValue, labels), trail()))


@acl_api(HEADER, also=OF_MODEL, pyacl=None)
def aclrtActiveStream(activeStream: c.aclrtStream, stream: c.aclrtStream) -> c.aclError:
    """Store a task, in `stream`, that lets another stream of a built model begin.

    Returns:
        ACL_SUCCESS: stored.
        ACL_ERROR_INVALID_PARAM: an argument is null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    what = "Activating a stream"
    for name, value in (("activeStream", activeStream), ("stream", stream)):
        if not value:
            raise null(name)
    machine = current()
    active, live_stream = machine.stream(activeStream, what, "activeStream"), machine.stream(stream, what)
    machine.context(what)
    model = check_of_model(live_stream, "stream", what)
    check_of_model(active, "activeStream", what)
    machine.own_stream(stream, what)
    check_product(what)
    name = Text("activation of {stream}", stream=active)
    model.append(live_stream, Control(name, (), activate(active), trail()))


@acl_api(HEADER, also=OF_MODEL, pyacl=None)
def aclrtSwitchStream(
    leftValue: c.source_void_p,
    cond: b.aclrtCondition,
    rightValue: c.source_void_p,
    dataType: b.aclrtCompareDataType,
    trueStream: c.aclrtStream,
    falseStream: c.aclrtStream,
    stream: c.aclrtStream,
) -> c.aclError:
    """Store a task that compares two numbers in device memory, int32_t (0) or int64_t (1), when it runs: ==, !=, >, >=,
    <, <= (0 to 5). If they compare so, `trueStream` begins, and the rest of `stream` is skipped; else `stream` goes on.

    Returns:
        ACL_SUCCESS: stored.
        ACL_ERROR_INVALID_PARAM: `leftValue`, `rightValue`, `trueStream` or `stream` is null, or `falseStream` is not.
        ACL_ERROR_RT_PARAM_INVALID: `cond` or `dataType` does not exist; an address is no live device memory.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    for name, value in (
        ("leftValue", leftValue.value),
        ("rightValue", rightValue.value),
        ("trueStream", trueStream),
        ("stream", stream),
    ):
        if not value:
            raise null(name)
    if falseStream:
        raise invalid(f"{falseStream:#x}", "falseStream", "null, it is reserved")
    if not 0 <= cond < len(CONDITIONS):
        raise out_of_range(SWITCHING, cond, "cond", "an aclrtCondition")
    if not 0 <= dataType < len(TYPES):
        raise out_of_range(SWITCHING, dataType, "dataType", "an aclrtCompareDataType")
    machine = current()
    target, live_stream = machine.stream(trueStream, SWITCHING, "trueStream"), machine.stream(stream, SWITCHING)
    model = check_of_model(live_stream, "stream", SWITCHING)
    check_of_model(target, "trueStream", SWITCHING)
    machine.own_stream(stream, SWITCHING)
    check_product(SWITCHING)
    dtype = TYPES[dataType]
    width = np.dtype(dtype).itemsize
    sides = (cell(machine, leftValue, width, "leftValue"), cell(machine, rightValue, width, "rightValue"))
    decide = switch(sides, dtype, CONDITIONS[cond], target)
    model.append(live_stream, Control(Text("switch to {stream}", stream=target), sides, decide, trail()))


def _label(number: int, parameter: str = "label") -> tuple[Machine, Label]:
    if not number:
        raise null(parameter)
    machine = current()
    label = live_object(machine.handles, number, Label, LABELS, parameter)
    context = machine.context(LABELS)
    if label.context is not context:
        extra = f"{label} belongs to {label.context}, the current one is {context}"
        raise AclError(ACL_ERROR_RT_LABEL_CONTEXT, Item("EE1010", (LABELS, parameter, extra)))
    return machine, label


def cell(machine: Machine, pointer: Address, count: int, name: str) -> Side:
    """A number in device memory. The checks see an access to its bytes alone."""
    if kind_of(machine, pointer.value) is not Kind.DEVICE:
        raise bad_address(machine, pointer.value, name)
    side = locate(machine, pointer, count, name, write=False)
    side.available = min(side.available, count)
    return side
