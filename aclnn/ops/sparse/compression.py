"""NsaCompress: weighted sums of blocks of neighbouring keys, of packed sequences or of the last keys in a cache."""

from itertools import pairwise
from typing import Final

import numpy as np

from aclnn.op import (
    TILING, Arguments, Array, Bad, Planning, Relation, Shape, demand, generated, in_memory, listed, one_of,
    only_if, planned, positive, ranks, required, same_dtype, same_shape, shape, updates, widen,
)  # fmt: skip
from aclnn.ops.sparse._sequences import check_blocks

BLOCK, STRIDE = "compressBlockSize", "compressStride"


def first_rows(a: Arguments, ends: str) -> list[int]:
    """The first row of each block. A sequence that is shorter than a block has none. A 0 in front is no sequence."""
    starts: list[int] = []
    for start, stop in pairwise((0, *a[ends].values)):
        starts += range(start, stop - a[BLOCK] + 1, a[STRIDE])
    return starts


def ends_of_sequences(ends: str, name: str | None, *, beside: str = "") -> Relation:
    """Checks that the ends of sequences ascend, up to the last row of the tensor `name`. `beside`: a list that has as
    many ends."""

    def bad(a: Arguments) -> Bad:
        values = a[ends].values
        if beside and len(values) != len(a[beside].values):
            return list(values), f"{len(a[beside].values)} ends, as {beside}"
        most = (a.shape(name)[0],) if name else ()
        good = all(start <= stop for start, stop in pairwise((0, *values, *most)))
        return None if good else (list(values), f"ascending ends up to {most[0] if most else 'any number'}")

    source = (name,) if name else ()
    return demand(f"{{0}} are the ends of sequences{' of {1}' * len(source)}", ends, *source, bad=bad)


def compressing(ends: str, layout: str) -> tuple[Relation, ...]:
    """The checks of both functions. `ends`, `layout`: the names of their parameters."""
    return (
        required(ends), listed("input", "weight"), same_dtype("weight", "input"),
        ranks("input", least=3, most=3), ranks("weight", least=2, most=2), positive(BLOCK), positive(STRIDE),
        shape("weight", "{0} has a row for each row of a block, and the heads of input",
              lambda a: (a[BLOCK], a.shape("input")[1])),
        one_of(layout, None, "TND"), one_of("actSeqLenType", 0),
        ends_of_sequences(ends, "input"),
    )  # fmt: skip


ENDS: Final = ("actSeqLenOptional", "actSeqLenOptionalOptional")


def out_shape(a: Arguments) -> Shape:
    return (len(first_rows(a, ENDS[0])), *a.shape("input")[1:])


@planned(
    "aclnnNsaCompress", *compressing(ENDS[0], "layoutOptional"), same_dtype("output", "input"),
    shape("output", "{0} has a row for each block", out_shape),
)  # fmt: skip
def compress(p: Planning) -> None:
    """output[b] = the sum of input[start of b + w] * weight[w] over the compressBlockSize rows of block b. A block
    begins at each compressStride-th row of a sequence, if it fits."""
    starts = first_rows(p, ENDS[0])
    if starts:
        operands = [p.read("input"), p.read("weight")]
        p.store("output", p.step(block_sums, operands, p.shape("output"), p.dtype("output"), starts=tuple(starts)))


def block_sums(x: Array, weight: Array, *, starts: tuple[int, ...]) -> Array:
    rows = np.asarray(starts)
    out = np.zeros((len(rows), *x.shape[1:]), np.float32)
    for number, factors in enumerate(weight):
        out += x[rows + number] * factors[:, None]
    return out


def grad_shape(a: Arguments) -> Shape:
    return (len(first_rows(a, ENDS[1])), *a.shape("input")[1:])


@planned(
    "aclnnNsaCompressGrad", *compressing(ENDS[1], "layoutOptionalOptional"), same_dtype("outputGrad", "input"),
    shape("outputGrad", "{0} has a row for each block", grad_shape), same_dtype("inputGradOut", "input"),
    same_shape("inputGradOut", "input"), same_dtype("weightGradOut", "weight"), same_shape("weightGradOut", "weight"),
)  # fmt: skip
def compress_grad(p: Planning) -> None:
    """inputGrad[start of b + w] = the sum of outputGrad[b] * weight[w] over all blocks b that have this row.
    weightGrad[w] = the sum of outputGrad[b] * input[start of b + w] over all blocks, for each head."""
    operands = [p.read(name) for name in ("outputGrad", "input", "weight")]
    outputs = ("inputGradOut", "weightGradOut")
    sizes = [(p.shape(name), p.dtype(name)) for name in outputs]
    results = p.steps(block_grads, operands, sizes, starts=tuple(first_rows(p, ENDS[1])))
    for name, result in zip(outputs, results, strict=True):
        p.store(name, result)


