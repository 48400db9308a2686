"""acl/acl_mdl.h: loading and unloading of models."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.abi.pointers import Address, Out
from acl_runtime.api.live_objects import host_bytes
from acl_runtime.api.mdl.lookup import HEADER, UNKNOWN_ID, loaded
from acl_runtime.api.memory.allocation_checks import allocated
from acl_runtime.api.refusals import invalid, null
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import (
    ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID,
    ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID,
    ACL_ERROR_GE_EXEC_NOT_INIT,
    ACL_ERROR_GE_PARAM_INVALID,
)
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.memory.allocation import OWNED
from acl_runtime.memory.sizes import round_up
from acl_runtime.models import files
from acl_runtime.models.described import work_size
from acl_runtime.models.files import Unstated
from acl_runtime.models.loaded import LoadedModel
from acl_runtime.models.statement import BLOCK, Model
from acl_runtime.source.frames import trail
from acl_runtime.text import Text

LOADING: Final = "Loading a model"
LOADS: Final = (
    ("ACL_ERROR_GE_EXEC_NOT_INIT", "aclInit was not called."),
    ("ACL_ERROR_RT_CONTEXT_NULL", "the calling thread has no current context."),
    ("ACL_ERROR_RT_MEMORY_ALLOCATION", "the device has no memory left for the model."),
)
NO_FILE: Final = (
    "ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID",
    "the file is missing or empty, or no statement says what the model is; the text says how to give one.",
)
NO_CONTENT: Final = (
    "ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID",
    "no statement says what the model is; the text says how to give one.",
)
TOO_SMALL: Final = ("ACL_ERROR_GE_PARAM_INVALID", "memory that the program gives is smaller than the model needs.")
UNREADABLE: Final = ("ACL_ERROR_RT_PARAM_INVALID", "the content cannot be read, and findings are only reported.")
NULL_CONTENT: Final = ("ACL_ERROR_INVALID_PARAM", "`model` or `modelId` is null, or `modelSize` is 0.")


@acl_api(HEADER, also=(NO_FILE, *LOADS), resource=True)
def aclmdlLoadFromFile(modelPath: c.const_char_p, modelId: c.uint32_t_p) -> c.aclError:
    """Load a model from a file, onto the device of the current context. The content of the file is not read: a
    statement in `machine.models`, in a JSON file or in an ONNX file beside it says what the model is.

    Returns:
        ACL_SUCCESS: `*modelId` is the id: 1 for the first load, then 2 and so on.
        ACL_ERROR_INVALID_PARAM: `modelPath` or `modelId` is null.
    """
    load_model(lambda: of_file(modelPath), modelId)


@acl_api(HEADER, also=(NO_FILE, TOO_SMALL, *LOADS), resource=True)
def aclmdlLoadFromFileWithMem(
    modelPath: c.const_char_p,
    modelId: c.uint32_t_p,
    workPtr: c.source_void_p,
    workSize: c.size_t,
    weightPtr: c.source_void_p,
    weightSize: c.size_t,
) -> c.aclError:
    """aclmdlLoadFromFile with memory that the program gives, and keeps until the model is unloaded. For a null pointer
    the load allocates the memory.

    Returns:
        ACL_SUCCESS: `*modelId` is the id.
        ACL_ERROR_INVALID_PARAM: `modelPath` or `modelId` is null.
    """
    load_model(lambda: of_file(modelPath), modelId, (workPtr, workSize), (weightPtr, weightSize))


@acl_api(HEADER, also=(NULL_CONTENT, NO_CONTENT, UNREADABLE, *LOADS), resource=True)
def aclmdlLoadFromMem(model: c.const_void_p, modelSize: c.size_t, modelId: c.uint32_t_p) -> c.aclError:
    """Load a model from its content in host memory, which may be freed when the call returns. The begin of the content
    finds the statement in `machine.models`.

    Returns:
        ACL_SUCCESS: `*modelId` is the id.
    """
    load_model(lambda: of_content(model, modelSize), modelId)


@acl_api(HEADER, also=(NULL_CONTENT, NO_CONTENT, UNREADABLE, TOO_SMALL, *LOADS), resource=True)
def aclmdlLoadFromMemWithMem(
    model: c.const_void_p,
    modelSize: c.size_t,
    modelId: c.uint32_t_p,
    workPtr: c.source_void_p,
    workSize: c.size_t,
    weightPtr: c.source_void_p,
    weightSize: c.size_t,
) -> c.aclError:
    """aclmdlLoadFromMem with memory that the program gives, and keeps until the model is unloaded. For a null pointer
    the load allocates the memory.

    Returns:
        ACL_SUCCESS: `*modelId` is the id.
    """
    load_model(lambda: of_content(model, modelSize), modelId, (workPtr, workSize), (weightPtr, weightSize))


@acl_api(HEADER, also=(UNKNOWN_ID,), resource=True)
def aclmdlUnload(modelId: c.uint32_t) -> c.aclError:
    """Unload a model and free the memory that the load allocated. The call does not wait for executions.

    Returns:
        ACL_SUCCESS: unloaded. The id is never used again.
    """
    machine, model = current(), loaded(modelId)
    check_context(machine, model)
    if unfinished := machine.unfinished_of(list(model.last.values())):
        what = Text("{model} is unloaded while its execution is queued or running.", model=model)
        machine.undefined("model-unloaded-early", what, *[task.past() for task in unfinished], *model.past())
        machine.run_first([task.stream for task in unfinished])
    if model.own_work is not None and not model.own_work.gone:
        model.context.device.memory.free(model.own_work)
    if (stream := model.stream) is not None and stream.live:
        del stream.context.streams[stream]
        stream.context.device.stream_ids.give(stream.id)
        machine.scheduler.end(stream)
    del machine.models.loaded[modelId]
    machine.models.unloaded[modelId] = model
    model.ends(("", Text("unloaded"), trail()))


def of_file(path: str | None) -> tuple[str, Model]:
    """The name and the statement of the model in a file; 145002 if there is none."""
    if path is None:
        raise null("modelPath")
    try:
        if not Path(path).is_file() or not Path(path).stat().st_size:
            raise Unstated("the file is missing or empty")
        return Path(path).name, files.of_file(current().models, path)
    except (Unstated, OSError) as error:
        raise AclError(ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID, Item("EH0003", (path, str(error)))) from None


def of_content(model: Address, size: int) -> tuple[str, Model]:
    """The name and the statement of the model with this content; 145006 if there is none."""
    if not model.value:
        raise null("model")
    if not size:
        raise invalid(0, "modelSize", "a value greater than 0")
    content = host_bytes(model, size, "model")
    try:
        return files.of_content(current().models, content)
    except Unstated as error:
        raise AclError(ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID, Item("EH9999", (str(error),))) from None


def check_context(machine: Machine, model: LoadedModel) -> None:
    """Report a use of a model in another context than that of its load."""
    context = machine.find_context()
    if context is not None and context is not model.context and model.context.alive:
        text = Text(
            "{model} was loaded in {context}, and is used in {other}.",
            model=model,
            context=model.context,
            other=context,
        )
        machine.undefined("model-other-context", text, *model.past())


def load_model(
    find: Callable[[], tuple[str, Model]],
    id: Out[int],
    work: tuple[Address, int] | None = None,
    weights: tuple[Address, int] | None = None,
) -> None:
    """Load a model. `work`, `weights`: address and size of the memory that the program gives, if it can give some."""
    name, model = find()
    if id.null:
        raise null("modelId")
    machine = current()
    if not machine.initialisation.count:
        text = "aclInit was not called, which prepares the executor of models"
        raise AclError(ACL_ERROR_GE_EXEC_NOT_INIT, Item("EH9999", (text,)))
    context = machine.context(LOADING)
    loaded_model = LoadedModel(machine.models.next_id(), name, model, context)
    needed = work_size(model)
    loaded_model.work = _given(work, needed, "workSize")
    loaded_model.weights = _given(weights, model.weight_size, "weightSize")
    if not loaded_model.work[0]:
        size = max(needed, BLOCK)
        own = loaded_model.own_work = allocated(context.device.memory, size, round_up(size, BLOCK))
        own.notes[OWNED] = True
        loaded_model.work = own.address, own.size
    machine.models.loaded[loaded_model.id] = loaded_model
    id.store(loaded_model.id)


def _given(memory: tuple[Address, int] | None, needed: int, parameter: str) -> tuple[int, int]:
    """The address and the used size of memory that the program gives; 145000 if there is too little."""
    if memory is None or not memory[0].value:
        return 0, 0
    if memory[1] < needed:
        expected = f"{needed} or more, as aclmdlQuerySize returns it"
        raise AclError(ACL_ERROR_GE_PARAM_INVALID, Item("EH0007", (memory[1], parameter, expected)))
    return memory[0].value, needed
