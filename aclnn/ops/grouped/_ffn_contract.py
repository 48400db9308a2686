"""The contract of FFN: checks of its tensors. In the third version, the names of optional parameters end in `Optional`;
this module leaves that ending out."""

from collections.abc import Callable
from math import prod
from typing import Final

from aclnn.op import (
    ACLNN_ERR_PARAM_INVALID, Arguments, Bad, Relation, Series, Shape, Tensor, demand, dtype_name, listed, one_of,
    public_format, ranks, required, said, shape,
)  # fmt: skip
from aclnn.ops.grouped._family import BF16, FLOAT, HALF, INT4, INT8, INT32
from aclnn.ops.matmul._family import PACKED_SCALES

LONGEST: Final = 65535
TOKENS: Final = "expertTokens"
GATED: Final = ("geglu", "swiglu", "reglu")
"""gated activations: one half of the columns is activated, and multiplied by the other half"""
PLAIN: Final = ("fastgelu", "gelu", "relu", "silu")
BIASES: Final = ("bias1", "bias2")
QUANTISED: Final = ("scale", "deqScale1", "deqScale2")
ANTIQUANT: Final = ("antiquantScale1", "antiquantScale2", "antiquantOffset1", "antiquantOffset2")
SMALL: Final = (*BIASES, "offset", *QUANTISED, *ANTIQUANT)


def called(a: Arguments, name: str) -> str:
    """The name of a parameter in this version."""
    return name if a.has(name) else f"{name}Optional"


def value(a: Arguments, name: str) -> Tensor | None:
    """An optional tensor. An empty one counts as null."""
    tensor: Tensor | None = a[called(a, name)]
    return tensor if tensor is not None and tensor.numel else None


def with_experts(a: Arguments) -> bool:
    return a.rank("weight1") == 3


def experts(a: Arguments) -> int:
    return a.shape("weight1")[0] if with_experts(a) else 1


def sizes(a: Arguments) -> Shape:
    """The rows of x, and the rows and columns of both weights."""
    return prod(a.shape("x")[:-1]), *a.shape("weight1")[-2:], *a.shape("weight2")[-2:]


def activation(a: Arguments) -> str:
    return a["activation"].lower()


def is_gated(a: Arguments) -> bool:
    return activation(a) in GATED


def quantised(a: Arguments) -> bool:
    return a.dtype("x") == INT8


def antiquantised(a: Arguments) -> bool:
    return not quantised(a) and a.dtype("weight1") in (INT8, INT4)


def wrong_types(a: Arguments) -> Bad:
    """Checks that the data types are those of a product that FFN supports."""
    x, weight1, weight2, y = (a.dtype(name) for name in ("x", "weight1", "weight2", "y"))
    dtypes = {name: tensor.dtype for name in SMALL if (tensor := value(a, name)) is not None}
    bias = FLOAT if x == BF16 else INT32 if x == INT8 else HALF
    fine = weight1 == weight2 and all(dtypes.get(name, bias) == bias for name in BIASES)
    allowed: tuple[str, ...] = BIASES
    if quantised(a):
        deq = (BF16,) if y == BF16 else (*PACKED_SCALES, FLOAT)
        allowed += ("offset", *QUANTISED)
        fine = fine and weight1 == INT8 and all(dtypes.get(name) in deq for name in QUANTISED[1:])
    elif antiquantised(a):
        allowed += ANTIQUANT
        fine = fine and y == x and all(dtypes.get(name) == x for name in ANTIQUANT)
    else:
        fine = fine and weight1 == y == x
    fine = fine and set(dtypes) <= set(allowed) and ("scale" in dtypes) == quantised(a)
    names = {"x": x, "weight1": weight1, "weight2": weight2, **dtypes, "y": y}
    return None if fine else (
        ", ".join(f"{name} {dtype_name(key)}" for name, key in names.items()), "a product with all its tensors"
    )  # fmt: skip


def wrong_activation(a: Arguments) -> Bad:
    name = activation(a)
    floats = a.dtype("x") == a.dtype("weight1") == HALF and not with_experts(a) and a["innerPrecise"] == 1
    fine = name in PLAIN or (name in GATED and floats)
    return (
        None if fine else (name, f"{', '.join(PLAIN)}; in FLOAT16 with innerPrecise 1, no experts {', '.join(GATED)}")
    )


def wrong_precision(a: Arguments) -> Bad:
    return (1, "0 with BFLOAT16") if a["innerPrecise"] == 1 and a.dtype("x") == BF16 else None


def on_310p(a: Arguments) -> Bad:
    fine = a.dtype("x") == a.dtype("weight1") == HALF and not with_experts(a)
    return None if fine or a.soc.series is not Series.INFERENCE else ("another product", "FLOAT16 without experts")


def wrong_weights(a: Arguments) -> Bad:
    _, k1, n1, k2, n2 = sizes(a)
    same = a.rank("weight1") == a.rank("weight2") and a.shape("weight1")[:-2] == a.shape("weight2")[:-2]
    fine = same and n1 == (2 * k2 if is_gated(a) else k2) and n2 == k1 == a.shape("x")[-1] and max(k1, k2) <= LONGEST
    description = f"{list(a.shape('x'))} @ {list(a.shape('weight1'))} @ {list(a.shape('weight2'))}"
    return (
        None if fine else (description, f"inner sizes that fit, at most {LONGEST}, and a result with the columns of x")
    )


def empty_operand(a: Arguments) -> Bad:
    empty = [name for name in ("x", "weight1", "weight2") if not a[name].numel]
    return (f"an empty {empty[0]}", "elements") if empty else None


