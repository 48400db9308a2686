"""Bernoulli numbers: 1 with a probability, else 0."""

from typing import Final

import numpy as np

from aclnn.op import (
    BOOL, IEEE_FLOATS, INTEGERS, REAL_FLOAT, WIDE_UNSIGNED, Arguments, Array, Bad, Planning, Scalar, Series, T, demand,
    empty, in_memory, listed, overwrites, planned, public_format, ranks, same_dtype, same_shape, scalar_as, with_bf16,
)  # fmt: skip
from aclnn.ops.random._family import rows_of_words, uniform, wide_uniform

BERNOULLI_TYPES: Final = with_bf16((*IEEE_FLOATS, *INTEGERS, *BOOL), {Series.A950: WIDE_UNSIGNED})


def improbable(a: Arguments) -> Bad:
    prob = float(scalar_as(a["prob"], T.ACL_DOUBLE))
    return (prob, "[0, 1]") if prob < 0 or prob > 1 else None


def numbers(words: Array, *, newest: bool) -> Array:
    """Uniform numbers from words. `newest`: as on Ascend 950."""
    return wide_uniform(words) if newest else uniform(words, T.ACL_FLOAT)


@in_memory
def ones(*tensors: Array, out: Array, prob: float = 0, seed: int, offset: int, newest: bool) -> None:
    """True with a probability: a number, or a tensor in flat order. Elements beyond the tensor are false. Ascend 950
    has other counters of words."""
    flat, start = out.reshape(-1), (seed, -(-offset // 4) if newest else offset)
    chances = tensors[0].reshape(-1)[: flat.size] if tensors else None
    for place, rows in rows_of_words(start, flat.size, high=newest):
        part = flat[place]
        chance = np.float32(prob) if chances is None else chances[place].astype(np.float32)
        u = numbers(rows, newest=newest).reshape(-1)[: part.size if chances is None else chance.size]
        part[u.size :] = False
        part[: u.size] = u <= chance if newest else u >= np.float32(1) - chance


def fill(p: Planning) -> None:
    by_scalar = isinstance(p["prob"], Scalar)
    chance = {"prob": float(p.scalar("prob", T.ACL_FLOAT))} if by_scalar else {}
    values = {"seed": p["seed"], "offset": p["offset"], "newest": p.soc.series is Series.A950}
    sizes = p.shape("out")
    tensors = [] if by_scalar else [p.read("prob")]
    p.store("out", p.step(ones, tensors, sizes, T.ACL_BOOL, **chance, **values))


TYPE_RULES: Final = (
    listed("self", among=BERNOULLI_TYPES),
    listed("prob", among=REAL_FLOAT),
    same_dtype("out", as_="self"),
)
SHAPES: Final = (ranks("self", least=0, most=8), same_shape("out", as_="self"))


@planned(
    "aclnnBernoulli", "aclnnInplaceBernoulli", overwrites("selfRef"), *TYPE_RULES,
    demand("{0} lies in [0, 1]", "prob", bad=improbable), *SHAPES, public_format("self", "out"), empty("self"),
)  # fmt: skip
def bernoulli(p: Planning) -> None:
    """out = 1 with the probability prob, else 0. The values of self do not matter."""
    fill(p)


@planned(
    "aclnnBernoulliTensor", "aclnnInplaceBernoulliTensor", overwrites("selfRef"), *TYPE_RULES, *SHAPES,
    ranks("prob", least=0, most=8), public_format("self", "prob", "out"), empty("self", "prob"),
)  # fmt: skip
def bernoulli_tensor(p: Planning) -> None:
    """out = 1 with the probability in the element of prob at the same place in flat order, else 0. Elements beyond prob
    are 0. The values of self do not matter."""
    fill(p)
