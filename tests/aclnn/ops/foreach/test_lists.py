"""Foreach functions: statuses of the two families, data types of the numbers, figures by hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A2, A950, Meta, board
from tests.aclnn.ops.foreach.good_calls import TABLED, composite, lists
from tests.derived.good import subject
from tests.derived.launching import planned
from tests.derived.values import Number

INVALID, NULL, TILING = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_INNER_TILING_ERROR
ONE = (Meta((2,)),)


def status(name: str, chip: str | None = None, **changes: Any) -> int:
    """`lists`: the tensors of every list."""
    this, every = subject(name), changes.pop("lists", None)
    given = dict.fromkeys(lists(name), every) if every is not None else {}
    for by in ("scalars",):
        if every is not None and isinstance(this.good.get(by), tuple):
            given[by] = (this.good[by][0],) * len(every)
        elif every is not None and isinstance(this.good.get(by), Meta):
            given[by] = Meta((len(every),), this.good[by].dtype)
    with board(chip or this.soc.name):
        return planned(this, this.changed({**given, **changes})).status


def wrong_lists(name: str) -> Iterator[tuple[dict[str, Any], int]]:
    """Changes, and the status."""
    by_hand = composite(name)
    refused = INVALID if by_hand else TILING
    length = NULL if name == "aclnnForeachAddScalarV2" else refused
    others = lists(name)[1:]
    nine = Meta((1,) * 9)
    yield {"lists": ONE}, ACL_SUCCESS
    yield {"lists": ONE * 256}, ACL_SUCCESS
    yield {"lists": ()}, ACL_SUCCESS if by_hand else TILING
    yield {"lists": ONE * 257}, TILING
    yield {"lists": (nine,)}, refused
    yield {"lists": (Meta((1,) * 8), Meta((0, 3)), Meta(()))}, ACL_SUCCESS
    yield {"lists": (Meta((0,)),)}, ACL_SUCCESS
    yield {"lists": (Meta((2,)), Meta((2,), ACL_BF16))}, refused
    for other in others:
        yield {"lists": ONE, other: ONE * 2}, length
        yield {"lists": ONE, other: (Meta((2,), ACL_FLOAT16),)}, INVALID
        yield {"lists": ONE, other: (Meta((1,)),)}, refused
    for other in ("out",) if "out" in others else ():
        yield {"lists": ONE, other: (Meta((3,)),)}, INVALID if by_hand else ACL_SUCCESS
    if by_hand:
        yield {"lists": (Meta((2,), format=ACL_FORMAT_FRACTAL_NZ),)}, INVALID


@pytest.mark.fidelity("Foreach functions: long lists, tensors with a number")
@pytest.mark.parametrize("name", [*TABLED, "aclnnForeachRoundOffNumber"], ids=str)
def test_lists_of_other_lengths_and_shapes(name: str) -> None:
    for changes, wanted in wrong_lists(name):
        assert status(name, **changes) == wanted, changes


@pytest.mark.parametrize(("chip", "wanted"), [(A2, INVALID), (A950, ACL_SUCCESS)], ids=["A2", "950"])
def test_a_float_scalar_for_half_tensors(chip: str, wanted: int) -> None:
    halves = (Meta((2,), ACL_FLOAT16),)
    for stem in ("AddScalarV2", "MulScalarV2", "AddcmulScalarV2"):
        name = f"aclnnForeach{stem}"
        assert status(name, chip, lists=halves, scalar=Number(1, ACL_FLOAT)) == wanted
        assert status(name, chip, lists=halves, scalar=Number(1, ACL_DOUBLE)) == ACL_SUCCESS
        assert status(name.removesuffix("V2"), chip, lists=halves, scalar=Meta((1,))) == wanted
    assert status("aclnnForeachDivScalarV2", chip, lists=halves, scalar=Number(1, ACL_FLOAT)) == INVALID


NUMBERS = {
    "aclnnForeachAddScalarV2": ({ACL_FLOAT: "FD", ACL_BF16: "FD", ACL_FLOAT16: "HD", ACL_INT32: "IL", ACL_INT8: "IL"}),
    "aclnnForeachLerpScalar": ({ACL_FLOAT: "FD", ACL_BF16: "FD", ACL_FLOAT16: "FD"}),
    "aclnnForeachMulScalar": ({ACL_FLOAT: "F", ACL_BF16: "F", ACL_FLOAT16: "H", ACL_INT32: "I"}),
    "aclnnForeachMulScalarList": ({ACL_FLOAT: "FD", ACL_BF16: "FD", ACL_FLOAT16: "FD", ACL_INT32: "L"}),
    "aclnnForeachAddcmulList": ({ACL_FLOAT: "F", ACL_BF16: "B", ACL_FLOAT16: "H", ACL_INT32: "I"}),
    "aclnnForeachPowScalarAndTensor": ({ACL_FLOAT: "FD", ACL_BF16: "FD", ACL_FLOAT16: "FD", ACL_INT32: "L"}),
    "aclnnForeachNorm": ({ACL_FLOAT: "FDL", ACL_BF16: "FDL", ACL_FLOAT16: "FDL"}),
}
LETTERS = {"F": ACL_FLOAT, "D": ACL_DOUBLE, "H": ACL_FLOAT16, "B": ACL_BF16, "I": ACL_INT32, "L": ACL_INT64}


@pytest.mark.parametrize("name", NUMBERS, ids=str)
def test_the_data_types_of_numbers_by_that_of_the_tensors(name: str) -> None:
    by = next(each for each in ("scalar", "scalars", "weight") if each in subject(name).good)
    given = subject(name).good[by]
    for dtype, allowed in NUMBERS[name].items():
        for letter, number in LETTERS.items():
            made: Any = Number(1, number)
            if isinstance(given, Meta):
                made = Meta((1,), number)
            elif isinstance(given, tuple):
                made = (made,)
            found = status(name, lists=(Meta((1,), dtype),), **{by: made})
            assert found == (ACL_SUCCESS if letter in allowed else INVALID), (dtype, letter)


@pytest.mark.fidelity("Foreach functions: long lists, tensors with a number")
@pytest.mark.parametrize(
    ("name", "by", "wrong"),
    [("MulScalarList", "scalars", (Number(1),)), ("AddcdivList", "scalars", Meta((3,))),
     ("AddScalar", "scalar", Meta((2,))), ("AddList", "alpha", Meta((0,)))],
)  # fmt: skip
def test_as_many_numbers_as_needed(name: str, by: str, wrong: Any) -> None:
    assert status(f"aclnnForeach{name}", **{by: wrong}) == TILING


def test_out_is_looked_at_first_in_some_functions() -> None:
    for name, wanted in (("aclnnForeachMulList", "out"), ("aclnnForeachDivScalarV2", "x")):
        with board(A2):
            nothing = dict.fromkeys(subject(name).good)
            assert f"parameter: {wanted}," in planned(subject(name), nothing).text


@pytest.mark.fidelity("FLOAT16 in Foreach functions")
def test_half_is_rounded_once(machine: Machine) -> None:
    """In two roundings the product would lose the bit that decides."""
    x1, x2 = np.array([2.0**-11], np.float16), np.array([1 + 2.0**-10], np.float16)
    found = run(aclnnForeachAddListV2, [x1], [x2], x2[0], [np.empty_like(x1)])
    assert np.ravel(found)[0] == 1 + 3 * 2.0**-10


def test_each_tensor_has_its_number(machine: Machine) -> None:
    x = [np.full(shape, 6, np.float32) for shape in ((2,), (0, 3), (), (1, 2))]
    outs = [np.empty_like(each) for each in x]
    found = run(aclnnForeachDivScalarList, x, [1.0, 2.0, 3.0, -4.0], outs)
    assert [each.tolist() for each in found] == [[6, 6], [], 2, [[-1.5, -1.5]]]
    found = run(aclnnForeachAddcmulList, x, x, x, np.array([1, 2, 3, -1], np.float32), outs)
    assert [each.tolist() for each in found] == [[42, 42], [], 114, [[-30, -30]]]


def test_in_place_is_the_list_as_its_own_out(machine: Machine) -> None:
    x = [np.arange(3, dtype=np.int32), np.arange(4, dtype=np.int32)]
    with Machine(A950):
        found = run(aclnnForeachMulScalarInplace, x, np.array([3], np.int32))
    assert [each.tolist() for each in found] == [[0, 3, 6], [0, 3, 6, 9]]


def test_a_larger_out_gets_the_elements_at_its_begin(machine: Machine) -> None:
    out = np.empty((2, 3), np.float32)
    found = np.asarray(run(aclnnForeachAbs, [np.array([-1, -2], np.float32)], [out])).ravel()
    assert found[:2].tolist() == [1, 2]
    assert np.isnan(found[2:]).all(), "not the fill of fresh memory"


def test_integers_wrap_and_are_powers(machine: Machine) -> None:
    def of(function: Any, x: list[int], *more: Any, dtype: Any = np.int32) -> list[int]:
        given = [np.array(x, dtype)]
        return np.asarray(run(function, given, *more, [np.empty_like(given[0])])).ravel().tolist()

    assert of(aclnnForeachNeg, [1, 200], dtype=np.uint8) == [255, 56]
    assert of(aclnnForeachAddScalarV2, [2**31 - 1], np.int64(1)) == [-(2**31)]
    assert of(aclnnForeachPowScalarList, [3, -1, 0, 2], [np.int64(-3)]) == [0, -1, 0, 0]
    assert of(aclnnForeachPowScalarList, [3, -1, 0, 2], [np.int64(31)])[3] == -(2**31)
    assert of(aclnnForeachExp, [0, 1, 5], dtype=np.int16) == [1, 2, 148]


def test_0_less_x_has_no_sign_for_0(machine: Machine) -> None:
    found = np.asarray(run(aclnnForeachNeg, [np.zeros(1, np.float32)], [np.empty(1, np.float32)]))
    assert not np.signbit(found).any()


@pytest.mark.parametrize("weight", [0.0, 0.25, 0.75, 1.0])
def test_lerp_reaches_both_ends_exactly(machine: Machine, weight: float) -> None:
    x1, x2 = np.array([1e8, 3], np.float32), np.array([1, 7], np.float32)
    found = np.asarray(run(aclnnForeachLerpScalar, [x1], [x2], np.float32(weight), [np.empty_like(x1)])).ravel()
    weights = [np.full_like(x1, weight)]
    assert np.array_equal(
        np.asarray(run(aclnnForeachLerpList, [x1], [x2], weights, [np.empty_like(x1)])).ravel(), found
    )
    if weight in (0, 1):
        assert found.tolist() == (x2 if weight else x1).tolist()


@pytest.mark.parametrize(
    ("chip", "order", "wanted"),
    [(chip, order, wanted) for chip in (A2, A950)
     for order, wanted in ((1.0, 7), (1.5, 7), (2.0, 5), (0.0, 5), (3.0, 5), (np.nan, 5), (-np.inf, 5))]
    + [(A2, np.inf, 5), (A950, np.inf, 4)],
)  # fmt: skip
def test_norms(chip: str, order: float, wanted: float) -> None:
    x = [np.array([[3, -4]], np.float32), np.empty((0, 2), np.float32)]
    with Machine(chip):
        found = run(aclnnForeachNorm, x, np.float32(order), [np.empty((), np.float32), np.empty((1, 1), np.float32)])
    assert [np.ravel(each).tolist() for each in found] == [[wanted], [0]]


def test_norms_go_into_one_element() -> None:
    assert status("aclnnForeachNorm", out=(Meta((2,)), Meta(()))) == TILING


ROUNDED = {1: [0, 2, -2, 2], 2: [0, 1, -2, 2], 3: [1, 2, -1, 3], 4: [1, 2, -2, 2], 5: [0, 1, -1, 2],
           6: [1, 1, -1, 3], 7: [0.5, 0.5, -0.5, 0.25], 0: [0, 2, -2, 2]}  # fmt: skip


@pytest.mark.parametrize("mode", ROUNDED)
def test_modes_of_rounding(machine: Machine, mode: int) -> None:
    x, out = [np.array([0.5, 1.5, -1.5, 2.25], np.float32)], [np.empty(4, np.float32)]
    one = run(aclnnForeachRoundOffNumberV2, x, np.int8(mode), out)
    other = run(aclnnForeachRoundOffNumber, x, np.array([mode], np.int8), out)
    assert np.ravel(one).tolist() == np.ravel(other).tolist() == ROUNDED[mode]
    whole = [np.array([-3, 5], np.int16)]
    wanted = [0, 0] if mode == 7 else [-3, 5]
    assert (
        np.ravel(run(aclnnForeachRoundOffNumberV2, whole, np.int64(mode), [np.empty(2, np.int16)])).tolist() == wanted
    )


def test_copies_between_floats(machine: Machine) -> None:
    x = np.array([1 + 2.0**-12, -3], np.float32)
    for dtype in (np.float16, bfloat16, np.float32):
        found = np.ravel(run(aclnnForeachCopy, [x], [np.empty(2, dtype)]))
        assert found.astype(np.float64).tolist() == x.astype(dtype).astype(np.float64).tolist()
    for given, to in ((ACL_FLOAT16, ACL_BF16), (ACL_INT8, ACL_INT16), (ACL_FLOAT, ACL_DOUBLE)):
        assert status("aclnnForeachCopy", x=(Meta((2,), given),), out=(Meta((2,), to),)) == INVALID
    assert status("aclnnForeachCopy", x=(Meta((2,)),), out=(Meta((1,)),)) == TILING


def test_zeros(machine: Machine) -> None:
    x = [np.ones((2, 3), bfloat16).T, np.ones((0,), bfloat16), np.ones((), bfloat16)]
    assert [each.astype(float).sum() for each in run(aclnnForeachZeroInplace, x)] == [0, 0, 0]


@pytest.mark.parametrize(("element", "wanted"), [(1.0, 7.0), (np.inf, 1.0), (-np.inf, 1.0), (np.nan, 1.0)])
def test_found_inf_stays_unless_there_is_one(machine: Machine, element: float, wanted: float) -> None:
    """Every gradient is scaled regardless. The check comes first: 60000 times 2 is not found."""
    grads = [np.array([3, 60000], np.float16), np.array([[element]], np.float16)]
    scaled, found = run(
        aclnnForeachNonFiniteCheckAndUnscale, grads, np.array([7], np.float32), np.array([2], np.float32)
    )
    assert found.tolist() == [wanted]
    assert scaled[0].tolist() == [6, np.inf]
    np.testing.assert_array_equal(scaled[1], [[2 * element]])
