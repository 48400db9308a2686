"""Routes for reading and writing at positions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.derived.values import Values
from tests.oracle.extremes import ALL, FINITE
from tests.oracle.route import Route, as_tensor, but, of_terms, route

OF_SELF = {"self": ALL}


def mixed(values: np.ndarray) -> np.ndarray:
    """Positions 0 and 1, from either end."""
    return np.where(np.arange(values.size).reshape(values.shape) % 3 == 1, values - 2, values)


def apart(values: np.ndarray) -> np.ndarray:
    """Positions of which none comes twice along the first dimension."""
    return (np.arange(len(values)).reshape(-1, *(1,) * (values.ndim - 1)) + values * 0)[::-1]


def selected(self: np.ndarray, dim: int, index: np.ndarray) -> np.ndarray:
    rows = [np.take(self, each, dim % max(self.ndim, 1)) for each in index.ravel().tolist()]
    at = dim % self.ndim
    return np.stack(rows, at).reshape(*self.shape[:at], *(index.shape or (1,)), *self.shape[at + 1 :])


def torch_selected(self: np.ndarray, dim: int, index: np.ndarray) -> Any:
    at = dim % self.ndim
    found = as_tensor(self).index_select(at, as_tensor(index.reshape(-1))).numpy()
    return found.reshape(*self.shape[:at], *(index.shape or (1,)), *self.shape[at + 1 :])


def take(self: np.ndarray, index: np.ndarray) -> np.ndarray:
    flat = self.ravel()
    return np.array([flat[each] for each in index.ravel().tolist()]).reshape(index.shape)


def torch_take(self: np.ndarray, index: np.ndarray) -> Any:
    return as_tensor(self).take(as_tensor(index)).numpy()


def gather(self: np.ndarray, dim: int, index: np.ndarray) -> np.ndarray:
    out = np.empty(index.shape, self.dtype)
    for at in np.ndindex(index.shape):
        place = list(at)
        place[dim] = int(index[at])
        out[at] = self[tuple(place)]
    return out


def torch_gather(self: np.ndarray, dim: int, index: np.ndarray) -> Any:
    return as_tensor(self).gather(dim, as_tensor(np.where(index < 0, index + self.shape[dim], index))).numpy()


def gather_nd(self: np.ndarray, indices: np.ndarray) -> np.ndarray:
    rows = indices.reshape(-1, indices.shape[-1]).tolist()
    found = np.array([self[tuple(each)] for each in rows])
    return found.reshape(*indices.shape[:-1], *self.shape[indices.shape[-1] :])


def torch_gather_nd(self: np.ndarray, indices: np.ndarray) -> Any:
    return as_tensor(self)[tuple(as_tensor(np.moveaxis(indices, -1, 0)))].numpy()


def index(self: np.ndarray, indices: list[np.ndarray]) -> np.ndarray:
    """Only for neighbouring dimensions from the first on."""
    spread = np.broadcast_arrays(*indices)
    rows = zip(*(each.ravel().tolist() for each in spread), strict=True)
    return np.array([self[each] for each in rows]).reshape(*spread[0].shape, *self.shape[len(indices) :])


def torch_index(self: np.ndarray, indices: list[np.ndarray]) -> Any:
    return as_tensor(self)[tuple(map(as_tensor, indices))].numpy()


def index_put(self: np.ndarray, indices: list[np.ndarray], values: np.ndarray, accumulate: bool) -> np.ndarray:
    out, spread = self.copy(), np.broadcast_arrays(*indices)
    rows = zip(*(each.ravel().tolist() for each in spread), strict=True)
    places = list(rows)
    given = np.broadcast_to(values, (len(places), *out.shape[len(indices) :]))
    for place, value in zip(places, given, strict=True):
        out[place] = out[place] + value if accumulate else value
    return out


def torch_index_put(self: np.ndarray, indices: list[np.ndarray], values: np.ndarray, accumulate: bool) -> Any:
    places = tuple(map(as_tensor, indices))
    return as_tensor(self).index_put(places, as_tensor(values), accumulate=accumulate).numpy()


REDUCE: dict[int, Callable[[Any, Any], Any]] = {1: lambda a, b: a + b, 2: lambda a, b: a * b, 3: max, 4: min}


def scatter(self: np.ndarray, dim: int, index: np.ndarray, src: np.ndarray, reduce: int = 1) -> np.ndarray:
    out = self.copy()
    for at in np.ndindex(index.shape):
        place = list(at)
        place[dim] = int(index[at])
        to = tuple(place)
        with np.errstate(over="ignore"):
            out[to] = REDUCE.get(reduce, lambda _, new: new)(out[to], src[at])
    return out


def scatter_add(self: np.ndarray, dim: int, index: np.ndarray, src: np.ndarray) -> np.ndarray:
    return scatter(self, dim, index, src)


def torch_scatter_add(self: np.ndarray, dim: int, index: np.ndarray, src: np.ndarray) -> Any:
    return torch_scatter(self, dim, index, src)


def scatter_replaced(self: np.ndarray, dim: int, index: np.ndarray, src: np.ndarray) -> np.ndarray:
    return scatter(self, dim, index, src, 0)


def scatter_value(self: np.ndarray, dim: int, index: np.ndarray, value: Any, reduce: int) -> np.ndarray:
    held = np.asarray(value).astype(self.dtype) if self.dtype.kind != "b" else np.bool_(value)
    return scatter(self, dim, index, np.full(index.shape, held), reduce)


def torch_scatter(self: np.ndarray, dim: int, index: np.ndarray, src: np.ndarray, reduce: int = 1) -> Any:
    names = {1: "sum", 2: "prod", 3: "amax", 4: "amin"}
    places = as_tensor(np.where(index < 0, index + self.shape[dim], index))
    x, given = as_tensor(self), as_tensor(src)
    if reduce not in names:
        return x.scatter(dim, places, given).numpy()
    if self.dtype.kind in "bc":  # torch has no reduction for these
        return scatter(self, dim, index, src, reduce)
    return x.scatter_reduce(dim, places, given, names[reduce]).numpy()


def torch_scatter_value(self: np.ndarray, dim: int, index: np.ndarray, value: Any, reduce: int) -> Any:
    held = np.asarray(value).astype(self.dtype)
    return torch_scatter(self, dim, index, np.full(index.shape, held), reduce)


def terms(*names: str) -> Any:
    """Each result is a sum or a product of a few elements of these tensors."""

    def bound(arguments: Any, exact: np.ndarray, dtype: str) -> Any:
        largest = [float(np.abs(arguments[each]).max(initial=1.0)) for each in names]
        return of_terms(8 * max(largest) * max(1.0, float(np.nanmax(np.abs(exact), initial=0.0))), 8, dtype)

    return bound


def along(self: np.ndarray, dim: int, index: np.ndarray, source: np.ndarray, put: Any) -> np.ndarray:
    out = self.copy()
    rows, given = np.moveaxis(out, dim, 0), np.moveaxis(source, dim, 0)
    for number, place in enumerate(index.ravel().tolist()):
        rows[place] = put(rows[place], given[number])
    return out


def index_add(self: np.ndarray, dim: int, index: np.ndarray, source: np.ndarray, alpha: Any) -> np.ndarray:
    held = bool(alpha) if self.dtype.kind == "b" else int(alpha) if self.dtype.kind in "iu" else alpha
    return along(self, dim, index, source, lambda old, new: old + new * np.asarray(held).astype(self.dtype))


def torch_index_add(self: np.ndarray, dim: int, index: np.ndarray, source: np.ndarray, alpha: Any) -> Any:
    if self.dtype.kind == "b":
        return index_add(self, dim, index, source, alpha)
    held = int(alpha) if self.dtype.kind in "iu" else alpha
    return as_tensor(self).index_add(dim, as_tensor(index), as_tensor(source), alpha=held).numpy()


def index_copy(self: np.ndarray, dim: int, index: np.ndarray, source: np.ndarray) -> Any:
    return along(self, dim, index, source, lambda _, new: new)


def torch_index_copy(self: np.ndarray, dim: int, index: np.ndarray, source: np.ndarray) -> Any:
    return as_tensor(self).index_copy(dim, as_tensor(index), as_tensor(source)).numpy()


def held(self: np.ndarray, value: Any) -> Any:
    return bool(value) if self.dtype.kind == "b" else int(value) if self.dtype.kind in "iu" else value


def index_fill(self: np.ndarray, dim: int, index: Any, value: Any) -> np.ndarray:
    out = self.copy()
    for place in np.asarray(index).ravel().tolist():
        np.moveaxis(out, dim, 0)[place] = np.asarray(held(self, value)).astype(self.dtype)
    return out


def torch_index_fill(self: np.ndarray, dim: int, index: Any, value: Any) -> Any:
    return as_tensor(self).index_fill(dim, as_tensor(np.asarray(index, np.int64)), held(self, value)).numpy()


def put(self: np.ndarray, index: np.ndarray, source: np.ndarray, accumulate: bool) -> np.ndarray:
    out = self.copy().reshape(-1)
    for place, value in zip(index.ravel().tolist(), source.ravel().tolist(), strict=True):
        out[place] = out[place] + value if accumulate else value
    return out.reshape(self.shape)


def torch_put(self: np.ndarray, index: np.ndarray, source: np.ndarray, accumulate: bool) -> Any:
    return as_tensor(self).put(as_tensor(index), as_tensor(source), accumulate).numpy()


NEXT = "the next position"
SUMS = {"self": FINITE, "src": FINITE}
LINES = {"index": Meta((2,), ACL_INT64)}


def later(a: Any) -> np.ndarray:
    return 1 - a["index"] % 2


REDUCED = [{"reduce": each} for each in (1, 2, 3, 4)]
ROUTES: tuple[Route, ...] = (
    route("aclnnIndexSelect", "loop", selected, bound="exact", extremes=OF_SELF, groups=[["self", "out"], ["index"]],
          torch=("torch.index_select", torch_selected), start={"self": Meta((3, 2)), **LINES, "out": Meta((2, 2))},
          also=[{"dim": -1, "out": Meta((3, 2))}], wrong={NEXT: but(selected, index=later)}),
    route("aclnnGatherV2", "loop", selected, bound="exact", extremes=OF_SELF, groups=[["self", "out"], ["index"]],
          torch=("torch.index_select", torch_selected),
          start={"self": Meta((3, 4)), "index": Meta((2, 3), ACL_INT64), "out": Meta((2, 3, 4))},
          also=[{"dim": 1, "out": Meta((3, 2, 3))}], wrong={NEXT: but(selected, index=later)}),
    route("aclnnGatherV3", "loop", selected, bound="exact", extremes=OF_SELF, groups=[["self", "out"], ["index"]],
          torch=("torch.index_select", torch_selected),
          start={"self": Meta((3, 4)), "index": Meta((2, 3), ACL_INT64), "dim": 0, "batchDims": 0, "mode": 1,
                 "out": Meta((2, 3, 4))},
          wrong={NEXT: but(selected, index=later)}),
    route("aclnnTake", "loop", take, bound="exact", extremes=OF_SELF, groups=[["self", "out"], ["index"]],
          torch=("torch.take", torch_take),
          start={"self": Meta((3, 4)), "index": Meta((2, 3), ACL_INT64), "out": Meta((2, 3))},
          wrong={NEXT: but(take, index=later)}),
    route("aclnnGather", "loop", gather, bound="exact", extremes=OF_SELF, groups=[["self", "out"], ["index"]],
          values={"index": mixed}, torch=("torch.gather", torch_gather),
          start={"self": Meta((3, 4)), "index": Meta((2, 3), ACL_INT64), "out": Meta((2, 3))}, also=[{"dim": 1}],
          wrong={"along the other dimension": lambda self, dim, index: gather(self, 1 - dim, index)}),
    route("aclnnGatherNd", "loop", gather_nd, bound="exact", extremes=OF_SELF, groups=[["self", "out"], ["indices"]],
          torch=("torch indexing", torch_gather_nd),
          start={"self": Meta((3, 4)), "indices": Meta((5, 2), ACL_INT64), "out": Meta((5,))},
          also=[{"indices": Meta((5, 1), ACL_INT64), "out": Meta((5, 4))}],
          wrong={"positions from the last dimension on": lambda self, indices: gather_nd(self, indices[..., ::-1])}),
    route("aclnnIndex", "loop", index, bound="exact", extremes=OF_SELF, groups=[["self", "out"], ["indices"]],
          values={"indices": mixed}, torch=("torch indexing", torch_index),
          also=[{"indices": (Meta((2, 1), ACL_INT64), Meta((3,), ACL_INT64)), "out": Meta((2, 3))},
                {"indices": (Meta((2, 3), ACL_INT64),), "out": Meta((2, 3, 4))}],
          wrong={"the next row": lambda self, indices: index(np.roll(self, -1, 0), indices)}),
    route("aclnnIndexPutImpl", "loop", index_put, bound=terms("values", "selfRef"), groups=[["selfRef", "values"]],
          torch=("torch.index_put", torch_index_put),
          start={"indices": (Meta((1,), ACL_INT64), Meta((1,), ACL_INT64)), "values": Meta((1,))},
          also=[{"accumulate": True, "indices": (Meta((5,), ACL_INT64),), "values": Meta((5, 4))}],
          wrong={"a double place once": lambda self, indices, values, accumulate: index_put(
                     self, indices, values, False) if not accumulate else self + 0,
                 "nothing": lambda self: self}),
    route("aclnnScatter", "aclnnInplaceScatter", "loop", scatter, bound=terms("self", "src"), also=REDUCED,
          extremes=SUMS, groups=[["self", "src", "out", "selfRef"], ["index"]], values={"index": apart},
          torch=("torch.scatter_reduce", torch_scatter),
          wrong={"replaced": but(scatter, reduce=0), "added": but(scatter, reduce=1)}),
    route("aclnnScatterValue", "aclnnInplaceScatterValue", "loop", scatter_value, bound=terms("self"), also=REDUCED[:2],
          groups=[["self", "out", "selfRef"], ["index"]], torch=("torch.scatter_reduce", torch_scatter_value),
          wrong={"replaced": but(scatter_value, reduce=0), "added": but(scatter_value, reduce=1)}),
    route("aclnnScatterAdd", "loop", scatter_add, bound=terms("self", "src"), extremes=SUMS,
          groups=[["self", "src", "out"], ["index"]], torch=("torch.scatter_add", torch_scatter_add),
          also=[{"dim": 1, "index": Meta((2, 3), ACL_INT64)}], wrong={"replaced": scatter_replaced}),
    route("aclnnScatterReduce", "aclnnInplaceScatterReduce", "loop", scatter, bound=terms("self", "src"), extremes=SUMS,
          groups=[["self", "src", "out", "selfRef"], ["index"]], torch=("torch.scatter_reduce", torch_scatter),
          wrong={"replaced": but(scatter, reduce=0)}),
    route("aclnnIndexAdd", "aclnnIndexAddV2", "loop", index_add, bound=terms("self", "source"),
          extremes={"self": FINITE, "source": FINITE}, groups=[["self", "source", "out"], ["index"]],
          torch=("torch.index_add", torch_index_add), also=[{"dim": 1, "source": Meta((3, 2))}],
          wrong={"without alpha": lambda self, dim, index, source: along(
              self, dim, index, source, lambda old, new: old + new)}),
    route("aclnnInplaceIndexCopy", "loop", index_copy, bound="exact", extremes={"self": ALL, "source": ALL},
          groups=[["selfRef", "source"], ["index"]], values={"index": apart},
          torch=("torch.index_copy", torch_index_copy),
          also=[{"dim": 1, "source": Meta((3, 2))}], wrong={NEXT: but(index_copy, index=later)}),
    route("aclnnIndexCopy", "loop", index_copy, bound="exact", extremes={"self": ALL, "source": ALL},
          groups=[["selfRef", "source", "outRef"], ["index"]], values={"index": apart},
          torch=("torch.index_copy", torch_index_copy), wrong={"nothing is copied": lambda self: self}),
    route("aclnnIndexFill", "aclnnInplaceIndexFill", "loop", index_fill, bound="exact", extremes=OF_SELF,
          groups=[["self", "out", "selfRef"], ["index"]], torch=("torch.index_fill", torch_index_fill),
          also=[{"dim": 1}], wrong={"zero": but(index_fill, value=0)}),
    route("aclnnIndexFillTensor", "aclnnInplaceIndexFillTensor", "loop", index_fill, bound="exact", extremes=OF_SELF,
          groups=[["self", "out", "selfRef"]], torch=("torch.index_fill", torch_index_fill),
          also=[{"dim": 1, "index": Values((0, 2))}], wrong={"zero": but(index_fill, value=0)}),
    route("aclnnInplacePut", "loop", put, bound=terms("selfRef", "source"),
          groups=[["selfRef", "source"], ["index"]], values={"index": apart}, torch=("torch.put", torch_put),
          also=[{"accumulate": True}], wrong={"nothing": lambda self: self,
                                              "replaced": but(put, accumulate=False)}),
)  # fmt: skip
