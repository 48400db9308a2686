"""Checks of MlaProlog: shapes and data types in its tiling (561002), and the modes of the third version (161002)."""

from dataclasses import dataclass
from math import prod
from typing import Final

from aclnn.op import TILING, Arguments, Bad, Relation, Series, Shape, T, demand, one_of, ranks, shape
from aclnn.ops.attention._cache_slots import BY_BLOCK, block_count
from aclnn.ops.attention._demands import Misfit, checked

ROTARY, NOPE, LATENT = 64, 128, 512
"""elements of a rotary part; of a head without it; of a row of keys and values"""
WIDTHS: Final = (1024, 8192)
"""limits of the elements of a token"""
MOST_HEADS: Final = 128
IN_BLOCKS: Final = ("PA_BSND", "PA_NZ")
IN_ORDER: Final = ("BSND", "TND")
LEGAL_CACHES: Final = {0: (0,), 1: (0, 2, 3), 2: (0, 1, 3)}
"""kvCacheQuantMode by weightQuantMode; modes above 2 are like 2"""
NOPE_SCALE, NORM, NORM_SCALE = "dequantScaleQNopeOutOptional", "queryNormOutOptional", "dequantScaleQNormOutOptional"
MATRICES: Final = ("weightDq", "weightUqQr", "weightDkvKr")
TYPED: Final = ("tokenX", *MATRICES, "kvCacheRef", "krCacheRef", "queryOut")
"""tensors that may have INT8"""
MODES: Final = ("weightQuantMode", "kvCacheQuantMode", "queryQuantMode")


@dataclass(frozen=True)
class Modes:
    """The numbers of the quantisation modes: those of the third version, or what data types say."""

    weights: int
    cache: int
    query: int


def modes(a: Arguments) -> Modes:
    if a.has(MODES[0]):
        return Modes(*(a[name] for name in MODES))
    weights = 2 if a.dtype("tokenX") == T.ACL_INT8 else int(a.dtype("weightUqQr") == T.ACL_INT8)
    cache = 0 if a.dtype("kvCacheRef") != T.ACL_INT8 else 2 if a.given("quantScaleCkrOptional") else 1
    return Modes(weights, cache, int(a.dtype("queryOut") == T.ACL_INT8))


@dataclass(frozen=True)
class Sizes:
    tokens: int
    width: int
    down: int
    """elements of a compressed query"""
    heads: int


def sizes(a: Arguments) -> Sizes:
    *lead, width = a.shape("tokenX")
    return Sizes(prod(lead), width, a.shape("weightDq")[1], a.shape("weightUk")[0])


def index(a: Arguments) -> str:
    return "cacheIndexOptional" if a.has("cacheIndexOptional") else "cacheIndex"


def cache_mode(a: Arguments) -> str:
    return a["cacheModeOptional"] or IN_BLOCKS[0]


def by_block(a: Arguments) -> bool:
    """True if cacheIndex has a number for each block of a sequence."""
    return cache_mode(a) in BY_BLOCK


def wrong_modes(a: Arguments) -> Misfit | None:
    weights, cache, query = (a[name] for name in MODES)
    most = 5 if a.soc.series is Series.A950 else 2
    if not 0 <= weights <= most:
        return MODES[0], weights, f"0 to {most}"
    legal = LEGAL_CACHES[min(weights, 2)]
    if cache not in legal:
        return MODES[1], cache, " or ".join(map(str, legal))
    if query not in (0, 1):
        return MODES[2], query, "0 or 1"
    for name, needed in ((NOPE_SCALE, weights >= 2 and cache == 1), (NORM_SCALE, a.given(NORM) and weights != 0)):
        if a.given(name) != needed:
            return MODES[0], weights, f"{name} {'given' if needed else 'null'} beside these modes"
    return None


def wrong_sizes(a: Arguments) -> Bad:
    own = sizes(a)
    heads = own.heads
    good = WIDTHS[0] <= own.width <= WIDTHS[1] and a.shape("weightDq")[0] == own.width
    good = good and 1 <= heads <= MOST_HEADS and heads & (heads - 1) == 0 and own.down > 0
    return None if good else (list(a.shape("tokenX")), f"{WIDTHS[0]} to {WIDTHS[1]} elements, and 1 to 128 heads")


def computed(a: Arguments) -> bool:
    """True if the modes have a formula. Shapes and data types of other modes are not checked."""
    mode = modes(a)
    return mode.weights <= 2 and mode.cache != 3 and (mode.query == 0 or mode.cache == 1)


