"""Routes for `aclnn.ops.random`: Philox one block at a time, and loops over elements."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from math import ceil, log
from typing import Any

import numpy as np

from acl_runtime.headers.enums import aclDataType
from aclnn.catalogue.facts import facts
from tests.aclnn.ops.random.philox import block, double_normal, fraction, normal, seeded, uniform, words
from tests.oracle.route import Route, but, route

Given = dict[str, Any]
OTHER_SEED = {"seed": lambda given: given["seed"] + 1}
OTHER_OFFSET = {"offset": lambda given: given["offset"] + 1}
BITS = {aclDataType.ACL_FLOAT: 23, aclDataType.ACL_FLOAT16: 10, aclDataType.ACL_BF16: 7}


def unlike(formula: Callable[..., Any], *, tensors: bool = False) -> dict[str, Callable[..., Any]]:
    """Other seeds and offsets, which give other numbers."""
    seed = {"seedTensor": lambda given: given["seedTensor"] + 1} if tensors else OTHER_SEED
    return {"another seed": but(formula, **seed), "another offset": but(formula, **OTHER_OFFSET)}


# masks


def mask(given: Given) -> np.ndarray:
    """Byte by byte, bit by bit."""
    size, bits = given["out"].size, BITS[given.get("probDataType", aclDataType.ACL_FLOAT)]
    prob = float(np.float32(given["prob"]))
    drawn = iter(words(given["seed"], given["offset"]))
    return np.array([sum((fraction(next(drawn), bits) >= prob) << bit for bit in range(8)) for _ in range(size)])


def bit(mask: np.ndarray, at: int) -> int:
    return int(np.ravel(mask)[at // 8]) >> at % 8 & 1


def kept(x: np.ndarray, mask: np.ndarray, scale: float) -> np.ndarray:
    flat = [value * scale if bit(mask, at) else 0.0 for at, value in enumerate(np.ravel(x))]
    return np.array(flat).reshape(x.shape)


def do_mask(self: np.ndarray, mask: np.ndarray, prob: float) -> np.ndarray:
    return kept(self, mask, 1 / (1 - prob)) if prob not in (0, 1) else self * (1 - prob)


def backward(gradOutput: np.ndarray, mask: np.ndarray, scale: float) -> np.ndarray:
    return kept(gradOutput, mask, scale) if scale != 1 else gradOutput


def dropout(given: Given) -> list[np.ndarray]:
    made = mask({**given, "prob": given["p"], "out": given["maskOut"]})
    return [kept(given["input"], made, 1 / (1 - given["p"])), made]


def newest_dropout(given: Given) -> list[np.ndarray]:
    """As Ascend 950 compares: all 32 bits of a word, in float32."""
    drawn = islice(words(given["seed"], given["offset"]), given["maskOut"].size * 8)
    keep = np.float32(1 - given["p"])
    bits = [np.float32(word) * np.float32(2**-32) + np.float32(2**-33) < keep for word in drawn]
    made = np.array([sum(int(each) << at for at, each in enumerate(bits[8 * of : 8 * of + 8]))
                     for of in range(len(bits) // 8)])  # fmt: skip
    return [kept(given["input"], made, 1 / (1 - given["p"])), made]


def newest_grad(gradY: np.ndarray, mask: np.ndarray, scale: float) -> np.ndarray:
    return kept(gradY, mask, scale)


# numbers


def between(given: Given) -> np.ndarray:
    bits = {"float16": 10, "bfloat16": 7}.get(given["dtypes"]["self"], 23)
    u = uniform(given["seed"], given["offset"], given["self"].size, bits)
    return (u * (given["to"] - given["from"]) + given["from"]).reshape(given["self"].shape)


def integers(given: Given) -> np.ndarray:
    u = uniform(given["seed"], given["offset"], given["self"].size).reshape(given["self"].shape)
    drawn = u * given["to"] - (u * given["from"] - given["from"])
    return np.rint(drawn) if given["dtypes"]["self"] == "bool" else np.floor(drawn)


GREATEST = {"float32": 2**24, "float64": 2**53, "float16": 2**11, "bfloat16": 2**8, "bool": 1}


def every_integer(given: Given) -> np.ndarray:
    name = given["dtypes"]["self"]
    most = GREATEST.get(name) or np.iinfo(name).max
    u = uniform(given["seed"], given["offset"], given["self"].size).reshape(given["self"].shape)
    return np.trunc(u * float(np.float32(most + 1)))


def gauss(given: Given) -> np.ndarray:
    z = normal(given["seed"], given["offset"], given["self"].size).reshape(given["self"].shape)
    return z * given["std"] + given["mean"]


def each_gauss(given: Given) -> np.ndarray:
    kind = double_normal if "float64" in given["dtypes"].values() else normal
    z = kind(given["seed"], given["offset"], given["out"].size).reshape(given["out"].shape)
    return z * given["std"] + given["mean"]


def of_normals(arguments: Given, exact: np.ndarray, dtype: str) -> Any:
    """The angles of float32 have an error of 2^-22, and normal numbers are less than 6."""
    return 2.0**-20 * (np.abs(arguments["mean"]) + 6 * np.abs(arguments["std"]))


def waiting(given: Given) -> np.ndarray:
    u = uniform(given["seed"], given["offset"], given["self"].size)
    return np.array([-log(1 - each) / given["lambda"] for each in u]).reshape(given["self"].shape)


def heads(given: Given) -> np.ndarray:
    x, chances = given["self"], np.ravel(given["prob"])
    u = uniform(given["seed"], given["offset"], x.size)
    flat = [each >= 1 - chances[min(at, chances.size - 1)] for at, each in enumerate(u)]
    return np.array(flat, float).reshape(x.shape)


# positions


def positions(given: Given) -> np.ndarray:
    rows, samples = np.atleast_2d(given["self"]), given["numsamples"]
    if not given["replacement"]:
        u = uniform(given["seed"], given["offset"], rows.size).reshape(rows.shape)
        found = [by_score(row, each)[:samples] for row, each in zip(rows, u, strict=True)]
    else:
        u = uniform(given["seed"], given["offset"], len(rows) * samples).reshape(-1, samples)
        found = [[first_beyond(row, each * sum(row)) for each in drawn] for row, drawn in zip(rows, u, strict=True)]
    return np.array(found).reshape(*given["self"].shape[:-1], samples)


def by_score(row: np.ndarray, u: np.ndarray) -> list[int]:
    scores = [weight / (-log(1 - each) + 1e-7) for weight, each in zip(row, u, strict=True)]
    return sorted(range(len(row)), key=lambda at: -scores[at])


def first_beyond(row: np.ndarray, point: float) -> int:
    return next(at for at in range(len(row)) if sum(row[: at + 1]) > point)


def permutation(given: Given) -> np.ndarray:
    made = (block(given["seed"] % 2**64, given["offset"] % 2**64 << 64 | at) for at in range(ceil(given["n"] / 2)))
    keys = [each[2 * half] << 32 | each[2 * half + 1] for each in made for half in (0, 1)]
    return np.array(sorted(range(given["n"]), key=keys.__getitem__))


def random_route(*words: Any, **more: Any) -> Route:
    """Names of functions, and a formula of their arguments."""
    *names, formula = words
    expected = seeded(formula)
    by_tensors = any(param.name == "seedTensor" for param in facts(names[0]).params)
    groups = [["out" if formula is mask else "self"]] if by_tensors else ()
    return route(*names, "loop over Philox", expected, wrong=unlike(expected, tensors=by_tensors),
                 **({"groups": groups} | more))  # fmt: skip


CHANCES = {"prob": lambda x: np.abs(x) % 1}
WEIGHTS = {"self": np.abs}


def bytes_of(x: np.ndarray) -> np.ndarray:
    """All kinds of bytes."""
    return np.arange(77, 77 + 31 * x.size, 31).reshape(x.shape) % 256


HALVES = {"FLOAT16": {"probDataType": aclDataType.ACL_FLOAT16}, "BFLOAT16": {"probDataType": aclDataType.ACL_BF16}}

ROUTES: tuple[Route, ...] = (
    random_route("aclnnDropoutGenMask", mask),
    random_route("aclnnDropoutGenMaskV2", mask, also=[*HALVES.values()]),
    random_route("aclnnDropoutGenMaskV2Tensor", mask, also=[*HALVES.values()]),
    random_route("aclnnDropout", dropout),
    random_route("aclnnDropoutV3", newest_dropout),
    *(route(name, "loop", formula,
            wrong={"bits inverted": but(formula, mask=lambda given: 255 - given["mask"]),
                   "bits of a byte reversed": but(formula, mask=lambda given: np.packbits(
                       np.unpackbits(given["mask"].astype(np.uint8), bitorder="little")))},
            also=also, groups=[words], values={"mask": bytes_of})
      for name, formula, also, words in (
          ("aclnnDropoutDoMask", do_mask, [{"prob": 0.0}, {"prob": 1.0}], ["self", "out"]),
          ("aclnnDropoutBackward", backward, [{"scale": 1.0}, {"scale": 0.0}], ["gradOutput", "out"]),
          ("aclnnDropoutV3Grad", newest_grad, [], ["gradY", "gradX"]))),
    random_route("aclnnInplaceUniform", between),
    random_route("aclnnInplaceUniformTensor", between),
    random_route("aclnnInplaceRandom", integers, also=[{"from": -5, "to": 3}]),
    random_route("aclnnInplaceRandomTensor", integers),
    random_route("aclnnInplaceRandomWithoutFromTo", every_integer),
    random_route("aclnnInplaceRandomWithoutFromToTensor", every_integer),
    random_route("aclnnSimThreadExponential", waiting, start={"lambda": 0.5}),
    random_route("aclnnInplaceNormal", gauss, bound=of_normals, start={"mean": 3.0, "std": 2.0}),
    random_route("aclnnInplaceNormalTensor", gauss, bound=of_normals, start={"mean": 3.0, "std": 2.0}),
    *(random_route(f"aclnnNormal{name}", each_gauss, bound=of_normals)
      for name in ("FloatFloat", "TensorFloat", "FloatTensor", "TensorTensor")),
    random_route("aclnnBernoulli", "aclnnInplaceBernoulli", heads),
    random_route("aclnnBernoulliTensor", "aclnnInplaceBernoulliTensor", heads, values=CHANCES),
    random_route("aclnnMultinomial", positions, values=WEIGHTS, also=[{"replacement": False}], positions=True),
    random_route("aclnnMultinomialTensor", positions, values=WEIGHTS, also=[{"replacement": False}], positions=True),
    random_route("aclnnRandperm", permutation),
)  # fmt: skip
