"""FFN, a feed-forward network: two products with an activation between them, perhaps with weights for each expert."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from aclnn.op import Array, Kernel, Operand, Planning, T, constant, in_memory, numpy_dtype, planned
from aclnn.ops.activation.smooth import fast_gelu_of, gelu_by_tanh, silu_of
from aclnn.ops.grouped._family import COUNTS, ENDS, FLOAT, INT8
from aclnn.ops.grouped._ffn_contract import (
    GATED,
    TOKENS,
    activation,
    antiquantised,
    called,
    contract,
    experts,
    quantised,
    sizes,
    value,
    with_experts,
)
from aclnn.ops.grouped._kernels import by_groups, check_groups, relu
from aclnn.ops.matmul._kernels import multiply
from aclnn.ops.matmul._quantised_products import multiply_integers
from aclnn.ops.matmul._quantised_weights import multiply_quantised

ACTIVATIONS: Final[dict[str, Callable[[Array], Array]]] = {
    "fastgelu": fast_gelu_of, "gelu": gelu_by_tanh, "relu": relu, "silu": silu_of, "geglu": gelu_by_tanh,
    "swiglu": silu_of, "reglu": relu,
}  # fmt: skip


def activated(x: Array, *, name: str) -> Array:
    """The activation of x. A gated one is the activation of the left half of the columns, times the right half."""
    if name not in GATED:
        return ACTIVATIONS[name](x)
    half = x.shape[-1] // 2
    return ACTIVATIONS[name](x[..., :half]) * x[..., half:]


@in_memory
def quantise(x: Array, scale: Array, *offset: Array, out: Array) -> None:
    scaled = np.asarray(x, np.float32) * scale
    np.clip(np.rint(scaled + offset[0] if offset else scaled), -128, 127, out=out, casting="unsafe")


def whole_numbers(p: Planning, values: tuple[int, ...]) -> Operand:
    return p.step(constant, [], (len(values),), T.ACL_INT64, moves=True, value=tuple(values))


class ExpertRows:
    """The rows of each expert; without experts, all rows are one group."""

    def __init__(self, p: Planning) -> None:
        self.p, tokens, rows = p, p[called(p, TOKENS)], sizes(p)[0]
        ends = p.has("tokensIndexFlag") and p["tokensIndexFlag"] and with_experts(p)
        self.kind = ENDS if ends else COUNTS
        if tokens is None or not with_experts(p):
            self.tokens = whole_numbers(p, (rows,))
        elif hasattr(tokens, "values"):
            self.tokens = whole_numbers(p, tokens.values)
        else:
            name = called(p, TOKENS)
            self.tokens = p.read(name)
            p.builder.launch(check_groups, [self.tokens], [], name=name, kind=self.kind, count=rows, number=experts(p))

    def launch(
        self, kernel: Kernel, x: Operand, tensors: list[Operand], out: Operand, attributes: dict[str, Any]
    ) -> None:  # fmt: skip
        """Queue a step that runs `kernel` on each group, with the tensors of the group and the attributes."""
        names = ("",) * (len(tensors) - 1)
        self.p.builder.launch(
            by_groups, [x, self.tokens, *tensors], [out], kind=self.kind, sizes=(1,) * len(tensors),
            stacked=with_experts(self.p), names=names, matrix=kernel, attributes=attributes, only=None,
        )  # fmt: skip


def product(p: Planning, groups: ExpertRows, number: int, x: Operand, out: Operand) -> None:
    """Plan the first or the second product, with its bias and its scales."""
    kinds = {"bias": f"bias{number}", "scale": f"deqScale{number}"}
    attributes: dict[str, Any] = {}
    kernel: Kernel = multiply_integers
    if antiquantised(p):
        kernel = multiply_quantised
        kinds |= {f"antiquant{kind}": f"antiquant{kind}{number}" for kind in ("Scale", "Offset")}
        scales, weight = value(p, kinds["antiquantScale"]), p.shape(f"weight{number}")
        rows = scales.shape[-2] if scales is not None and len(scales.shape) == len(weight) else 0
        attributes = {"group": weight[-2] // rows if rows else 0, "dtype": numpy_dtype(p.dtype("x")), "swapped": ()}
    elif not quantised(p):
        kernel = multiply
    present = {short: called(p, name) for short, name in kinds.items() if value(p, name) is not None}
    tensors = [p.builder.view(p[f"weight{number}"]), *(p.read(name) for name in present.values())]
    if kernel is not multiply:
        attributes["names"] = tuple(present)
    groups.launch(kernel, x, tensors, out, attributes)


def planned_ffn(p: Planning) -> None:
    """Plan the first product, the activation and the second product."""
    groups, (rows, _, n1, k2, n2) = ExpertRows(p), sizes(p)
    x = p.builder.reshape(p.read("x"), (rows, p.shape("x")[-1]))
    wide = p.builder.alloc((rows, n1), FLOAT)
    product(p, groups, 1, x, wide)
    inner = p.step(activated, [wide], (rows, k2), FLOAT if quantised(p) else p.dtype("x"), name=activation(p))
    if quantised(p):
        present = [name for name in ("scale", "offset") if value(p, name) is not None]
        narrow = p.builder.alloc((rows, k2), INT8)
        groups.launch(quantise, inner, [p.read(called(p, name)) for name in present], narrow, {})
        inner = narrow
    y = p["y"]
    if y.contiguous:
        product(p, groups, 2, inner, p.builder.room(y, (rows, n2)))
    else:
        result = p.builder.alloc((rows, n2), y.dtype)
        product(p, groups, 2, inner, result)
        p.store("y", p.builder.reshape(result, y.shape))


@planned("aclnnFFN", *contract(version=1))
def ffn(p: Planning) -> None:
    """y = act(x @ weight1 + bias1) @ weight2 + bias2. INT8: ((act((x @ weight1 + bias1) * deqScale1) * scale + offset)
    @ weight2 + bias2) * deqScale2, where the left factor of the second product is rounded to INT8. A quantised weight
    is (weight + antiquantOffset) * antiquantScale. With experts, expertTokens has the number of rows of each expert."""
    planned_ffn(p)


@planned("aclnnFFNV2", *contract(version=2))
def ffn_v2(p: Planning) -> None:
    """Like aclnnFFN. With tokensIndexFlag, expertTokens has the end of the rows of each expert."""
    planned_ffn(p)


@planned("aclnnFFNV3", *contract(version=3))
def ffn_v3(p: Planning) -> None:
    """Like aclnnFFNV2; expertTokens is a tensor, which is read when the task runs. Rows of y behind the last expert
    are not changed."""
    planned_ffn(p)
