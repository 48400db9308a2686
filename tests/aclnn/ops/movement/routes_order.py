"""Routes for Permute, Flip, Roll, ChannelShuffle, Slice, Expand, Flatten, Repeat, RepeatInterleave, Stack, ChunkCat."""

from __future__ import annotations

from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.movement.places import at_dim, moved
from tests.derived.values import Values
from tests.oracle.extremes import ALL
from tests.oracle.route import Route, as_tensor, but, by_torch, route, same_type, sums

OF_SELF = {"self": ALL}


def permute(self: np.ndarray, dims: list[int]) -> np.ndarray:
    order = [each % self.ndim for each in dims]
    return moved(
        self, [self.shape[each] for each in order], lambda at: tuple(at[order.index(i)] for i in range(len(at)))
    )


def flip(self: np.ndarray, dims: list[int]) -> np.ndarray:
    over = {each % self.ndim for each in dims}
    return moved(self, self.shape, lambda at: tuple(
        self.shape[i] - 1 - each if i in over else each for i, each in enumerate(at)))  # fmt: skip


def roll(x: np.ndarray, shifts: list[int], dims: list[int]) -> np.ndarray:
    if not dims:
        return roll(x.reshape(-1), shifts, [0]).reshape(x.shape)
    total = [0] * x.ndim
    for shift, dim in zip(shifts, dims, strict=True):
        total[dim] += shift
    return moved(x, x.shape, lambda at: tuple((each - total[i]) % x.shape[i] for i, each in enumerate(at)))


def roll_once(x: np.ndarray, shifts: list[int], dims: list[int]) -> np.ndarray:
    last = dict(zip(dims, shifts, strict=False))
    return roll(x, list(last.values()), list(last)) if dims else roll(x, shifts, dims)


