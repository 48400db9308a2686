"""Objects of acl_mdl.h by their ids, handles and indexes, with the refusals that many of its functions share."""

from typing import Final

from acl_runtime.api.live_objects import required
from acl_runtime.api.refusals import invalid
from acl_runtime.errors import AclError
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_GE_EXEC_MODEL_ID_INVALID
from acl_runtime.machine.current import current
from acl_runtime.models.described import Described
from acl_runtime.models.loaded import LoadedModel
from acl_runtime.models.objects import ModelDescription

HEADER: Final = "acl/acl_mdl.h"
UNKNOWN_ID: Final = ("ACL_ERROR_GE_EXEC_MODEL_ID_INVALID", "no model with this id is loaded.")
DEAD: Final = ("ACL_ERROR_RT_PARAM_INVALID", "a handle is dead, and findings are only reported.")


def loaded(id: int) -> LoadedModel:
    """The loaded model of an id; 145003 if there is none."""
    models = current().models
    model = models.loaded.get(id)
    if model is None:
        gone = models.unloaded.get(id)
        why = f"({gone} was {gone.history()})" if gone is not None else ""
        expected = "the id of a loaded model"
        raise AclError(ACL_ERROR_GE_EXEC_MODEL_ID_INVALID, Item("EH0007", (id, "modelId", expected), why))
    return model


def tensor_at(desc: ModelDescription, index: int, *, output: bool) -> Described:
    """An input or an output by its index; 100000 if there is none."""
    side = desc.outputs if output else desc.inputs
    if index >= len(side):
        raise invalid(index, "index", f"less than the {len(side)} {'outputs' if output else 'inputs'}")
    return side[index]


def tensor_of(desc: int, index: int, *, output: bool) -> Described:
    """An input or an output of a description; 100000 for a null handle or an index without one."""
    return tensor_at(required(desc, ModelDescription, "modelDesc"), index, output=output)
