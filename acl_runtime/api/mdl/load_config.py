"""acl/acl_mdl.h: loads of models with options."""

from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.abi.pointers import Address
from acl_runtime.api.live_objects import discard_required, required
from acl_runtime.api.mdl.load import LOADS, NO_CONTENT, NO_FILE, TOO_SMALL, UNREADABLE, load_model, of_content, of_file
from acl_runtime.api.mdl.lookup import DEAD, HEADER
from acl_runtime.api.memory.buffers import load_option, load_text
from acl_runtime.api.refusals import invalid, null
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers import enums
from acl_runtime.headers.enums import aclmdlConfigAttr as Attr
from acl_runtime.headers.handles import aclmdlConfigHandle
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_API_NOT_SUPPORT
from acl_runtime.machine.current import current
from acl_runtime.objects.handle_table import Thing
from acl_runtime.text import Text

WIDTHS: Final[dict[int, int]] = {int(attr): 4 if attr is Attr.ACL_MDL_PRIORITY_INT32 else 8 for attr in Attr}
"""bytes of the value of each option"""
PATHS: Final = (Attr.ACL_MDL_PATH_PTR, Attr.ACL_MDL_WEIGHT_PATH_PTR)
LONGEST_PATH: Final = 4095
FROM_FILE: Final = (
    enums.ACL_MDL_LOAD_FROM_FILE, enums.ACL_MDL_LOAD_FROM_FILE_WITH_MEM, enums.ACL_MDL_LOAD_FROM_FILE_WITH_Q,
)  # fmt: skip
WITH_MEMORY: Final = (enums.ACL_MDL_LOAD_FROM_FILE_WITH_MEM, enums.ACL_MDL_LOAD_FROM_MEM_WITH_MEM)
WITH_QUEUES: Final = (enums.ACL_MDL_LOAD_FROM_FILE_WITH_Q, enums.ACL_MDL_LOAD_FROM_MEM_WITH_Q)
QUEUES: Final = (
    Attr.ACL_MDL_INPUTQ_NUM_SIZET, Attr.ACL_MDL_INPUTQ_ADDR_PTR,
    Attr.ACL_MDL_OUTPUTQ_NUM_SIZET, Attr.ACL_MDL_OUTPUTQ_ADDR_PTR,
)  # fmt: skip
MEMORY: Final = (Attr.ACL_MDL_MEM_ADDR_PTR, Attr.ACL_MDL_MEM_SIZET)


class LoadOptions(Thing):
    """aclmdlConfigHandle: the options of a load."""

    kind = Text("load options")
    destroyer = "aclmdlDestroyConfigHandle"
    leak = "tensor-leaked"

    def __init__(self) -> None:
        super().__init__()
        self.values: dict[int, int] = {}
        """numbers and pointers by option"""
        self.texts: dict[int, str] = {}
        """paths by option, which the call copies"""


@acl_api(HEADER)
def aclmdlCreateConfigHandle() -> c.new_aclmdlConfigHandle:
    """Create the options of a load, none of which is set."""
    return aclmdlConfigHandle(current().handles.add(LoadOptions()))


@acl_api(HEADER, also=(DEAD,))
def aclmdlDestroyConfigHandle(handle: c.aclmdlConfigHandle_p) -> c.aclError:
    """Destroy the options of a load. Models that were loaded with them stay.

    Returns:
        ACL_SUCCESS: destroyed.
        ACL_ERROR_INVALID_PARAM: `handle` is null.
    """
    discard_required(handle, LoadOptions, "handle")


