"""The contract of FFN: what its tensors have to be. The name of each parameter ends in `Optional` in the third
version."""

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
"""activations of one half of the columns, by which the other half is multiplied"""
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
    found: Tensor | None = a[called(a, name)]
    return found if found is not None and found.numel else None


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


# demands


def wrong_types(a: Arguments) -> Bad:
    """Is there a product of these data types?"""
    x, one, two, y = (a.dtype(name) for name in ("x", "weight1", "weight2", "y"))
    given = {name: found.dtype for name in SMALL if (found := value(a, name)) is not None}
    bias = FLOAT if x == BF16 else INT32 if x == INT8 else HALF
    fine = one == two and all(given.get(name, bias) == bias for name in BIASES)
    used: tuple[str, ...] = BIASES
    if quantised(a):
        deq = (BF16,) if y == BF16 else (*PACKED_SCALES, FLOAT)
        used += ("offset", *QUANTISED)
        fine = fine and one == INT8 and all(given.get(name) in deq for name in QUANTISED[1:])
    elif antiquantised(a):
        used += ANTIQUANT
        fine = fine and y == x and all(given.get(name) == x for name in ANTIQUANT)
    else:
        fine = fine and one == y == x
    fine = fine and set(given) <= set(used) and ("scale" in given) == quantised(a)
    names = {"x": x, "weight1": one, "weight2": two, **given, "y": y}
    return None if fine else (
        ", ".join(f"{name} {dtype_name(each)}" for name, each in names.items()), "a product with all its tensors"
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
    found = f"{list(a.shape('x'))} @ {list(a.shape('weight1'))} @ {list(a.shape('weight2'))}"
    return None if fine else (found, f"inner sizes that fit, at most {LONGEST}, and a result with the columns of x")


def no_elements(a: Arguments) -> Bad:
    found = [name for name in ("x", "weight1", "weight2") if not a[name].numel]
    return (f"an empty {found[0]}", "elements") if found else None


def wrong_tokens(a: Arguments) -> Bad:
    """An array says of all rows whose they are. A tensor has a number for each expert."""
    given = a[called(a, TOKENS)]
    if isinstance(given, Tensor):
        fine = with_experts(a) and given.shape == (experts(a),)
        return None if fine else (list(given.shape), [experts(a)])
    values, ends = list(given.values), a.has("tokensIndexFlag") and a["tokensIndexFlag"]
    if not with_experts(a):
        return (values, "null or empty without experts") if values else None
    counts = [each - before for each, before in zip(values, [0, *values], strict=False)] if ends else values
    fine = len(values) == experts(a) and min(counts, default=0) >= 0 and sum(counts) == sizes(a)[0]
    return None if fine else (values, f"{experts(a)} numbers, in all the {sizes(a)[0]} rows of x")


def no_tokens(a: Arguments) -> Bad:
    """Asked of a weight, as the tokens themselves may be null."""
    lonely = with_experts(a) and not a.given(called(a, TOKENS))
    return (list(a.shape("weight1")), "two dimensions, as expertTokens is null") if lonely else None


def of_columns(name: str, wanted: Callable[[Arguments, Shape], list[Shape]], suffix: str) -> Relation:
    """An optional tensor has one of these shapes, behind the number of experts."""

    def bad(a: Arguments) -> Bad:
        lead = a.shape("weight1")[:-2]
        allowed, found = [(*lead, *each) for each in wanted(a, lead)], value(a, name)
        if found is None or found.shape in allowed:
            return None
        return list(found.shape), " or ".join(str(list(each)) for each in allowed)

    return demand("{0} fits the weights", f"{name}{suffix}", "weight1", "weight2", bad=bad)


def columns(weight: str) -> Callable[[Arguments, Shape], list[Shape]]:
    return lambda a, lead: [a.shape(weight)[-1:]]


def scales(a: Arguments, lead: Shape) -> list[Shape]:
    """One for each expert, or one for each of its columns."""
    return [() if lead else (1,), a.shape("weight1")[-1:]]


def one_each(a: Arguments, lead: Shape) -> list[Shape]:
    return [() if lead else (1,)]


def groups_of_rows(weight: str, name: str) -> Callable[[Arguments, Shape], list[Shape]]:
    """A row for all, or one for each group of rows of a weight."""

    def wanted(a: Arguments, lead: Shape) -> list[Shape]:
        found, (k, n) = value(a, name), a.shape(weight)[-2:]
        groups = found.shape[-2] if found is not None and len(found.shape) == len(lead) + 2 else 0
        return [(n,), *([(groups, n)] if groups and k % groups == 0 else [])]

    return wanted


def same_groups(scale: str, offset: str, suffix: str) -> Relation:
    """The offsets of a quantised weight have the shape of its scales."""

    def bad(a: Arguments) -> Bad:
        one, other = value(a, scale), value(a, offset)
        if one is None or other is None or one.shape == other.shape:
            return None
        return list(one.shape), list(other.shape)

    return demand("{0} has the shape of {1}", f"{scale}{suffix}", f"{offset}{suffix}", bad=bad)


def contract(*, version: int) -> tuple[Relation, ...]:
    end = "Optional" if version == 3 else ""
    named = {name: f"{name}{end}" for name in SMALL}
    wanted = {
        "bias1": columns("weight1"), "bias2": columns("weight2"), "scale": scales, "offset": one_each,
        "deqScale1": columns("weight1"), "deqScale2": columns("weight2"),
        **{f"antiquant{kind}{at}": groups_of_rows(f"weight{at}", f"antiquant{kind}{at}")
           for kind in ("Scale", "Offset") for at in (1, 2)},
    }  # fmt: skip
    return (
        required("x", "weight1", "weight2", "y"), said("activation", status=ACLNN_ERR_PARAM_INVALID),
        listed("x", "weight1", "weight2", "y"), listed(*named.values(), unless=lambda tensor: not tensor.numel),
        *([listed(f"{TOKENS}{end}")] if version == 3 else []),
        demand("the data types of {0}, the weights and the other tensors go together", "x", bad=wrong_types),
        public_format("x", "weight1", "weight2", "y"), one_of("innerPrecise", 0, 1),
        demand("{0} is 0 with BFLOAT16", "innerPrecise", "x", bad=wrong_precision),
        ranks("x", least=2, most=8), ranks("weight1", "weight2", least=2, most=3),
        *([demand("{0} is a product that 310P has", "x", bad=on_310p)] if version > 1 else []),
        demand("{0} is one that the product has", "activation", "x", "weight1", bad=wrong_activation),
        demand("{0} and the weights fit", "x", "weight1", "weight2", bad=wrong_weights),
        demand("{0} and the weights have elements", "x", "weight1", "weight2", bad=no_elements),
        demand("{0} of several experts comes with expertTokens", "weight1", bad=no_tokens),
        demand("{0} gives the rows of x to the experts", f"{TOKENS}{end}", "x", "weight1", bad=wrong_tokens),
        *(of_columns(name, each, end) for name, each in wanted.items()),
        *(same_groups(f"antiquantScale{at}", f"antiquantOffset{at}", end) for at in (1, 2)),
        shape("y", "{0} has the shape of x", lambda a: a.shape("x")),
    )  # fmt: skip
