"""MlaProlog: queries and cached keys of latent attention, from tokens and compressed weights."""

from typing import Final

import numpy as np

from aclnn.op import (
    Arguments, Array, Operand, Operator, Planning, Relation, T, check_range, empty, generated, in_memory, in_parts,
    lacks, listed, planned, required, shape, total, widen, TILING,
)  # fmt: skip
from aclnn.ops.attention._cache_slots import BY_BLOCK, IN_GROUPS, put_in_groups, slots_of_blocks
from aclnn.ops.attention._demands import checked
from aclnn.ops.attention._prolog_rules import (
    IN_BLOCKS, IN_ORDER, LATENT, MODES, NOPE, NOPE_SCALE, NORM, NORM_SCALE, ROTARY, by_block, cache_mode, index, modes,
    shapes, sizes, wrong_modes,
)  # fmt: skip
from aclnn.ops.attention.rope_cache import rotated

INPUTS: Final = (
    "tokenX", "weightDq", "weightUqQr", "weightUk", "weightDkvKr", "rmsnormGammaCq", "rmsnormGammaCkv", "ropeSin",
    "ropeCos", "kvCacheRef", "krCacheRef",
)  # fmt: skip
SCALES: Final = (
    "dequantScaleXOptional", "dequantScaleWDqOptional", "dequantScaleWUqQrOptional", "dequantScaleWDkvKrOptional",
    "quantScaleCkvOptional", "quantScaleCkrOptional", "smoothScalesCqOptional",
)  # fmt: skip
TOP: Final = np.float32(127)
LENGTHS: Final = "actualSeqLenOptional"
ALPHA: Final = "kNopeClipAlphaOptional"


def newer_weights(a: Arguments) -> bool:
    return modes(a).weights > 2


def in_tiles(a: Arguments) -> bool:
    return modes(a).cache == 3


def whole_query(a: Arguments) -> bool:
    """True for a quantised query of the older versions, whose scale the documents give two shapes."""
    return a.dtype("queryOut") == T.ACL_INT8


def query_alone(a: Arguments) -> bool:
    """True for a quantised query whose keys are not quantised with one scale."""
    mode = modes(a)
    return mode.query == 1 and mode.cache != 1


def packed_by_block(a: Arguments) -> bool:
    """True for whole blocks of sequences whose lengths differ."""
    return by_block(a) and (a.rank("tokenX") == 2 or a.given(LENGTHS))


OF_THIRD: Final[tuple[Relation, ...]] = (
    lacks("a weightQuantMode above 2", newer_weights), lacks("kvCacheQuantMode 3", in_tiles),
    lacks("a quantised query without kvCacheQuantMode 1", query_alone),
    lacks("a cacheMode of whole blocks, with packed tokens or with actualSeqLenOptional", packed_by_block),
    lacks(ALPHA, lambda a: a.given(ALPHA)),
    checked("the modes {0}, {1} and {2} go together", *MODES, bad=wrong_modes, provenance="public"),
)  # fmt: skip


def prolog(name: str, more: tuple[Relation, ...], caches: tuple[str, ...], outputs: tuple[str, ...] = ()) -> Operator:
    """A version of the operator. `more`: relations of this version alone. `outputs`: its optional outputs."""
    third = bool(outputs)
    relations = (
        generated(), required("weightUqQr"), *more,
        listed(*INPUTS, "cacheIndexOptional" if third else "cacheIndex", *SCALES, "queryOut", "queryRopeOut", *outputs),
        empty("tokenX"), *shapes(*caches),
        *(() if not third else (
            shape(NORM, "{0} has a compressed query for each token",
                  lambda a: (*a.shape("tokenX")[:-1], sizes(a).down), status=TILING),
            shape(NORM_SCALE, "{0} has a number for each token", lambda a: (sizes(a).tokens, 1), status=TILING),
            shape(NOPE_SCALE, "{0} has a number for each head", lambda a: (sizes(a).tokens, sizes(a).heads, 1),
                  status=TILING),
        )),
    )  # fmt: skip

    def plan(p: Planning) -> None:
        prepare(p)

    plan.__doc__ = (
        "c = norm(tokenX @ weightDq) * rmsnormGammaCq; u = c @ weightUqQr, in heads of 128 and 64 elements. queryOut = "
        "the first 128 @ weightUk; queryRopeOut = the other 64, rotated. k = tokenX @ weightDkvKr: the row cacheIndex "
        "of kvCache gets norm(the first 512 elements) * rmsnormGammaCkv, that of krCache the others, rotated. The "
        "results between are rounded to BFLOAT16. INT8 tensors have scales."
    )
    return planned(name, *relations)(plan)