@acl_api(HEADER, also=(DEAD,))
def aclmdlSetConfigOpt(
    handle: c.aclmdlConfigHandle_p, attr: c.aclmdlConfigAttr, attrValue: c.const_void_p, valueSize: c.size_t
) -> c.aclError:
    """Set an option from the `valueSize` bytes at `attrValue`. The end of an option's name is the type of its value:
    INT32, SIZET, or PTR for a pointer. Paths are copied. Other memory to which an option points must live until the
    load.

    Returns:
        ACL_SUCCESS: set.
        ACL_ERROR_INVALID_PARAM: `handle` or `attrValue` is null, there is no such option, `valueSize` is not the size
            of its type, or a path is too long.
    """
    options = required(handle, LoadOptions, "handle")
    if not attrValue.value:
        raise null("attrValue")
    if attr not in WIDTHS:
        raise invalid(attr, "attr", f"an aclmdlConfigAttr from 0 to {max(WIDTHS)}")
    value = load_option(attrValue, valueSize, WIDTHS[attr], "attrValue")
    if attr in PATHS and value:
        text = load_text(value, LONGEST_PATH, "attrValue")
        if text is None:
            raise invalid("a longer one", "attrValue", f"a path of at most {LONGEST_PATH} bytes")
        options.texts[attr] = text.decode(errors="surrogateescape")
    options.values[attr] = value


@acl_api(HEADER, also=(NO_FILE, NO_CONTENT, TOO_SMALL, UNREADABLE, *LOADS), resource=True)
def aclmdlLoadWithConfig(handle: c.const_aclmdlConfigHandle_p, modelId: c.uint32_t_p) -> c.aclError:
    """Load a model with options. ACL_MDL_LOAD_TYPE_SIZET is the kind of the load, such as ACL_MDL_LOAD_FROM_FILE. A
    statement says what the model is, as for aclmdlLoadFromFile and aclmdlLoadFromMem. The priority, weights in files
    of their own, and the kind of work memory have no effect.

    Returns:
        ACL_SUCCESS: `*modelId` is the id.
        ACL_ERROR_INVALID_PARAM: `handle` or `modelId` is null, an option that the kind of the load needs is not set,
            or ACL_MDL_WEIGHT_PATH_PTR is set for a load from a file.
        ACL_ERROR_API_NOT_SUPPORT: the load is one with queues, which the emulator lacks.
    """
    options = required(handle, LoadOptions, "handle")
    if modelId.null:
        raise null("modelId")
    values, kind = options.values, options.values.get(Attr.ACL_MDL_LOAD_TYPE_SIZET, 0)
    if not enums.ACL_MDL_LOAD_FROM_FILE <= kind <= enums.ACL_MDL_LOAD_FROM_MEM_WITH_Q:
        raise invalid(kind, "ACL_MDL_LOAD_TYPE_SIZET", "a kind of load from 1 to 6")
    from_file = kind in FROM_FILE
    needed = ((Attr.ACL_MDL_PATH_PTR,) if from_file else MEMORY) + (QUEUES if kind in WITH_QUEUES else ())
    for attr in needed:
        if not values.get(attr):
            raise invalid("nothing", attr.name, f"a value, as ACL_MDL_LOAD_TYPE_SIZET is {kind}")
    if from_file and values.get(Attr.ACL_MDL_WEIGHT_PATH_PTR):
        raise invalid("a path", "ACL_MDL_WEIGHT_PATH_PTR", "no value for a load from a file")
    if kind in WITH_QUEUES:
        reason = "the emulator has no models with queues"
        raise AclError(ACL_ERROR_API_NOT_SUPPORT, Item("EH0006", ("aclmdlLoadWithConfig for this load", reason)))
    memory = [
        (Address(values.get(address, 0)), values.get(size, 0)) if kind in WITH_MEMORY else None
        for address, size in (
            (Attr.ACL_MDL_WORKSPACE_ADDR_PTR, Attr.ACL_MDL_WORKSPACE_SIZET),
            (Attr.ACL_MDL_WEIGHT_ADDR_PTR, Attr.ACL_MDL_WEIGHT_SIZET),
        )
    ]
    if from_file:
        load_model(lambda: of_file(options.texts[Attr.ACL_MDL_PATH_PTR]), modelId, *memory)
    else:
        content = Address(values[Attr.ACL_MDL_MEM_ADDR_PTR]), values[Attr.ACL_MDL_MEM_SIZET]
        load_model(lambda: of_content(*content), modelId, *memory)
