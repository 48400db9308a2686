"""Foreach functions with one number for each tensor of a list: an aclScalarList, or the elements of a tensor."""

from collections.abc import Iterator

from aclnn.op import Operator
from aclnn.ops.foreach import formulas as f
from aclnn.ops.foreach._family import foreach
from aclnn.ops.foreach._numbers import DeviceList, HostList


def declared() -> Iterator[Operator]:
    for word, (formula, result) in f.WITH_ONE.items():
        doc = f"out = {result.format('scalars[i]')}, of each tensor, where i is its index"
        yield foreach(__name__, f"{word}ScalarList", "x", formula=formula, by=HostList("scalars"), doc=doc)
    for word, formula, sign in (("Addcmul", f.with_product, "*"), ("Addcdiv", f.with_quotient, "/")):
        doc = f"out = x1 + x2 {sign} x3 * scalars[i], of each tensor, where i is its index"
        for form in ("List", "ScalarList"):
            yield foreach(
                __name__, f"{word}{form}", "x1", "x2", "x3", formula=formula, by=DeviceList("scalars"), doc=doc
            )


operators = tuple(declared())