def block_grads(grad: Array, x: Array, weight: Array, *, starts: tuple[int, ...]) -> tuple[Array, Array]:
    rows = np.asarray(starts, np.int64)
    of_x, of_weight = np.zeros(x.shape, np.float32), np.zeros(weight.shape, np.float32)
    for number, factors in enumerate(weight):
        of_x[rows + number] += grad * factors[:, None]
        of_weight[number] = (grad * x[rows + number]).sum((0, 2), dtype=np.float64)
    return of_x, of_weight


# the last block of each sequence, in a cache

TABLE, LENGTHS, PAGE = "blockTableOptional", "actSeqLenOptional", "pageBlockSize"
PAGES: Final = (64, 128)


def wrong_tokens(a: Arguments) -> Bad:
    lengths = a[LENGTHS].values
    most = a.shape(TABLE)[1] * a[PAGE] if a.given(TABLE) else a.shape("input")[0]
    total = max(lengths, default=0) if a.given(TABLE) else sum(lengths)
    return None if min(lengths, default=0) >= 0 and total <= most else (list(lengths), f"at most {most} keys")


def wrong_batches(a: Arguments) -> Bad:
    count, tables = len(a[LENGTHS].values), (a.shape(TABLE)[:1] if a.given(TABLE) else ())
    good = a.shape("slotMapping") == (count,) and tables in ((), (count,))
    return None if good else (list(a.shape("slotMapping")), f"[{count}], and as many rows of {TABLE}")


def wrong_pages(a: Arguments) -> Bad:
    good = a[PAGE] in PAGES and a.rank("input") == 4 and a.shape("input")[1] == a[PAGE]
    return None if good else (list(a.shape("input")), f"4 dimensions, pages of {a[PAGE]}, 64 or 128, keys")


@planned(
    "aclnnNsaCompressWithCache", generated(), updates("outputCache"), required(LENGTHS),
    listed("input", "weight", "slotMapping", TABLE),
    *(same_dtype(name, "input") for name in ("weight", "outputCache")),
    one_of("layoutOptional", None, "TND", status=TILING), one_of("actSeqLenType", 1, status=TILING),
    positive(BLOCK, status=TILING), positive(STRIDE, status=TILING),
    only_if("keys are in pages", lambda a: a.given(TABLE),
            demand("{0} has pages of {1} keys", "input", PAGE, bad=wrong_pages, status=TILING)),
    only_if("keys are not in pages", lambda a: not a.given(TABLE), ranks("input", least=3, most=3, status=TILING)),
    shape("weight", "{0} has a row for each row of a block, and the heads of input",
          lambda a: (a[BLOCK], a.shape("input")[-2]), status=TILING),
    ranks(TABLE, least=2, most=2, status=TILING),
    demand("{0} are lengths of sequences of {1}", LENGTHS, "input", bad=wrong_tokens, status=TILING),
    demand("{0} has a slot for each sequence", "slotMapping", LENGTHS, bad=wrong_batches, status=TILING),
    shape("outputCache", "{0} has rows of the heads and elements of input",
          lambda a: (*a.shape("outputCache")[:1], *a.shape("input")[-2:]), status=TILING),
)  # fmt: skip
def compress_with_cache(p: Planning) -> None:
    """outputCache[slotMapping[b]] = the sum of the last compressBlockSize keys of sequence b, each times its row of
    weight, if its length is compressBlockSize plus a multiple of compressStride. Token t of a sequence in pages is in
    row t % pageBlockSize of page blockTable[b, t // pageBlockSize]. The rest of the cache is not changed."""
    operands = [p.read("input"), p.read("weight"), p.read("slotMapping")]
    operands += [p.read(TABLE)] if p.given(TABLE) else []
    p.builder.launch(
        last_blocks, operands, [p.builder.written(p["outputCache"])], lengths=tuple(p[LENGTHS].values), stride=p[STRIDE]
    )


@in_memory
def last_blocks(
    x: Array, weight: Array, slots: Array, table: Array | None = None, *, out: Array, lengths: tuple[int, ...],
    stride: int,
) -> None:  # fmt: skip
    start, size, factors = 0, len(weight), widen(weight)[:, :, None]
    for batch, count in enumerate(lengths):
        if count >= size and (count - size) % stride == 0:
            check_blocks(slots[batch : batch + 1], len(out), "slotMapping")
            places = np.arange(count - size, count)
            if table is None:
                rows = x[start + places]
            else:
                pages = table[batch, places // x.shape[1]]
                check_blocks(pages, len(x))
                rows = x[pages, places % x.shape[1]]
            out[slots[batch]] = (widen(rows) * factors).sum(0)
        start += count
