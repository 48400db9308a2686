"""The collectives on NPUs by hccl against the same calls on CPU tensors by gloo. `ranks.py` runs them.

A check makes its calls on one of the two places, and yields all tensors that the calls have written.
"""

from contextlib import nullcontext
from typing import NamedTuple

import torch
import torch.distributed as dist
from torch.distributed.distributed_c10d import _coalescing_manager

DTYPES = (torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int8, torch.uint8, torch.bool)
WITHOUT_SUMS = (torch.uint8, torch.bool)
REDUCTIONS = {torch.uint8: 0, torch.bool: 0, torch.bfloat16: 3}
"""the number of operations that A2 has for a data type, if not all"""
OPERATIONS = (dist.ReduceOp.SUM, dist.ReduceOp.MAX, dist.ReduceOp.MIN, dist.ReduceOp.PRODUCT)
SIZES = (1, 5, 300)


class Place(NamedTuple):
    device: str
    group: dist.ProcessGroup
    half: dist.ProcessGroup
    """the group of every second rank, in which this rank is"""
    rank: int
    world: int

    def drawn(self, *shape, seed=0, dtype=torch.float32):
        """Small whole numbers, others on each rank. Their sums and products are exact in all data types."""
        maker = torch.Generator().manual_seed(100 * seed + self.rank)
        return torch.randint(0, 2 if dtype in WITHOUT_SUMS else 3, shape, generator=maker).to(dtype).to(self.device)

    def empty(self, *shape, dtype=torch.float32):
        return torch.empty(shape, dtype=dtype, device=self.device)

    def one_each(self, *shape, dtype=torch.float32):
        return [self.empty(*shape, dtype=dtype) for _ in range(self.world)]


def reductions(at):
    last = at.world - 1
    for dtype in DTYPES:
        for number, operation in enumerate(OPERATIONS[: REDUCTIONS.get(dtype, 4)]):
            for size in SIZES:
                x, y = at.drawn(size, seed=number, dtype=dtype), at.drawn(size, seed=number + 10, dtype=dtype)
                dist.all_reduce(x, operation, group=at.group)
                dist.reduce(y, last, operation, group=at.group)
                yield from [x, y] if at.rank == last else [x]
    mean, flags = at.drawn(7), at.drawn(7, dtype=torch.bool)
    dist.all_reduce(mean, dist.ReduceOp.AVG, group=at.group)
    dist.all_reduce(flags, dist.ReduceOp.MAX, group=at.group)
    yield from (mean, flags)


def parts_of_sums(at):
    for operation in (dist.ReduceOp.SUM, dist.ReduceOp.MAX):
        for size in SIZES:
            parts = [at.drawn(size, seed=rank) for rank in range(at.world)]
            one, other = at.empty(size), at.empty(size)
            dist.reduce_scatter(one, parts, operation, group=at.group)
            dist.reduce_scatter_tensor(other, torch.cat(parts), operation, group=at.group)
            yield from (one, other)


def copies(at):
    """Each data type, in sizes with and without padding."""
    for dtype in DTYPES:
        for size in SIZES:
            x, root = at.drawn(size, dtype=dtype), at.rank == 0
            rows = [at.drawn(size, seed=1 + rank, dtype=dtype) for rank in range(at.world)]
            whole, own = at.empty(at.world * size, dtype=dtype), at.empty(size, dtype=dtype)
            gathered, all_gathered = at.one_each(size, dtype=dtype), at.one_each(size, dtype=dtype)
            dist.all_gather(all_gathered, x, group=at.group)
            dist.all_gather_into_tensor(whole, x, group=at.group)
            dist.gather(x, gathered if root else None, dst=0, group=at.group)
            dist.scatter(own, rows if root else None, src=0, group=at.group)
            dist.broadcast(x, at.world - 1, group=at.group)
            yield from (x, whole, own, *all_gathered, *(gathered if root else ()))


