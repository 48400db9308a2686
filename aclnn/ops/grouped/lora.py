"""AddLora: products with the low-rank weights that each row selects, added to some columns."""

import numpy as np

from aclnn.op import (
    TILING, Arguments, Array, Bad, Planning, Relation, Shape, check_range, demand, generated, in_memory, listed, matmul,
    may_be_in_place, not_negative, planned, ranks, same_dtype, same_shape, shape, widen, with_elements,
)  # fmt: skip

DOWN, UP = "weightAOptional", "weightB"
UNIT = 16
INPUTS = ("y", "x", UP, "indices", DOWN)


def rows(a: Arguments) -> Shape:
    return a.shape("y")[:1]


def smaller(a: Arguments) -> Shape:
    """The shape of weightA."""
    weights, layers, _, rank = a.shape(UP)
    return weights, layers, rank, a.shape("x")[1]


def other_columns(a: Arguments) -> Bad:
    columns, rank = a.shape("x")[1], a.shape(UP)[3]
    return None if a.given(DOWN) or columns == rank else (f"{columns} columns", f"{rank}, as {UP} has without {DOWN}")


def odd_columns(name: str, dim: int) -> Relation:
    def bad(a: Arguments) -> Bad:
        size = a.shape(name)[dim]
        return None if size % UNIT == 0 else (size, f"a multiple of {UNIT}")

    return demand(f"the size of dimension {dim} of {{0}} is a multiple of {UNIT}", name, bad=bad, status=TILING)


def no_layer(a: Arguments) -> Bad:
    layers = a.shape(UP)[1]
    return None if 0 <= a["layerIdx"] < layers else (a["layerIdx"], f"[0, {layers - 1}]")


def other_slice(a: Arguments) -> Bad:
    size, columns = a.shape(UP)[2], a.shape("y")[1]
    fits = a["ySliceSize"] == size and a["yOffset"] + size <= columns
    return None if fits else (a["ySliceSize"], f"{size}, the rows of {UP}, which end in {columns} columns")


@planned(
    "aclnnAddLora", may_be_in_place(), generated(), listed(*INPUTS), same_dtype("out", "y"),
    ranks("y", "x", UP, "indices", status=TILING), ranks(DOWN, least=4, most=4, status=TILING),
    *(with_elements(name, status=TILING) for name in INPUTS),
    shape("x", "{0} has a row for each of y", lambda a: (*rows(a), *a.shape("x")[1:]), status=TILING),
    shape("indices", "{0} has an element for each row of y", rows, status=TILING),
    shape(DOWN, "{0} fits x and weightB", smaller, status=TILING),
    demand("{0} has the columns of weightB if there is no weightA", "x", UP, bad=other_columns, status=TILING),
    odd_columns("x", 1), odd_columns(UP, 2),
    demand("{0} is a layer of {1}", "layerIdx", UP, bad=no_layer, status=TILING),
    not_negative("yOffset", status=TILING),
    demand("{0} has the rows of {1}, and lies in y", "ySliceSize", UP, "y", bad=other_slice, status=TILING),
    same_shape("out", "y", status=TILING),
)  # fmt: skip
def add_lora(p: Planning) -> None:
    """out = y, with scale * (x[b] @ weightA[i, layerIdx]^T) @ weightB[i, layerIdx]^T added to the ySliceSize columns
    from yOffset on, where i = indices[b]. Without weightA, x takes the place of the first product. A row whose index is
    -1 is that of y. Computed in FLOAT, and rounded once."""
    y, x, up, indices = p.read("y"), p.read("x"), p.read(UP, nz=True), p.read("indices")
    p.builder.launch(check_range, [indices], [], name="indices", count=up.shape[0], besides=-1)
    down = [p.read(DOWN, nz=True)] if p.given(DOWN) else []
    first = p["yOffset"]
    p.store("out", p.step(with_products, [y, x, indices, up, *down], y.shape, y.dtype, layer=p["layerIdx"],
                          scale=np.float32(p["scale"]), first=first, last=first + up.shape[2]))  # fmt: skip


@in_memory
def with_products(
    y: Array, x: Array, indices: Array, up: Array, *down: Array, out: Array, layer: int, scale: np.float32, first: int,
    last: int,
) -> None:  # fmt: skip
    out[...] = y
    for weight in np.unique(indices):
        if 0 <= weight < len(up):
            chosen = np.flatnonzero(indices == weight)
            product = widen(x[chosen])
            for matrices in (*down, up):
                matrix: Array = np.transpose(widen(matrices[weight, layer]))
                product = matmul(product, matrix)
            sums = widen(out[chosen, first:last]) + product * scale
            out[chosen, first:last] = sums.astype(out.dtype)