def wrong_scales(a: Arguments) -> Misfit | None:
    own, mode = sizes(a), modes(a)
    if not computed(a):
        return None
    needed: dict[str, tuple[Shape, ...]] = {}
    if mode.weights >= 1:
        needed["dequantScaleWUqQrOptional"] = ((1, own.heads * (NOPE + ROTARY)),)
    if mode.weights >= 2:
        needed["dequantScaleXOptional"] = ((own.tokens,), (own.tokens, 1))
        needed["dequantScaleWDqOptional"] = ((1, own.down),)
        needed["dequantScaleWDkvKrOptional"] = ((1, LATENT + ROTARY),)
    if mode.cache:
        needed["quantScaleCkvOptional"] = ((1,), (1, 1), (1, LATENT)) if mode.cache == 1 else ((1, LATENT),)
    if mode.cache == 2:
        needed["quantScaleCkrOptional"] = ((1, ROTARY),)
    for name, shapes in needed.items():
        if not a.given(name) or a.shape(name) not in shapes:
            return "weightUqQr", f"beside {name} {list(a.shape(name)) if a.given(name) else 'null'}", list(shapes[0])
    smooth = "smoothScalesCqOptional"
    if a.given(smooth) and a.shape(smooth) != (1, own.down):
        return "weightUqQr", f"beside {smooth} {list(a.shape(smooth))}", [1, own.down]
    return None


def wrong_types(a: Arguments) -> Misfit | None:
    mode = modes(a)
    if not computed(a):
        return None
    all_whole = mode.weights >= 2
    whole = (all_whole, all_whole, mode.weights >= 1, all_whole, mode.cache > 0, mode.cache == 2, mode.query == 1)
    for name, is_whole in zip(TYPED, whole, strict=True):
        if (a.dtype(name) == T.ACL_INT8) != is_whole:
            return name, a.type_name(name), "INT8" if is_whole else "BFLOAT16"
    return None


def cached(name: str, width: int) -> Relation:
    def bad(a: Arguments) -> Bad:
        if not computed(a):
            return None
        shape, mode = a.shape(name), cache_mode(a)
        rank = 3 if mode == "TND" else 4
        rows = mode not in IN_ORDER or prod(shape[:-2]) >= sizes(a).tokens
        good = len(shape) == rank and shape[-2:] == (1, width) and rows
        good = good and (mode not in BY_BLOCK or shape[1] == a.shape("kvCacheRef")[1])
        return None if good else (list(shape), f"{rank} dimensions, the last ones 1 and {width}")

    return demand("{0} has rows of keys", name, "tokenX", bad=bad, status=TILING)


def wrong_index(a: Arguments) -> Bad:
    name, lead = index(a), a.shape("tokenX")[:-1]
    if cache_mode(a) in IN_ORDER or (by_block(a) and len(lead) == 1):
        return None
    if by_block(a) and a.rank("kvCacheRef") == 4:
        lead = (lead[0], block_count(lead[1], a.shape("kvCacheRef")[1]))
    good = a.given(name) and a.shape(name) == lead
    return None if good else (list(a.shape("tokenX")), f"a number for each token or block in {name}: {list(lead)}")


def shapes(*caches: str) -> tuple[Relation, ...]:
    """The checks of shapes and types. `caches`: the legal modes of caches."""
    return (
        ranks("tokenX", least=2, most=3, status=TILING), ranks(*MATRICES, least=2, most=2, status=TILING),
        ranks("weightUk", least=3, most=3, status=TILING), one_of("cacheModeOptional", None, *caches, status=TILING),
        demand("the sizes of {0} and the weights are ones that the operator supports", "tokenX", bad=wrong_sizes,
               status=TILING),
        checked("the data types of {0} and the others fit the modes", *TYPED, bad=wrong_types, status=TILING,
                provenance="public"),
        shape("weightUqQr", "{0} has rows of a compressed query, and columns of heads",
              lambda a: (sizes(a).down, sizes(a).heads * (NOPE + ROTARY)), status=TILING),
        shape("weightUk", "{0} has a matrix for each head", lambda a: (sizes(a).heads, NOPE, LATENT), status=TILING),
        shape("weightDkvKr", "{0} has columns of keys and of rotary parts",
              lambda a: (sizes(a).width, LATENT + ROTARY), status=TILING),
        shape("rmsnormGammaCq", "{0} has a number for each column of weightDq", lambda a: (sizes(a).down,),
              status=TILING),
        shape("rmsnormGammaCkv", "{0} has 512 numbers", lambda a: (LATENT,), status=TILING),
        *(shape(name, "{0} has an angle for each token", lambda a: (*a.shape("tokenX")[:-1], ROTARY), status=TILING)
          for name in ("ropeSin", "ropeCos")),
        demand("{0} has a place for each token, or each block of tokens", "tokenX", bad=wrong_index, status=TILING),
        cached("kvCacheRef", LATENT), cached("krCacheRef", ROTARY),
        checked("{0} comes with the scales that its modes need", "weightUqQr", bad=wrong_scales, status=TILING),
        shape("queryOut", "{0} has 512 elements for each head",
              lambda a: (*a.shape("tokenX")[:-1], sizes(a).heads, LATENT), status=TILING),
        shape("queryRopeOut", "{0} has a rotary part for each head",
              lambda a: (*a.shape("tokenX")[:-1], sizes(a).heads, ROTARY), status=TILING),
    )  # fmt: skip