def exchanges(at):
    """Equal parts, parts of several sizes, and lists; some parts are empty."""
    counts = [[(row + 2 * column) % 3 for column in range(at.world)] for row in range(at.world)]
    sent, received = counts[at.rank], [row[at.rank] for row in counts]
    for dtype in (torch.float32, torch.int64, torch.bfloat16):
        equal, uneven = at.empty(at.world, 3, dtype=dtype), at.empty(sum(received), 2, dtype=dtype)
        dist.all_to_all_single(equal, at.drawn(at.world, 3, dtype=dtype), group=at.group)
        rows = at.drawn(sum(sent), 2, seed=1, dtype=dtype)
        dist.all_to_all_single(uneven, rows, received, sent, group=at.group)
        lists, inputs = at.one_each(4, dtype=dtype), [at.drawn(4, seed=rank, dtype=dtype) for rank in range(at.world)]
        dist.all_to_all(lists, inputs, group=at.group)
        yield from (equal, uneven, *lists)


def transfers(at):
    """Pairs, then a ring, whose calls are made together."""
    if at.world == 1:
        return
    after, before = (at.rank + 1) % at.world, (at.rank - 1) % at.world
    for dtype in (torch.float32, torch.int64, torch.bool):
        x, y, z = at.drawn(5, dtype=dtype), at.empty(5, dtype=dtype), at.empty(700, dtype=dtype)
        if at.rank % 2:
            dist.recv(y, before, group=at.group)
            dist.isend(x, before, group=at.group).wait()
        else:
            dist.send(x, after, group=at.group)
            dist.irecv(y, after, group=at.group).wait()
        ring = [dist.P2POp(dist.isend, at.drawn(700, seed=3, dtype=dtype), after, at.group),
                dist.P2POp(dist.irecv, z, before, at.group)]  # fmt: skip
        for work in dist.batch_isend_irecv(ring):
            work.wait()
        yield from (y, z)


def orders(at):
    """Calls made together, without waiting, in another stream, and in groups of some ranks."""
    one, two, three = at.drawn(3), at.drawn(600, seed=1), at.drawn(4, seed=2)
    on_device = at.device != "cpu"
    with _coalescing_manager(at.group, device=torch.device(at.device) if on_device else None):
        dist.all_reduce(one, group=at.group)
        dist.all_reduce(two, group=at.group)
    works = [dist.all_reduce(x, group=group, async_op=True) for x, group in ((one, at.half), (two, at.group))]
    for work in works:
        work.wait()
    side = torch.npu.Stream() if on_device else None
    if on_device:
        side.wait_stream(torch.npu.current_stream())
    with torch.npu.stream(side) if on_device else nullcontext():
        dist.all_reduce(three, group=at.group, async_op=True).wait()
        doubled = three * 2
    if on_device:
        torch.npu.current_stream().wait_stream(side)
    dist.barrier(group=at.group)
    yield from (one, two, three, doubled)


def objects(at):
    """Python objects of several lengths, which travel as tensors of bytes."""
    mine = {"rank": at.rank, "text": "x" * (700 * at.rank)}
    everyone, gathered = [None] * at.world, [None] * at.world if at.rank == 0 else None
    dist.all_gather_object(everyone, mine, group=at.group)
    dist.gather_object(mine, gathered, dst=0, group=at.group)
    sent, own = [mine, at.rank], [None]
    dist.broadcast_object_list(sent, at.world - 1, group=at.group)
    dist.scatter_object_list(own, list(range(at.world)) if at.rank == 0 else None, src=0, group=at.group)
    yield from (everyone, gathered, sent, own)


def compare(rank, world, device):
    """AssertionError if a result of the device is not that of gloo."""
    ranks = [list(range(first, world, 2)) for first in range(min(2, world))]
    halves = {backend: [dist.new_group(each, backend=backend) for each in ranks] for backend in ("hccl", "gloo")}
    gloo = Place("cpu", dist.new_group(backend="gloo"), halves["gloo"][rank % 2], rank, world)
    hccl = Place(device, dist.group.WORLD, halves["hccl"][rank % 2], rank, world)
    for check in (reductions, parts_of_sums, copies, exchanges, transfers, orders, objects):
        for number, (ours, theirs) in enumerate(zip(check(hccl), check(gloo), strict=True)):
            right = torch.equal(ours.cpu(), theirs) if isinstance(ours, torch.Tensor) else ours == theirs
            if not right:
                raise AssertionError(f"{check.__name__}, result {number}: {ours} is not {theirs}")