def prepare(p: Planning) -> None:
    own, mode = sizes(p), modes(p)
    count, heads = own.tokens, own.heads
    x = p.builder.reshape(p.read("tokenX"), (count, own.width))
    of_x = [p.builder.reshape(p.read(SCALES[0]), (count, 1))] if mode.weights >= 2 else []
    down = product(p, x, "weightDq", own.down, T.ACL_BF16, *of_x, *scale(p, SCALES[1], of_x))
    factor = p["qcQrScale"] if p.has("qcQrScale") else 1.0
    query = p.step(normed, [down, p.read("rmsnormGammaCq")], (count, own.down), T.ACL_BF16,
                   epsilon=p["rmsnormEpsilonCq"], factor=factor)  # fmt: skip
    of_query: list[Operand] = []
    if mode.weights:
        inputs = [query, *([p.read(SCALES[6])] if p.given(SCALES[6]) else [])]
        results = [((count, own.down), T.ACL_INT8), ((count, 1), T.ACL_FLOAT)]
        query, *of_query = p.steps(quantised, inputs, results)
    up = product(p, query, "weightUqQr", heads * (NOPE + ROTARY), T.ACL_BF16, *of_query, *scale(p, SCALES[2], of_query))
    up = p.builder.reshape(up, (count, heads, NOPE + ROTARY))
    angles = [p.builder.reshape(p.read(name), (count, 1, ROTARY)) for name in ("ropeCos", "ropeSin")]
    latent = p.step(absorbed, [up, p.read("weightUk")], (count, heads, LATENT), T.ACL_BF16)
    turned = p.step(
        rotated, [up, *angles], (count, heads, ROTARY), T.ACL_FLOAT if mode.query else T.ACL_BF16, first=NOPE
    )
    if mode.query:
        results = [((count, heads, LATENT), T.ACL_INT8), ((count, heads, 1), T.ACL_FLOAT)]
        latent, of_latent = p.steps(quantised, [latent], results)
        turned = p.step(rescaled, [turned, of_latent, p.read(SCALES[4])], turned.shape, T.ACL_BF16)
        put(p, NOPE_SCALE, of_latent)
    put(p, "queryOut", latent)
    put(p, "queryRopeOut", turned)
    if p.has(NORM) and p.given(NORM):
        put(p, NORM, query)
        if of_query:
            put(p, NORM_SCALE, of_query[0])
    keys = product(p, x, "weightDkvKr", LATENT + ROTARY, T.ACL_FLOAT, *of_x, *scale(p, SCALES[3], of_x))
    fill(p, keys, angles)


def fill(p: Planning, keys: Operand, angles: list[Operand]) -> None:
    """Write the rows of keys into both caches."""
    count, mode = keys.shape[0], modes(p)
    factor = p["kcScale"] if p.has("kcScale") else 1.0
    rows = p.step(normed, [keys, p.read("rmsnormGammaCkv")], (count, LATENT), T.ACL_FLOAT,
                  epsilon=p["rmsnormEpsilonCkv"], factor=factor)  # fmt: skip
    flat = [p.builder.reshape(each, (count, ROTARY)) for each in angles]
    ropes = p.step(rotated, [keys, *flat], (count, ROTARY), T.ACL_FLOAT, first=LATENT)
    places = [] if cache_mode(p) in IN_ORDER else [p.read(index(p))]
    if by_block(p):
        length, size = p.shape("tokenX")[1], p.shape("kvCacheRef")[1]
        places = [p.step(slots_of_blocks, places, (count,), T.ACL_INT64, rows=length, size=size, unit=size)]
    for cache, lines, name, quantises in (
        ("kvCacheRef", rows, SCALES[4], mode.cache > 0), ("krCacheRef", ropes, SCALES[5], mode.cache == 2),
    ):  # fmt: skip
        if places:
            most = p.shape(cache)[0] * p.shape(cache)[1]
            p.builder.launch(check_range, places, [], name=index(p), count=most, besides=-1)
        factors = [p.read(name)] if quantises else []
        p.builder.launch(put_rows, [lines, *factors, *places], [p.builder.written(p[cache])], indexed=bool(places),
                         groups=cache_mode(p) in IN_GROUPS)  # fmt: skip


