"""Statuses of the operator library with their texts."""

from acl_runtime.errors import AclError
from acl_runtime.headers.enums import aclDataType
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACLNN_ERR_INNER_FIND_KERNEL_ERROR, ACLNN_ERR_PARAM_NULLPTR
from acl_runtime.machine.machine import Machine
from acl_runtime.objects.handle_table import Tensor
from acl_runtime.objects.soc import Soc
from acl_runtime.text import Text
from aclnn.engine.declaration import Op


def refuse(status: int, text: str) -> AclError:
    """The error with a status and its text. The first digit of the status determines the code of the message."""
    code = {1: "EZ1001", 3: "EZ9903"}.get(status // 100_000, "EZ9999")
    return AclError(status, Item(code, (text,)))


def null_pointer(function: str, parameter: str, detail: str = "") -> AclError:
    """The error for a null pointer in a call of a generated operator: 161001."""
    return AclError(ACLNN_ERR_PARAM_NULLPTR, Item("EZ1011", (function, parameter), detail))


def without_kernel(machine: Machine, name: str, lacking: str = "", *, first_only: bool = False) -> AclError:
    """The error for a documented function without a kernel: 561003.

    `lacking` is a data type without a kernel, or describes calls without one: "aclnnFoo with a mask". With `first_only`
    the function has no second phase, so users cannot provide a kernel."""
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
    return refuse(ACLNN_ERR_INNER_FIND_KERNEL_ERROR, text)


def unsupported(op: type[Op], soc: Soc) -> AclError:
    """The error of a product that refuses the operator. The declaration has the status."""
    names = "; ".join(series.value for series in op.series if series not in op.undocumented)
    text = f"{op.c_name()} does not exist on {soc.label}. Products that support it: {names}."
    return refuse(op.refusals[soc.series].status, text)


def check_bfloat16(op: type[Op], call: Op, soc: Soc) -> None:
    """Refuse BFLOAT16 on products before A2, which have no kernel for it, even if the library lists it (ours)."""
    for param in op.tensors:
        tensor: Tensor | None = call.__dict__[param.name]
        if tensor is not None and tensor.dtype == aclDataType.ACL_BF16 and tensor.numel:
            text = f"{op.c_name()} has no kernel for DT_BFLOAT16, which {param} has, on {soc.label}."
            raise refuse(op.without_kernel().status, text)


def advise(op: type[Op], machine: Machine) -> None:
    """Report once that no document lists the product for an operator, with the remark of the declaration."""
    name = op.c_name()
    if machine.consequences.first("unsupported-product", name):
        known = op.undocumented[machine.soc.series]
        text = Text("{function} on {product}: {text}.", function=name, product=machine.soc.label, text=known)
        machine.undefined("unsupported-product", text)
