"""Helpers of the functions for models: the model of a handle, and its end."""

from acl_runtime.api.capture_refusals import refusal
from acl_runtime.api.refusals import null
from acl_runtime.errors import AclError
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_FEATURE_NOT_SUPPORT, ACL_ERROR_RT_MODEL_CONTEXT
from acl_runtime.machine.contexts import live_object
from acl_runtime.machine.machine import Machine
from acl_runtime.streams.model.model import Model


def model_of(machine: Machine, handle: int, what: str) -> Model:
    """The model of a handle: 100000 for null, 107017 for a dead handle or a handle of another kind."""
    if not handle:
        raise null("modelRI")
    return live_object(machine.handles, handle, Model, what, "modelRI")


def own_model(machine: Machine, handle: int, what: str) -> Model:
    """The model of a handle, which must belong to the current context: 107004 otherwise."""
    model = model_of(machine, handle, what)
    context = machine.context(what)
    if model.context is not context:
        extra = f"{model} belongs to {model.context}, the current one is {context}"
        raise AclError(ACL_ERROR_RT_MODEL_CONTEXT, Item("EE1010", (what, "modelRI", extra)))
    return model


def check_whole(model: Model, what: str) -> None:
    """207000 for the body of a condition."""
    if model.body_of is not None:
        raise refusal(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, what, f"{model} belongs to {model.body_of}")


def end_model(machine: Machine, model: Model, reason: str) -> None:
    """End a model with its streams, task groups, conditions and stored tasks. `reason` completes "it was ..."."""
    if (capture := machine.captures.of_model(model)) is not None:
        machine.captures.end(capture)
    for condition in model.conditions:
        for body in condition.bodies:
            if body.gone is None:
                end_model(machine, body, reason)
        machine.handles.remove(condition, reason)
        if not condition.cell.gone:
            model.context.device.memory.free(condition.cell)
    for lane in model.lanes:
        machine.scheduler.end(lane)
        lane.context.device.stream_ids.give(lane.id)
    tasks = [node.handle for node in model.nodes if node.handle is not None]
    for thing in [*(lane.handle for lane in model.lanes), *model.groups, *tasks]:
        machine.handles.remove(thing, reason)
    machine.handles.remove(model, reason)
    model.nodes, model.lanes, model.conditions = [], [], []


def call_back(machine: Machine, model: Model) -> None:
    """Call the functions of aclmdlRIDestroyRegisterCallback, after the end of the model."""
    for function, data in model.callbacks:
        with machine.calling_out():
            function(data)
