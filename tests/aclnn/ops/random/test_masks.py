"""Masks of dropout, and dropout by them: bits by product, refusals in order, distributions."""

from __future__ import annotations

from dataclasses import replace
from math import prod, sqrt
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A2, A950
from tests.aclnn.ops.random.good_calls import EMPTY
from tests.aclnn.ops.random.philox import words
from tests.derived.good import subject
from tests.derived.launching import planned
from tests.derived.values import Values, tensors
from tests.helpers.refusals import Mistake, Of, pairs, planned_with, rules

NULL, INVALID = ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_PARAM_INVALID
TYPES = {"FLOAT": (ACL_FLOAT, 23), "FLOAT16": (ACL_FLOAT16, 10), "BFLOAT16": (ACL_BF16, 7)}


def mask(shape: list[int], prob: float, dtype: int = ACL_FLOAT, *, seed: int = 7, offset: int = 0) -> np.ndarray:
    room = np.full(-(-prod(shape) // 128) * 16, 0xAA, np.uint8)
    return run(aclnnDropoutGenMaskV2, shape, prob, seed, offset, dtype, room)


def bits(mask: np.ndarray) -> np.ndarray:
    return np.unpackbits(mask, bitorder="little")


@pytest.mark.fidelity("random numbers on A2, A3, training and inference products")
@pytest.mark.parametrize(("dtype", "width"), TYPES.values(), ids=TYPES)
def test_a_bit_is_1_if_its_uniform_number_reaches_prob(machine: Machine, dtype: int, width: int) -> None:
    """Element i is bit i % 8 of byte i // 8; the bits behind the last element are random too."""
    found = bits(mask([5, 7], 0.3, dtype, seed=-2, offset=2**40))
    stream = words(-2, 2**40)
    rounded = {23: np.float32(0.3), 10: np.float16(0.3), 7: 0.30078125}[width]
    assert found.size == 128
    assert found.tolist() == [next(stream) % 2**width / 2**width >= float(rounded) for _ in range(128)]


def test_ascend_950_compares_all_bits_of_a_word() -> None:
    with Machine(A950):
        found = bits(mask([100], 0.3, ACL_FLOAT16))
    stream = words(7, 0)
    assert found.tolist() == [(next(stream) + 0.5) / 2**32 < np.float32(0.7) for _ in range(128)]


@pytest.mark.parametrize(("prob", "byte"), [(0.0, 0xFF), (2.0**-53, 0xFF), (1.0, 0), (float("nan"), 0)])
def test_masks_without_chance(machine: Machine, prob: float, byte: int) -> None:
    """NaN passes the checks, and nothing reaches it."""
    assert set(mask([3], prob)) == {byte}


def test_an_empty_shape_is_one_element(machine: Machine) -> None:
    assert mask([], 0.5).size == 16


@pytest.mark.parametrize("prob", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("dtype", [ACL_FLOAT, ACL_FLOAT16], ids=["FLOAT", "FLOAT16"])
def test_the_share_of_bits_is_within_four_deviations(machine: Machine, prob: float, dtype: int) -> None:
    n = 1 << 17
    ones = int(bits(mask([n], prob, dtype)).sum())
    assert abs(ones - n * (1 - prob)) < 4 * sqrt(n * prob * (1 - prob)) + n * (2.0**-11 if dtype else 0)


def test_neighbours_and_streams_are_independent(machine: Machine) -> None:
    """Correlations of bits that are neighbours, and of masks with other seeds and offsets."""
    n = 1 << 16
    given = [2.0 * bits(mask([n], 0.5, seed=seed, offset=at)) - 1 for seed, at in ((1, 0), (1, 1), (2, 0), (1, 2**32))]
    for one, other in [(given[0][1:], given[0][:-1]), *((given[0], each) for each in given[1:])]:
        assert abs(np.dot(one, other)) < 4 * sqrt(n)


def test_tensors_of_seed_and_offset_are_read_on_the_device(machine: Machine) -> None:
    seed, offset, room = np.array([7]), np.array([30]), np.empty(16, np.uint8)
    found = run(aclnnDropoutGenMaskV2Tensor, [9], 0.5, seed, offset, 12, ACL_FLOAT, room)
    assert np.array_equal(found, mask([9], 0.5, offset=42))


def test_a_type_of_prob_that_is_no_float_is_561103_only_where_it_is_used() -> None:
    good = {"shape": [2, 3], "prob": 0.5, "seed": 0, "offset": 0, "type": ACL_INT32, "out": Of((16,), ACL_UINT8)}
    first = aclnnDropoutGenMaskV2GetWorkspaceSize
    for chip, prob, wanted in ((A2, 0.5, ACLNN_ERR_INNER_NULLPTR), (A2, 0.0, ACL_SUCCESS), (A950, 0.5, ACL_SUCCESS)):
        with Machine(chip):
            aclrtSetDevice(0)
            assert planned_with(first, good | {"prob": prob}).status == wanted


def test_dropout_divides_what_it_keeps(machine: Machine) -> None:
    """1 - prob has the data type of self before it divides."""
    kept = np.arange(16, dtype=np.uint8)
    x = np.full((3, 5), 3, np.float16)
    found = run(aclnnDropoutDoMask, x, kept, 0.1, np.empty_like(x))
    scale = np.float32(1) / np.float32(np.float16(0.9))
    assert np.array_equal(found.ravel(), np.where(bits(kept)[:15], np.float16(np.float32(3) * scale), 0))


@pytest.mark.parametrize(("prob", "wanted"), [(0.0, [np.nan, 2]), (1.0, [0, 0])])
def test_without_chance_the_mask_does_not_matter(machine: Machine, prob: float, wanted: list[float]) -> None:
    x = np.array([np.nan, 2], np.float32)
    np.testing.assert_array_equal(run(aclnnDropoutDoMask, x, np.zeros(16, np.uint8), prob, x.copy()), wanted)


def test_dropped_nan_is_0(machine: Machine) -> None:
    x = np.array([np.nan, np.inf, 2], np.float32)
    found = run(aclnnDropoutDoMask, x, np.array([4] + [0] * 15, np.uint8), 0.5, np.empty_like(x))
    assert found.tolist() == [0, 0, 4]


def test_backward_is_the_derivative_of_forward(machine: Machine) -> None:
    x = np.linspace(-3, 3, 300, dtype=np.float32)
    out, made = run(aclnnDropout, x, 0.25, True, 5, 0, np.empty_like(x), np.empty(48, np.uint8))
    assert np.array_equal(run(aclnnDropoutBackward, x, made, 4 / 3, np.empty_like(x)), out)
    assert np.array_equal(run(aclnnDropoutDoMask, x, made, 0.25, np.empty_like(x)), out)
    assert np.array_equal(mask([300], 0.25, seed=5), made)


@pytest.mark.parametrize(("p", "train", "scale"), [(0.5, False, 1), (0.0, True, 1), (1.0, True, 0)])
def test_dropout_that_needs_no_mask_leaves_it(machine: Machine, p: float, train: bool, scale: int) -> None:
    x = np.arange(4, dtype=np.float32)
    out, made = run(aclnnDropout, x, p, train, 5, 0, np.empty_like(x), np.empty(16, np.uint8))
    assert out.tolist() == (x * scale).tolist()
    assert set(made) == {0xFF}, "not the fill of fresh memory"


@pytest.mark.parametrize("name", EMPTY)
def test_no_elements_need_no_work(name: str) -> None:
    this, of = subject(name), EMPTY[name]
    given = {each: members[0] for each, members in tensors(this.good).items()}
    changes: dict[str, Any] = {each: replace(meta, shape=(0,)) for each, meta in given.items() if "Tensor" not in each}
    assert of in changes
    counts = {"n": 0} if name == "aclnnRandperm" else {"shape": Values((0,))} if "GenMask" in name else {}
    with Machine(this.soc.name):
        aclrtSetDevice(0)
        answer = planned(this, this.changed({**changes, **counts}))
        assert (answer.status, answer.workspace_size) == (ACL_SUCCESS, 0), answer.text


BYTES = Of((16,), ACL_UINT8)
GENERATE = {"shape": [2, 3], "prob": 0.5, "seed": 0, "offset": 0, "out": BYTES}
DO = {"self": Of((2, 3)), "mask": BYTES, "prob": 0.5, "out": Of((2, 3))}
BACK = {"gradOutput": Of((2, 3)), "mask": BYTES, "scale": 2.0, "out": Of((2, 3))}
BOTH = {"input": Of((2, 3)), "p": 0.5, "train": True, "seed": 0, "offset": 0, "out": Of((2, 3)), "maskOut": BYTES}
RANK9 = Of((1,) * 9)
TABLES: dict[str, tuple[dict[str, Any], list[Mistake]]] = {
    "aclnnDropoutGenMask": (GENERATE, [
        Mistake("shape is null", NULL, "shape", shape=None),
        Mistake("out is null", NULL, "out", out=None),
        Mistake("out is UINT8", INVALID, "out", out=Of((16,), ACL_INT8)),
        Mistake("prob is not negative", INVALID, "prob", prob=-0.1),
        Mistake("prob is at most 1", INVALID, "prob", prob=1.1),
        Mistake("the mask fits exactly", INVALID, "out", out=Of((32,), ACL_UINT8)),
    ]),
    "aclnnDropoutDoMask": (DO, [
        Mistake("self is null", NULL, "self", self=None),
        Mistake("mask is null", NULL, "mask", mask=None),
        Mistake("self can be cast to out", INVALID, "out", out=Of((2, 3), ACL_INT32)),
        Mistake("self is a float", INVALID, "self", self=Of((2, 3), ACL_DOUBLE)),
        Mistake("mask is UINT8", INVALID, "mask", mask=Of((16,), ACL_INT8)),
        Mistake("prob is a probability", INVALID, "prob", prob=1.5),
        Mistake("self has at most 8 dimensions", INVALID, "self", self=RANK9),
        Mistake("out has the shape of self", INVALID, "out", out=Of((3, 2))),
        Mistake("the mask has enough bytes", INVALID, "mask", mask=Of((15,), ACL_UINT8)),
    ]),
    "aclnnDropoutBackward": (BACK, [
        Mistake("mask is null", NULL, "mask", mask=None),
        Mistake("gradOutput can be cast to out", INVALID, "out", out=Of((2, 3), ACL_INT32)),
        Mistake("gradOutput is a float", INVALID, "gradOutput", gradOutput=Of((2, 3), ACL_DOUBLE)),
        Mistake("mask is UINT8", INVALID, "mask", mask=Of((16,), ACL_INT8)),
        Mistake("scale is at least 1", INVALID, "scale", scale=0.5),
        Mistake("scale is not negative", INVALID, "scale", scale=-2.0),
        Mistake("out has the shape of gradOutput", INVALID, "out", out=Of((3, 2))),
        Mistake("the mask fits exactly", INVALID, "mask", mask=Of((32,), ACL_UINT8)),
    ]),
    "aclnnDropout": (BOTH, [
        Mistake("maskOut is null", NULL, "maskOut", maskOut=None),
        Mistake("input can be cast to out", INVALID, "out", out=Of((2, 3), ACL_INT32)),
        Mistake("input is a float", INVALID, "input", input=Of((2, 3), ACL_DOUBLE)),
        Mistake("maskOut is UINT8", INVALID, "maskOut", maskOut=Of((16,), ACL_INT8)),
        Mistake("p is a probability", INVALID, "p", p=-1.0),
        Mistake("out has the shape of input", INVALID, "out", out=Of((3, 2))),
        Mistake("the mask fits exactly", INVALID, "maskOut", maskOut=Of((8,), ACL_UINT8)),
    ]),
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "mistake"), [(name, each) for name, (_, table) in TABLES.items() for each in table], ids=rules
)
def test_refusals(machine: Machine, name: str, mistake: Mistake) -> None:
    first, good = subject(name).first, TABLES[name][0]
    assert planned_with(first, good).status == ACL_SUCCESS
    mistake.found(first, good)


@pytest.mark.parametrize("name", TABLES)
def test_refusals_come_in_order(machine: Machine, name: str) -> None:
    good, table = TABLES[name]
    for pair in pairs(table):
        one, other = pair.values
        one.found(subject(name).first, good, other)


def test_an_empty_tensor_ends_the_checks_of_do_mask_at_once(machine: Machine) -> None:
    good = DO | {"self": Of((0, 3), ACL_DOUBLE), "prob": 7.0}
    assert planned_with(aclnnDropoutDoMaskGetWorkspaceSize, good).status == ACL_SUCCESS


def test_do_mask_takes_a_longer_mask(machine: Machine) -> None:
    assert planned_with(aclnnDropoutDoMaskGetWorkspaceSize, DO | {"mask": Of((40,), ACL_UINT8)}).status == ACL_SUCCESS


def test_the_new_dropout_takes_no_noise_shape_and_writes_every_mask() -> None:
    with Machine(A950):
        aclrtSetDevice(0)
        good = {key: value for key, value in BOTH.items() if key != "train"}
        order = ("input", "noise", "p", "seed", "offset", "out", "maskOut")
        given = {name: ({"noise": None} | good)[name] for name in order}
        first = aclnnDropoutV3GetWorkspaceSize
        assert planned_with(first, given).status == ACL_SUCCESS
        Mistake("no noise shape", INVALID, "optionalNoiseShape", noise=Of((2,), ACL_INT64)).found(first, given)
        x = np.arange(4, dtype=np.float32)
        for p, byte in ((0.0, 0xFF), (1.0, 0)):
            out, made = run(aclnnDropoutV3, x, None, p, 0, 0, np.empty_like(x), np.empty(16, np.uint8))
            assert (out.tolist(), set(made)) == ((x * (1 - p)).tolist(), {byte})