def wrong_tokens(a: Arguments) -> Bad:
    """Checks the tokens of the experts: an array assigns all rows, and a tensor has a number for each expert."""
    tokens = a[called(a, TOKENS)]
    if isinstance(tokens, Tensor):
        fine = with_experts(a) and tokens.shape == (experts(a),)
        return None if fine else (list(tokens.shape), [experts(a)])
    values, ends = list(tokens.values), a.has("tokensIndexFlag") and a["tokensIndexFlag"]
    if not with_experts(a):
        return (values, "null or empty without experts") if values else None
    counts = [number - before for number, before in zip(values, [0, *values], strict=False)] if ends else values
    fine = len(values) == experts(a) and min(counts, default=0) >= 0 and sum(counts) == sizes(a)[0]
    return None if fine else (values, f"{experts(a)} numbers, in all the {sizes(a)[0]} rows of x")


def missing_tokens(a: Arguments) -> Bad:
    """Checks that weight1 has no experts if the tokens are null. A check of the tokens would not run for null."""
    lonely = with_experts(a) and not a.given(called(a, TOKENS))
    return (list(a.shape("weight1")), "two dimensions, as expertTokens is null") if lonely else None


def of_columns(name: str, allowed_shapes: Callable[[Arguments, Shape], list[Shape]], suffix: str) -> Relation:
    """Checks that an optional tensor has one of the allowed shapes, with the number of experts in front."""

    def bad(a: Arguments) -> Bad:
        lead = a.shape("weight1")[:-2]
        allowed, tensor = [(*lead, *shape) for shape in allowed_shapes(a, lead)], value(a, name)
        if tensor is None or tensor.shape in allowed:
            return None
        return list(tensor.shape), " or ".join(str(list(each)) for each in allowed)

    return demand("{0} fits the weights", f"{name}{suffix}", "weight1", "weight2", bad=bad)


def columns(weight: str) -> Callable[[Arguments, Shape], list[Shape]]:
    return lambda a, lead: [a.shape(weight)[-1:]]


def scales(a: Arguments, lead: Shape) -> list[Shape]:
    """The shapes of scales: one for each expert, or one for each column of an expert."""
    return [() if lead else (1,), a.shape("weight1")[-1:]]


def one_each(a: Arguments, lead: Shape) -> list[Shape]:
    return [() if lead else (1,)]


def groups_of_rows(weight: str, name: str) -> Callable[[Arguments, Shape], list[Shape]]:
    """The shapes of a quantisation parameter: a row of values for the whole weight, or for each group of its rows."""

    def allowed_shapes(a: Arguments, lead: Shape) -> list[Shape]:
        scale, (k, n) = value(a, name), a.shape(weight)[-2:]
        groups = scale.shape[-2] if scale is not None and len(scale.shape) == len(lead) + 2 else 0
        return [(n,), *([(groups, n)] if groups and k % groups == 0 else [])]

    return allowed_shapes


def same_groups(scale: str, offset: str, suffix: str) -> Relation:
    """Checks that the offsets of a quantised weight have the shape of its scales."""

    def bad(a: Arguments) -> Bad:
        first, second = value(a, scale), value(a, offset)
        if first is None or second is None or first.shape == second.shape:
            return None
        return list(first.shape), list(second.shape)

    return demand("{0} has the shape of {1}", f"{scale}{suffix}", f"{offset}{suffix}", bad=bad)


def contract(*, version: int) -> tuple[Relation, ...]:
    end = "Optional" if version == 3 else ""
    names = {name: f"{name}{end}" for name in SMALL}
    shape_rules = {
        "bias1": columns("weight1"), "bias2": columns("weight2"), "scale": scales, "offset": one_each,
        "deqScale1": columns("weight1"), "deqScale2": columns("weight2"),
        **{f"antiquant{kind}{i}": groups_of_rows(f"weight{i}", f"antiquant{kind}{i}")
           for kind in ("Scale", "Offset") for i in (1, 2)},
    }  # fmt: skip
    return (
        required("x", "weight1", "weight2", "y"), said("activation", status=ACLNN_ERR_PARAM_INVALID),
        listed("x", "weight1", "weight2", "y"), listed(*names.values(), unless=lambda tensor: not tensor.numel),
        *([listed(f"{TOKENS}{end}")] if version == 3 else []),
        demand("the data types of {0}, the weights and the other tensors fit each other", "x", bad=wrong_types),
        public_format("x", "weight1", "weight2", "y"), one_of("innerPrecise", 0, 1),
        demand("{0} is 0 with BFLOAT16", "innerPrecise", "x", bad=wrong_precision),
        ranks("x", least=2, most=8), ranks("weight1", "weight2", least=2, most=3),
        *([demand("310P can compute the product of {0}", "x", bad=on_310p)] if version > 1 else []),
        demand("{0} is a value that the product supports", "activation", "x", "weight1", bad=wrong_activation),
        demand("{0} and the weights fit", "x", "weight1", "weight2", bad=wrong_weights),
        demand("{0} and the weights have elements", "x", "weight1", "weight2", bad=empty_operand),
        demand("{0} of several experts comes with expertTokens", "weight1", bad=missing_tokens),
        demand("{0} gives the rows of x to the experts", f"{TOKENS}{end}", "x", "weight1", bad=wrong_tokens),
        *(of_columns(name, rule, end) for name, rule in shape_rules.items()),
        *(same_groups(f"antiquantScale{i}", f"antiquantOffset{i}", end) for i in (1, 2)),
        shape("y", "{0} has the shape of x", lambda a: a.shape("x")),
    )  # fmt: skip
