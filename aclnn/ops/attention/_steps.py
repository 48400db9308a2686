"""Queues the steps of attention. A step has so few batches, heads and rows that its results stay small."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Final

import numpy as np

from aclnn.op import Array, Operand, Planning, same
from aclnn.ops.attention._panels import TABLE, attention, attention_grad
from aclnn.ops.attention._scores import ScoreRules, blocks

RESULT: Final = 1 << 22
"""most elements of a result of a step: 16 MiB"""


@dataclass(frozen=True)
class Attended:
    """Views (B, N, S, D) that attention reads."""

    q: Operand
    k: Operand
    """the blocks of a cache (blocks, N, rows of a block, D) if there is a table of blocks, same as v"""
    v: Operand
    rules: ScoreRules
    squares: Mapping[str, Operand] = field(default_factory=dict[str, Operand])
    """a shift and a mask for each score, as (B, N, rows of q, rows of k)"""
    whole: Mapping[str, Operand] = field(default_factory=dict[str, Operand])
    """operands that each step gets as a whole: the bits of dropout, the scales of INT8, and the table of the blocks of
    one batch"""

    def parts(self, *, rows: bool) -> Iterator[tuple[slice, slice, slice, slice]]:
        """Slices of batches, query heads, heads of keys and rows, for each step. Without `rows`, rows are not cut."""
        batches, heads, length, size = self.q.shape
        group = heads // self.k.shape[1]
        size = max(size, self.v.shape[3])
        of_head = group * length * size
        if not rows:
            of_head = max(of_head, self.k.shape[2] * size)
        at_once = RESULT // max(of_head * self.k.shape[1], 1)
        few_heads = RESULT // max(of_head, 1) if at_once == 0 else self.k.shape[1]
        few_rows = RESULT // max(group * size, 1) if rows and few_heads == 0 else length
        for batch in blocks(batches, at_once):
            for head in blocks(self.k.shape[1], few_heads):
                for row in blocks(length, few_rows):
                    yield batch, slice(head.start * group, head.stop * group), head, row

    def cut(self, batch: slice, heads: slice, shared: slice, rows: slice) -> "Attended":
        """The operands of a step."""
        first, of_batch, of_head = self.rules.bits
        length = self.k.shape[2]
        start = first + batch.start * of_batch + heads.start * of_head + rows.start * length
        rules = replace(self.rules, first_row=self.rules.first_row + rows.start, bits=(start, of_batch, of_head))
        squares = {name: square.part(batch, heads, rows) for name, square in self.squares.items()}
        k, v = (operand.part(slice(None) if TABLE in self.whole else batch, shared) for operand in (self.k, self.v))
        return replace(self, q=self.q.part(batch, heads, rows), k=k, v=v, rules=rules, squares=squares)

    @property
    def others(self) -> tuple[tuple[str, ...], list[Operand]]:
        """Names and operands of optional inputs."""
        by_name = {**self.squares, **self.whole}
        return tuple(by_name), list(by_name.values())


def attend(p: Planning, attended: Attended, out: Operand, more: Mapping[str, Operand]) -> None:
    """Queue the steps that write `out`, and the statistics `more` by name. All are views (B, N, S, ..)."""
    if 0 in attended.q.shape:
        return
    if not (attended.k.shape[2] if attended.rules.columns is None else attended.rules.columns):
        for target in (out, *more.values()):
            clear(p, target)
        return
    for batch, heads, shared, rows in attended.parts(rows=True):
        own_part = attended.cut(batch, heads, shared, rows)
        names, others = own_part.others
        outputs = [result.part(batch, heads, rows) for result in (out, *more.values())]
        p.builder.launch(
            attention, [own_part.q, own_part.k, own_part.v, *others], outputs, moves=True, names=names,
            rules=own_part.rules, results=tuple(more),
        )  # fmt: skip


def attend_back(p: Planning, attended: Attended, rows: Sequence[Operand], grads: Sequence[Operand]) -> None:
    """Queue the steps that write the gradients of q, k and v. `rows`: the gradient of the output, the output, and the
    largest score and the sum of each row."""
    if 0 in attended.q.shape or 0 in attended.k.shape:
        for grad in grads:
            clear(p, grad)
        return
    for batch, heads, shared, _ in attended.parts(rows=False):
        own_part = attended.cut(batch, heads, shared, slice(0, attended.q.shape[2]))
        names, others = own_part.others
        inputs = [own_part.q, own_part.k, own_part.v, *(row.part(batch, heads) for row in rows), *others]
        dq, dk, dv = grads
        outputs = [dq.part(batch, heads), dk.part(batch, shared), dv.part(batch, shared)]
        p.builder.launch(attention_grad, inputs, outputs, moves=True, names=names, rules=own_part.rules)


def appended(p: Planning, x: Operand, rope: Operand) -> Operand:
    """x with the rotary part behind each vector; two steps copy the two parts."""
    size = x.shape[3]
    result = p.builder.alloc((*x.shape[:3], size + rope.shape[3]), x.dtype)
    for source, place in ((x, slice(0, size)), (rope, slice(size, None))):
        copy(p, source, result.along(3, place))
    return result


def copy(p: Planning, source: Operand, target: Operand) -> None:
    if prod(source.shape):
        p.builder.launch(same, [source], [target], moves=True)


def clear(p: Planning, out: Operand) -> None:
    """Queue steps that fill a view with zeros."""
    if prod(out.shape):
        p.builder.launch(zeros, [], [out], moves=True, shape=out.shape)


def zeros(*, shape: tuple[int, ...]) -> Array:
    return np.broadcast_to(np.zeros((), np.float32), shape)
