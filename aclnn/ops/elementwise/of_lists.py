"""AddN, Sum, MaxN and MinN, which combine the tensors of a list elementwise. The order of the checks is ours."""

from collections.abc import Callable
from functools import reduce

import numpy as np

from aclnn.op import (
    Arguments, Array, Bad, Operator, Planning, Relation, Shape, broadcast_shape, demand, empty, listed, ranks,
    same_dtype, shape, uniform, with_tensors,
)  # fmt: skip


def shapes(a: Arguments) -> list[Shape]:
    return [tensor.shape for tensor in a["tensors"]]


def no_broadcast(a: Arguments) -> Bad:
    list_shapes = shapes(a)
    return (
        None if broadcast_shape(*list_shapes) is not None else (list(map(list, list_shapes)), "shapes that broadcast")
    )


def unequal(a: Arguments) -> Bad:
    list_shapes = shapes(a)
    return None if len(set(list_shapes)) == 1 else (list(map(list, list_shapes)), "tensors of one shape")


def over_list(
    stem: str, formula: Callable[[Array, Array], Array], doc: str, least: int, *together: Relation
) -> Operator:  # fmt: skip
    """An operator that folds the tensors of a list with `formula`, a function of two tensors."""

    def folded(*tensors: Array) -> Array:
        return reduce(formula, tensors)

    def plan(p: Planning) -> None:
        tensors = p.read_all("tensors")
        p.store("out", p.step(folded, tensors, p.shape("out"), tensors[0].dtype))

    relations = (
        with_tensors("tensors"), listed("tensors"), uniform("tensors"),
        same_dtype("out", as_="tensors"), ranks("tensors", "out", least=least, most=8), *together,
        shape("out", "{0} has the shape that the tensors broadcast to", lambda a: broadcast_shape(*shapes(a))),
        empty("out"),
    )  # fmt: skip
    return Operator((f"aclnn{stem}",), relations, plan, doc, __name__)


BROADCAST_RULE = demand("the shapes of {0} broadcast", "tensors", bad=no_broadcast)
add_n = over_list(
    "AddN", np.add, "out = the sum of the tensors", 1, demand("{0} have one shape", "tensors", bad=unequal)
)  # fmt: skip
sum_ = over_list("Sum", np.add, "out = the sum of the tensors, which broadcast", 0, BROADCAST_RULE)
max_n = over_list("MaxN", np.maximum, "out = the maximum of the tensors, which broadcast", 0, BROADCAST_RULE)
min_n = over_list("MinN", np.minimum, "out = the minimum of the tensors, which broadcast", 0, BROADCAST_RULE)