def scale(p: Planning, name: str, others: list[Operand]) -> list[Operand]:
    """The scale of weights, if their factor has a scale."""
    return [p.read(name)] if others else []


def put(p: Planning, name: str, result: Operand) -> None:
    p.store(name, p.builder.reshape(result, p.shape(name)))


def product(p: Planning, x: Operand, weight: str, columns: int, dtype: int, *scales: Operand) -> Operand:
    return p.step(multiplied, [x, p.read(weight, nz=True), *scales], (x.shape[0], columns), dtype)


def multiplied(x: Array, weight: Array, *scales: Array) -> Array:
    """x @ weight, times scales. Integers are multiplied exactly."""
    if x.dtype != np.int8:
        return np.matmul(x, weight)
    exact = np.matmul(x.astype(np.float64), weight.astype(np.float64)).astype(np.float32)
    for each in scales:
        exact = exact * each
    return exact


@in_parts((-1,), whole=[1])
def normed(x: Array, gamma: Array, *, epsilon: float, factor: float) -> Array:
    own = x[..., : len(gamma)]
    mean = total(own * own, -1, keepdims=True) / np.float32(len(gamma))
    return own / np.sqrt(mean + np.float32(epsilon)) * gamma * np.float32(factor)


def quantised(x: Array, smooth: Array | None = None) -> tuple[Array, Array]:
    """x as INT8, and the scale of each row. A row of zeros stays zero."""
    x = x if smooth is None else x * smooth
    scales = np.abs(x).max(-1, keepdims=True) / TOP
    return np.rint(x / np.where(scales == 0, np.float32(1), scales)), scales


def absorbed(up: Array, weight: Array) -> Array:
    return np.swapaxes(np.matmul(np.swapaxes(up[..., :NOPE], 0, 1), weight), 0, 1)


def rescaled(x: Array, scales: Array, of_cache: Array) -> Array:
    return x * (of_cache.reshape(-1)[0] / scales)


@in_memory
def put_rows(rows: Array, *more: Array, out: Array, indexed: bool, groups: bool) -> None:
    """Write rows into a cache. A row whose place is out of range is skipped. `groups`: the elements of a row lie in
    groups of 32 bytes."""
    places = more[-1].reshape(-1).astype(np.int64) if indexed else np.arange(len(rows))
    lines = widen(rows)
    if len(more) > indexed:
        lines = np.clip(np.rint(lines * more[0].reshape(-1)), -128, 127)
    size = out.shape[1] if out.ndim == 4 else 1
    valid = (places >= 0) & (places < len(out) * size)
    lines, places = lines[valid], places[valid]
    if out.ndim == 3:
        out[places, 0] = lines
    elif groups:
        put_in_groups(lines, places, out)
    else:
        out[places // size, places % size, 0] = lines


OLDER: Final = (lacks("a quantised query", whole_query),)
mla_prolog = prolog("aclnnMlaProlog", OLDER, IN_BLOCKS)
mla_prolog_v2 = prolog("aclnnMlaPrologV2WeightNz", OLDER, IN_BLOCKS)
mla_prolog_v3 = prolog(
    "aclnnMlaPrologV3WeightNz", OF_THIRD, (*IN_BLOCKS, *BY_BLOCK, *IN_ORDER), (NOPE_SCALE, NORM, NORM_SCALE)
)  # fmt: skip
