"""Statuses of the operator library with their texts."""

from typing import Final

from acl_runtime.errors import AclError
from acl_runtime.headers.enums import aclDataType
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACLNN_ERR_INNER_FIND_KERNEL_ERROR, ACLNN_ERR_PARAM_NULLPTR
from acl_runtime.machine.machine import Machine
from acl_runtime.objects.handle_table import Tensor
from acl_runtime.objects.soc import Soc
from aclnn.catalogue.index import names
from aclnn.engine.declaration import Op

CLOSE: Final = 0.85
"""so similar, from 0 to 1, is a misspelt name to the right one"""


def refuse(status: int, text: str) -> AclError:
    """A status with its text; its first digit decides the code of the record."""
    code = {1: "EZ1001", 3: "EZ9903"}.get(status // 100_000, "EZ9999")
    return AclError(status, Item(code, (text,)))


def null_pointer(function: str, parameter: str, detail: str = "") -> AclError:
    """A null pointer that a generated operator found: 161001."""
    return AclError(ACLNN_ERR_PARAM_NULLPTR, Item("EZ1011", (function, parameter), detail))


def without_kernel(machine: Machine, name: str, lacking: str = "", *, first_only: bool = False) -> AclError:
    """The emulator has no kernel for a documented function, or for `lacking`: a data type of it, or some of its calls,
    as "aclnnFoo with a mask". 561003. One without a second phase cannot be given one."""
    machine.kernels.missed[name] += 1
    if lacking not in ("", name) and not lacking.startswith(f"{name} with "):
        text = (
            f"This emulator has no kernel for {lacking}: numpy has no such type, so a kernel of yours could not get it."
        )
        return refuse(ACLNN_ERR_INNER_FIND_KERNEL_ERROR, text)
    text = f"This emulator has no kernel for {lacking or name}: its interface is known, but not its formula."
    if not first_only:
        text += (
            f' Give it one: @aclnn.kernel("{name}") above a function of numpy arrays, or machine.kernels["{name}"] = '
            "function (aclnn docs my-operator-is-missing)."
        )
        text += _misspelt(machine, name)
    return refuse(ACLNN_ERR_INNER_FIND_KERNEL_ERROR, text)


def _misspelt(machine: Machine, name: str) -> str:
    """A sentence about a kernel of the user's whose name is no function and similar to this one."""
    from difflib import get_close_matches  # late: only a mistake needs it

    given = [each for each in (*machine.kernels, *machine.kernels.shared) if each not in names()]
    close = get_close_matches(name.casefold(), [each.casefold() for each in given], n=1, cutoff=CLOSE)
    found = [each for each in given if each.casefold() in close]
    return f' There is a kernel for "{found[0]}", which is no function: is the name misspelt?' if found else ""


def unsupported(op: type[Op], soc: Soc) -> AclError:
    """The product refuses the operator, with the status that its declaration gives."""
    names = "; ".join(series.value for series in op.series if series not in op.undocumented)
    text = f"{op.c_name()} does not exist on {soc.label}. Products that support it: {names}."
    return refuse(op.refusals[soc.series].status, text)


def check_bfloat16(op: type[Op], call: Op, soc: Soc) -> None:
    """Products before A2 have no kernel for BFLOAT16, also where the lists of the library have this type (ours)."""
    for param in op.tensors:
        tensor: Tensor | None = call.__dict__[param.name]
        if tensor is not None and tensor.dtype == aclDataType.ACL_BF16 and tensor.numel:
            text = f"{op.c_name()} has no kernel for DT_BFLOAT16, which {param} has, on {soc.label}."
            raise refuse(op.without_kernel().status, text)


def advise(op: type[Op], machine: Machine) -> None:
    """Report once that no document lists the product for an operator, and what else is known."""
    name = op.c_name()
    if machine.consequences.first("unsupported-product", name):
        text = f"{name} on {machine.soc.label}: {op.undocumented[machine.soc.series]}."
        machine.undefined("unsupported-product", text)
