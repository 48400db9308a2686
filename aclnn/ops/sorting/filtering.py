"""ApplyTopKTopP: logits that leave only the most probable tokens of each row."""

from typing import Final

import numpy as np

from aclnn.op import (
    ACLNN_ERR_PARAM_NULLPTR, Arguments, Array, Bad, Planning, Shape, demand, empty, in_parts, listed, may_be_null,
    order, planned, ranks, same_dtype, same_shape, shape, softmax_along,
)  # fmt: skip
from aclnn.ops.matmul._family import plain_format

LIMITS: Final = ("k", "p")
"""the filters, in the order in which they are applied"""


def without_filters(a: Arguments) -> Bad:
    return None if any(map(a.given, LIMITS)) else ("no p and no k", "p, k or both")


def rows(a: Arguments) -> Shape:
    return a.shape("logits")[:1]


@planned(
    "aclnnApplyTopKTopP", may_be_null(*LIMITS),
    demand("{0} has a filter", "logits", bad=without_filters, status=ACLNN_ERR_PARAM_NULLPTR,
           broken="p and k are null"),
    listed("logits", "p", "k", "out"), same_dtype("p", "logits"), same_dtype("out", "logits"),
    ranks("logits", "p", "k", "out"), same_shape("out", "logits"),
    *(shape(name, "{0} has an element for each row of logits", rows) for name in ("p", "k")),
    *map(plain_format, ("logits", "p", "k", "out")), empty("logits", *LIMITS),
)  # fmt: skip
def apply_top_k_top_p(p: Planning) -> None:
    """out = logits, and -inf for the elements that the filters remove from their row. k: elements below the k-th
    largest; a k below 1, or of the row's length or above, removes none. p: the smallest of the remaining elements,
    while the sum of their probabilities is at most 1 - p; the largest element stays."""
    x, filters = p.read("logits"), [name for name in LIMITS if p.given(name)]
    limits = [p.builder.reshape(p.read(name), (*rows(p), 1)) for name in filters]
    p.store("out", p.step(filtered, [x, *limits], x.shape, x.dtype, filters=tuple(filters)))


@in_parts([-1])
def filtered(x: Array, *limits: Array, filters: tuple[str, ...]) -> Array:
    by_name, size = dict(zip(filters, limits, strict=True)), x.shape[1]
    places = order(x, -1)
    values = np.take_along_axis(x, places, -1)
    if "k" in by_name:
        cuts = (by_name["k"] > 0) & (by_name["k"] < size)
        threshold = np.take_along_axis(values, np.where(cuts, size - by_name["k"], 0), -1)
        values = np.where(cuts & (values < threshold), np.float32(-np.inf), values)
    if "p" in by_name:
        stays = np.cumsum(softmax_along(values, axis=-1), -1) > 1 - by_name["p"]
        stays[:, -1] = True
        values = np.where(stays, values, np.float32(-np.inf))
    out = np.empty(x.shape, np.float32)
    np.put_along_axis(out, places, values, -1)
    return out