def channel_shuffle(self: np.ndarray, groups: int) -> np.ndarray:
    """Channel c comes from group c % groups, and is number c // groups there."""
    each = self.shape[1] // groups
    return moved(self, self.shape, lambda at: at_dim(at, 1, at[1] % groups * each + at[1] // groups))


def one_slice(self: np.ndarray, dim: int, start: int, end: int, step: int) -> np.ndarray:
    numbers = range(self.shape[dim])[start:end:step]
    return np.stack([np.take(self, each, dim) for each in numbers], dim)


def slices(self: np.ndarray, starts: list[int], ends: list[int], axes: list[int], steps: list[int]) -> np.ndarray:
    for start, end, dim, step in zip(starts, ends, axes, steps, strict=True):
        self = one_slice(self, dim, start, end, step)
    return self


def torch_slice(self: np.ndarray, dim: int, start: int, end: int, step: int) -> Any:
    return as_tensor(self)[(slice(None),) * (dim % self.ndim) + (slice(start, end, step),)].numpy()


def torch_slices(self: np.ndarray, starts: list[int], ends: list[int], axes: list[int], steps: list[int]) -> Any:
    found = as_tensor(self)
    for start, end, dim, step in zip(starts, ends, axes, steps, strict=True):
        found = found[(slice(None),) * dim + (slice(start, end, step),)]
    return found.numpy()


def expand(self: np.ndarray, size: list[int]) -> np.ndarray:
    ahead = len(size) - self.ndim
    return moved(self, size, lambda at: tuple(
        0 if one == 1 else each for one, each in zip(self.shape, at[ahead:], strict=True)))  # fmt: skip


def flatten(self: np.ndarray, axis: int) -> np.ndarray:
    ahead = int(np.prod(self.shape[: axis % self.ndim]))
    return np.array(self.ravel().tolist(), self.dtype).reshape(ahead, -1)


def torch_flatten(self: np.ndarray, axis: int) -> Any:
    return as_tensor(self).reshape(int(np.prod(self.shape[: axis % self.ndim])), -1).numpy()


def repeat(self: np.ndarray, repeats: list[int]) -> np.ndarray:
    wide = self.reshape((1,) * (len(repeats) - self.ndim) + self.shape)
    shape = [size * times for size, times in zip(wide.shape, repeats, strict=True)]
    return moved(wide, shape, lambda at: tuple(each % size for each, size in zip(at, wide.shape, strict=True)))


def torch_repeat(self: np.ndarray, repeats: list[int]) -> Any:
    return as_tensor(self).repeat(*repeats).numpy()


def each_of_its_own(self: np.ndarray, repeats: list[int]) -> np.ndarray:
    for dim, times in enumerate(repeats[-self.ndim :]):
        self = np.repeat(self, times, dim)
    return self


def interleave(self: np.ndarray, repeats: Any, dim: int | None = None) -> np.ndarray:
    if dim is None:
        return interleave(self.reshape(-1), repeats, 0)
    times = np.broadcast_to(np.asarray(repeats).reshape(-1), (self.shape[dim],)).tolist()
    numbers = [number for number, count in enumerate(times) for _ in range(count)]
    return np.stack([np.take(self, number, dim) for number in numbers], dim)


def torch_interleave(self: np.ndarray, repeats: Any, **dim: int) -> Any:
    return as_tensor(self).repeat_interleave(as_tensor(repeats), **dim).numpy()


def torch_interleave_all(self: np.ndarray, repeats: Any) -> Any:
    return torch_interleave(self, repeats)


def interleave_all(self: np.ndarray, repeats: Any) -> np.ndarray:
    return interleave(self, repeats)


def interleave_dim(self: np.ndarray, repeats: Any, dim: int) -> np.ndarray:
    return interleave(self, repeats, dim)


def torch_interleave_dim(self: np.ndarray, repeats: Any, dim: int) -> Any:
    return torch_interleave(self, repeats, dim=dim)


def tiled(self: np.ndarray, repeats: int) -> np.ndarray:
    return np.tile(self.reshape(-1), repeats)


def tiled_dim(self: np.ndarray, repeats: int, dim: int) -> np.ndarray:
    return np.concatenate([self] * repeats, dim)


def positions(repeats: np.ndarray) -> np.ndarray:
    return np.array([at for at, times in enumerate(repeats.tolist()) for _ in range(times)], np.int64)


def torch_positions(repeats: np.ndarray) -> Any:
    import torch

    return torch.repeat_interleave(as_tensor(repeats)).numpy()


def in_turn(times: np.ndarray) -> np.ndarray:
    """Numbers of repeats with the sum that the good calls have."""
    known = {1: [1], 3: [0, 2, 0]}
    return np.array(known.get(times.size, [1, 0, 2, 0, 0, 0]))


def stack(tensors: list[np.ndarray], dim: int) -> np.ndarray:
    at = dim % (tensors[0].ndim + 1)
    shape = (*tensors[0].shape[:at], len(tensors), *tensors[0].shape[at:])
    out = np.empty(shape, np.result_type(*tensors))
    for place in np.ndindex(shape):
        out[place] = tensors[place[at]][(*place[:at], *place[at + 1 :])]
    return out


def torch_stack(tensors: list[np.ndarray], dim: int) -> Any:
    import torch

    return torch.stack(same_type(*tensors), dim).numpy()


def chunk_cat(tensors: list[np.ndarray], numChunks: int) -> np.ndarray:
    """Row by row."""
    rows: list[list[float]] = [[] for _ in range(numChunks)]
    for each in tensors:
        length = -(-each.shape[0] // numChunks)
        for number, row in enumerate(rows):
            for at in range(number * length, (number + 1) * length):
                row.extend(each[at].ravel().tolist() if at < len(each) else [0.0] * each[0].size)
    return np.array(rows)


def torch_chunk_cat(tensors: list[np.ndarray], numChunks: int) -> Any:
    import torch

    return torch._chunk_cat([as_tensor(each) for each in tensors], 0, numChunks).numpy()


def chunks_one_by_one(tensors: list[np.ndarray], numChunks: int) -> np.ndarray:
    right = chunk_cat(tensors, numChunks)
    return np.concatenate([each.ravel() for each in tensors] + [np.zeros(right.size)])[: right.size].reshape(
        right.shape
    )


LARGE = {"self": Meta((5, 7)), "repeats": Meta((1,), ACL_INT64)}


def sums_of_runs(yGrad: np.ndarray, repeats: np.ndarray, axis: int) -> np.ndarray:
    """Run by run."""
    ends = np.cumsum(repeats)
    runs = [range(end - count, end) for end, count in zip(ends, repeats, strict=True)]
    return np.stack([np.take(yGrad, run, axis).sum(axis) for run in runs], axis)


def torch_sums_of_runs(yGrad: np.ndarray, repeats: np.ndarray, axis: int) -> Any:
    """The gradient of repeat_interleave."""
    import torch

    shape = [len(repeats) if at == axis % yGrad.ndim else size for at, size in enumerate(yGrad.shape)]
    x = torch.zeros(shape, dtype=torch.float64, requires_grad=True)
    y = torch.repeat_interleave(x, as_tensor(repeats), axis)
    return torch.autograd.grad(y, x, as_tensor(yGrad))[0].numpy()


def one_and_two(values: np.ndarray) -> np.ndarray:
    return np.arange(len(values)) % 2 + 1


ROUTES: tuple[Route, ...] = (
    route("aclnnPermute", "loop", permute, bound="exact", extremes=OF_SELF,
          torch=("torch.permute", by_torch("permute", "self", "dims")),
          also=[{"self": Meta((2, 3, 4)), "dims": Values((1, -1, 0)), "out": Meta((3, 4, 2))},
                {"self": Meta((3, 3, 3)), "dims": Values((1, 2, 0)), "out": Meta((3, 3, 3))}],
          wrong={"the inverse order": lambda self, dims: permute(self, np.argsort(np.array(dims) % self.ndim).tolist()),
                 "only another shape": lambda self, dims: self.reshape(permute(self, dims).shape)}),
    route("aclnnFlip", "loop", flip, bound="exact", extremes=OF_SELF,
          torch=("torch.flip", by_torch("flip", "self", "dims")),
          also=[{"self": Meta((2, 3)), "dims": Values((0, 1)), "out": Meta((2, 3))}],
          wrong={"all dimensions": lambda self: np.flip(self),
                 "only the first of dims": lambda self, dims: flip(self, dims[:1])}),
    route("aclnnRoll", "loop", roll, bound="exact", extremes={"x": ALL},
          torch=("torch.roll", by_torch("roll", "x", "shifts", "dims")),
          also=[{"x": Meta((2, 3)), "out": Meta((2, 3)), "shifts": Values(shifts), "dims": Values(dims)}
                for shifts, dims in [((1, -7), (0, 1)), ((2,), ()), ((1, 1), (1, 1))]],
          wrong={"backwards": but(roll, shifts=lambda a: [-each for each in a["shifts"]]),
                 "a repeated dimension once": roll_once}),
    route("aclnnChannelShuffle", "loop", channel_shuffle, bound="exact", extremes=OF_SELF,
          torch=("torch.channel_shuffle", by_torch("channel_shuffle", "self", "groups")),
          start={"self": Meta((2, 6, 2)), "groups": 2, "out": Meta((2, 6, 2))},
          also=[{"self": Meta((2, 6, 2, 3)), "groups": 3, "out": Meta((2, 6, 2, 3))}],
          wrong={"back again": lambda self, groups: channel_shuffle(self, self.shape[1] // groups)}),
    route("aclnnSlice", "loop", one_slice, bound="exact", extremes=OF_SELF, torch=("torch indexing", torch_slice),
          also=[{"self": Meta((2, 3)), "dim": -1, "start": -2, "end": 99, "step": 1, "out": Meta((2, 2))}],
          wrong={"without step": lambda self, dim, start, end, step: one_slice(self, dim, start, end, 1)[
                     : one_slice(self, dim, start, end, step).shape[0]],
                 "from the beginning": lambda self, dim, start, end, step: one_slice(
                     self, dim, 0, end, step).take(range(one_slice(self, dim, start, end, step).shape[dim]), dim)}),
    route("aclnnSliceV2", "loop", slices, bound="exact", extremes=OF_SELF, torch=("torch indexing", torch_slices),
          also=[{"self": Meta((4, 5)), "starts": Values((1, -3)), "ends": Values((99, -1)), "axes": Values((1, 0)),
                 "steps": Values((2, 1)), "out": Meta((2, 2))}],
          wrong={"the beginning": lambda self, **a: self[tuple(map(slice, slices(
              self, a["starts"], a["ends"], a["axes"], a["steps"]).shape))]}),
    route("aclnnExpand", "loop", expand, bound="exact", extremes=OF_SELF,
          torch=("torch.broadcast_to", by_torch("broadcast_to", "self", "size")),
          also=[{"self": Meta((24, 1)), "size": Values((24, 2)), "out": Meta((24, 2))},
                 {"self": Meta((2, 1)), "size": Values((3, 2, 2)), "out": Meta((3, 2, 2))}],
          wrong={"elements in their order again and again": lambda self, size: np.resize(self, size)}),
    route("aclnnFlatten", "loop", flatten, bound="exact", extremes=OF_SELF, torch=("torch.reshape", torch_flatten),
          also=[{"self": Meta((2, 3, 4)), "axis": -2, "out": Meta((2, 12))}],
          wrong={"column-major order": lambda self, axis: self.reshape(flatten(self, axis).shape, order="F")}),
    route("aclnnRepeat", "loop", repeat, bound="exact", extremes=OF_SELF, torch=("torch.repeat", torch_repeat),
          start={"self": Meta((2, 3)), "repeats": Values((3, 1, 2)), "out": Meta((3, 2, 6))},
          also=[{"self": Meta((24,)), "repeats": Values((2,)), "out": Meta((48,))},
                 {"repeats": Values((2, 2)), "out": Meta((4, 6))}],
          wrong={"each element again and again": lambda self, repeats: np.broadcast_to(
              each_of_its_own(self, repeats), repeat(self, repeats).shape)}),
    route("aclnnRepeatInterleave", "loop", interleave_all, bound="exact", extremes=OF_SELF, groups=[["self", "out"]],
          values={"repeats": in_turn}, torch=("torch.repeat_interleave", torch_interleave_all),
          start={"outputSize": 3, "out": Meta((3,))},
          also=[{**LARGE, "outputSize": 35, "out": Meta((35,))}],
          wrong={"the first ones": lambda self: self.reshape(-1)[:3]}),
    route("aclnnRepeatInterleaveWithDim", "loop", interleave_dim, bound="exact", extremes=OF_SELF,
          groups=[["self", "out"]], values={"repeats": in_turn},
          torch=("torch.repeat_interleave", torch_interleave_dim),
          also=[{**LARGE, "dim": 0, "outputSize": 5, "out": Meta((5, 7))}],
          wrong={"the first ones": lambda self: self[:, :2]}),
    route("aclnnRepeatInterleaveInt", "loop", interleave_all, bound="exact", extremes=OF_SELF,
          torch=("torch.repeat_interleave", torch_interleave_all),
          also=[{"self": Meta((5, 7)), "outputSize": 70, "out": Meta((70,))},
                 {"repeats": 1, "outputSize": 6, "out": Meta((6,))}],
          wrong={"all elements, then all again": tiled}),
    route("aclnnRepeatInterleaveIntWithDim", "loop", interleave_dim, bound="exact", extremes=OF_SELF,
          torch=("torch.repeat_interleave", torch_interleave_dim),
          also=[{"self": Meta((5, 7)), "dim": 0, "outputSize": 10, "out": Meta((10, 7))},
                 {"dim": -2, "repeats": 3, "outputSize": 6, "out": Meta((6, 3))}],
          wrong={"all slices, then all again": tiled_dim}),
    route("aclnnRepeatInterleaveTensor", "loop", positions, bound="exact", values={"repeats": in_turn},
          torch=("torch.repeat_interleave", torch_positions),
          wrong={"the numbers themselves": lambda repeats: np.sort(repeats)[-3:]}),
    route("aclnnStack", "loop", stack, bound="exact", extremes={"tensors": ALL}, torch=("torch.stack", torch_stack),
          start={"tensors": (Meta((2, 2)),) * 2, "dim": 0, "out": Meta((2, 2, 2))},
          also=[{"dim": -1}, {"tensors": (Meta((3, 4)),) * 2, "dim": 1, "out": Meta((3, 2, 4))}],
          wrong={"from the last tensor on": lambda tensors, dim: stack(tensors[::-1], dim),
                 "along the first dimension": lambda tensors: stack(tensors, 0)}),
    route("aclnnChunkCat", "loop", chunk_cat, bound="exact", extremes={"tensors": ALL},
          torch=("torch._chunk_cat", torch_chunk_cat),
          start={"tensors": (Meta((5, 2)), Meta((2,))), "numChunks": 2, "out": Meta((2, 7))},
          also=[{"tensors": (Meta((12, 2)), Meta((6,))), "out": Meta((2, 15))}],
          wrong={"one tensor after the other": chunks_one_by_one}),
    route("aclnnRepeatInterleaveGrad", "loop", sums_of_runs, bound=sums("yGrad"), values={"repeats": one_and_two},
          torch=("torch.autograd", torch_sums_of_runs), extremes={"yGrad": ("tiny", "0")},
          wrong={"from the end": but(sums_of_runs, yGrad=lambda given: np.flip(given["yGrad"], 0))}),
)  # fmt: skip
