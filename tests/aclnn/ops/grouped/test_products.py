"""GroupedMatmul: what more than one change of a good call reaches, and figures by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

import aclnn
from acl_runtime import *
from acl_runtime import UndefinedBehaviour
from acl_runtime.headers.dtypes import data_type_of
from tests.aclnn.ops.case import A2, A950, INFERENCE, Meta, board
from tests.aclnn.ops.grouped.good_calls import ANTIQUANT, GOOD, INTEGERS, H
from tests.derived.values import Values
from tests.helpers.refusals import Mistake, answer, assert_refused
from tests.helpers.weights import fetched, filled, launch, tensor

NULL, INVALID = ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_PARAM_INVALID
LISTS = ("biasOptional", "scaleOptional", "offsetOptional", "antiquantScaleOptional", "antiquantOffsetOptional")
LATE = (*LISTS, "perTokenScaleOptional")
TAIL = {"activationFeatureOutOptional": None, "dynQuantScaleOutOptional": None}


def ordered(version: int, given: dict[str, Any]) -> dict[str, Any]:
    """All arguments in the order of the prototype."""
    inputs = ("x", "weight", *(LATE if version > 3 else LISTS), "groupListOptional")
    reserved = ("activationInputOptional", "activationQuantScaleOptional", "activationQuantOffsetOptional")
    if version < 4:
        names = (*inputs, "splitItem", *(("groupType",) if version > 1 else ()), "y")
    else:
        tuning = ("tuningConfigOptional",) if version > 4 else ()
        names = (*inputs, *reserved, "splitItem", "groupType", "groupListType", "actType", *tuning, "out", *TAIL)
    return {name: list(value) if isinstance(value := given.get(name), tuple) else value for name in names}


def first(version: int) -> Any:
    return getattr(aclnn, f"aclnnGroupedMatmul{f'V{version}' if version > 1 else ''}GetWorkspaceSize")


def good(version: int, **changes: Any) -> dict[str, Any]:
    name = f"aclnnGroupedMatmul{f'V{version}' if version > 1 else ''}"
    return ordered(version, {**GOOD[name], **changes})


def refused(version: int, parameter: str, status: int = INVALID, soc: str = A2, **changes: Any) -> None:
    call = good(version)
    wrong = {name: value for name, value in ordered(version, {**call, **changes}).items() if name in changes}
    assert_refused(first(version), call, Mistake("", status, parameter, **wrong), soc)


SCALES = {"antiquantScaleOptional": (Meta((2, 16), H),), "antiquantOffsetOptional": (Meta((2, 16), H),)}
NO_BIAS = {"biasOptional": None}


def test_lists_without_tensors_are_161001() -> None:
    for version in (1, 2, 3, 4, 5):
        for name in ("x", "weight", "y" if version < 4 else "out"):
            refused(version, name, NULL, **{name: ()})


@pytest.mark.parametrize("version", [2, 3, 4, 5])
def test_shapes_of_the_other_tensors(version: int) -> None:
    plain: dict[str, Any] = {"x": (Meta((3, 4), H),), "perTokenScaleOptional": None, "scaleOptional": None,
                             "actType": 0, **ANTIQUANT, "biasOptional": (Meta((2, 16), H),),
                             "y" if version < 4 else "out": (Meta((3, 16), H),)}  # fmt: skip
    plain = {name: value for name, value in plain.items() if name in good(version)}
    assert answer(first(version), good(version, **plain)).status == ACL_SUCCESS
    for name in SCALES:
        refused(version, name, **{**plain, name: (Meta((2, 15), H),)})
    odd = {name: (Meta((2, 3, 16), H),) for name in SCALES}
    refused(version, "antiquantScaleOptional", **{**plain, **odd})
    even = {name: (Meta((2, 2, 16), H),) for name in SCALES}
    assert answer(first(version), good(version, **plain)).status == ACL_SUCCESS
    assert answer(first(version), good(version, **{**plain, **even})).status == ACL_SUCCESS


@pytest.mark.parametrize("version", [1, 2, 3, 5])
def test_a_scale_for_each_column(version: int) -> None:
    out = "y" if version < 4 else "out"
    several = version == 1
    weight = (Meta((4, 16), ACL_INT8),) * 2 if several else (Meta((2, 4, 16), ACL_INT8),)
    bias = (Meta((16,), ACL_INT32),) * 2 if several else (Meta((2, 16), ACL_INT32),)
    given = {"x": (Meta((3, 4), ACL_INT8),), "weight": weight, "biasOptional": bias, out: (Meta((3, 16), ACL_INT8),),
             "scaleOptional": (Meta((16,), ACL_UINT64),) * 2 if several else (Meta((2, 16), ACL_UINT64),)}  # fmt: skip
    given |= dict.fromkeys(SCALES) if version == 5 else {}
    assert answer(first(version), good(version, **given)).status == ACL_SUCCESS
    refused(version, "scaleOptional", **{**given, "scaleOptional": (Meta((2, 15), ACL_UINT64),)})


def test_a_scale_for_each_row() -> None:
    integers = {**INTEGERS, "actType": 0, **dict.fromkeys(SCALES)}
    assert answer(first(5), good(5, **integers)).status == ACL_SUCCESS
    refused(5, "perTokenScaleOptional", **{**integers, "perTokenScaleOptional": (Meta((2,)),)})


@pytest.mark.parametrize("version", [2, 3, 4, 5])
def test_products_of_their_own_have_results_of_their_own(version: int) -> None:
    refused(version, "splitItem", groupType=-1)


@pytest.mark.parametrize("version", [2, 3, 4, 5])
def test_the_inner_dimension_is_split_without_bias(version: int) -> None:
    out = "y" if version < 4 else "out"
    given = {"x": (Meta((3, 4), H),), "weight": (Meta((4, 16), H),), out: (Meta((2, 3, 16), H),), "groupType": 2,
             "biasOptional": None, **dict.fromkeys(("scaleOptional", *SCALES))}  # fmt: skip
    given |= {"actType": 0, "perTokenScaleOptional": None} if version > 3 else {}
    assert answer(first(version), good(version, **given)).status == ACL_SUCCESS
    refused(version, "x", **{**given, "biasOptional": (Meta((2, 16), H),)})


def test_310p_has_single_float16() -> None:
    for version in (3, 4, 5):
        out = "y" if version < 4 else "out"
        given = {"x": (Meta((3, 4), H),), "weight": (Meta((2, 4, 16), H),), "biasOptional": (Meta((2, 16), H),),
                 out: (Meta((3, 16), H),), **dict.fromkeys(("scaleOptional", "perTokenScaleOptional", *SCALES)),
                 "actType": 0}  # fmt: skip
        given = {name: value for name, value in given.items() if name in good(version)}
        assert answer(first(version), good(version, **given), soc=INFERENCE).status == ACL_SUCCESS
        refused(version, "x", soc=INFERENCE, **given, groupType=-1, splitItem=0)


def test_pairs_and_activations() -> None:
    pairs = {"groupListType": 2, "groupListOptional": Meta((2, 2), ACL_INT64)}
    assert answer(first(4), good(4, **pairs)).status == ACL_SUCCESS
    refused(4, "groupListType", soc=A950, **pairs)
    refused(5, "groupListType", soc=A950, **pairs)
    refused(5, "actType", actType=1)
    for value in (3, 6):
        refused(4, "actType", actType=value)
    floats = {"x": (Meta((3, 4), H),), "weight": (Meta((2, 4, 16), H),), "biasOptional": None, "scaleOptional": None,
              "perTokenScaleOptional": None, "out": (Meta((3, 16), H),)}  # fmt: skip
    refused(4, "actType", **floats, actType=1)


def test_empty_rows_and_a_null_list_of_groups() -> None:
    for version in (1, 2, 3, 4, 5):
        out = "y" if version < 4 else "out"
        x, result = GOOD["aclnnGroupedMatmul" + (f"V{version}" if version > 1 else "")]["x"][0], good(version)[out][0]
        none = {"x": (Meta((0, 4), x.dtype),), out: (Meta((0, 16), result.dtype),)}
        none |= {"perTokenScaleOptional": (Meta((0,)),), "out": (Meta((0, 16), H),)} if version == 4 else {}
        none |= {"groupListOptional": Values((0, 0))} if version < 3 else {}
        found = answer(first(version), good(version, **none))
        assert (found.status, found.workspace_size) == (ACL_SUCCESS, 0), found.text
    for version in (2, 3, 4, 5):
        refused(version, "groupListOptional", groupListOptional=None)
    for ends in ((1, 4), (3, 1), (-1, 3), (3,)):
        refused(2, "groupListOptional", groupListOptional=Values(ends))


# results


def given(values: Any, *, turned: bool = False) -> Any:
    """A tensor; `turned`: a view that swaps the last two dimensions of one."""
    if values is None:
        return None
    if turned:
        *batch, rows, columns = values.shape
        strides = [rows * columns] * len(batch) + [1, rows]
        return tensor(
            filled(np.swapaxes(values, -1, -2).copy()), values.shape, data_type_of(values.dtype), strides=strides
        )
    return tensor(filled(values), values.shape, data_type_of(values.dtype))


def listed(*values: Any, **options: Any) -> Any:
    if values[0] is None:
        return None
    members = [given(each, **options) for each in values]
    return aclCreateTensorList(members, len(members))


def computed(x: Any, weight: Any, groups: Any, out: np.ndarray, *, kind: int = 0, split: int = 0, act: int = 0,
             turned: tuple[bool, bool] = (False, False), **lists: Any) -> np.ndarray:  # fmt: skip
    """By V4."""
    address = filled(out)
    results = [tensor(address, out.shape, data_type_of(out.dtype))]
    optional = [listed(lists.get(name)) for name in ("bias", "scale", "offset", "antiscale", "antioffset", "rows")]
    launch("aclnnGroupedMatmulV4", listed(x, turned=turned[0]), listed(weight, turned=turned[1]), *optional,
           given(np.array(groups, np.int64)), None, None, None, 3, split, kind, act,
           aclCreateTensorList(results, 1), None, None)  # fmt: skip
    return fetched(address, out.shape, out.dtype)


X, W = np.arange(12, dtype=np.float32).reshape(4, 3), np.arange(18, dtype=np.float32).reshape(2, 3, 3) - 7


def test_rows_behind_the_last_group_stay() -> None:
    out = np.full((4, 3), 99, np.float32)
    wanted = np.vstack([X[:1] @ W[0], X[1:3] @ W[1], out[3:]])
    for groups, kind in (([1, 3], 0), ([1, 2], 1), ([[0, 1], [1, 2]], 2)):
        for turned in ((False, False), (False, True), (True, False)):
            with board():
                assert np.array_equal(computed(X, W, groups, out, kind=kind, turned=turned), wanted)


def test_pairs_name_their_group() -> None:
    with board():
        found = computed(X, W, [[1, 4], [0, 0]], np.zeros((4, 3), np.float32), kind=2)
        assert np.array_equal(found, X @ W[1])


def test_the_inner_dimension_is_split() -> None:
    right = np.arange(6, dtype=np.float32).reshape(3, 2)
    with board():
        found = computed(X, right, [2, 2, 3], np.full((3, 4, 2), 9, np.float32), split=2, turned=(True, False))
        assert np.array_equal(found, [X[:, :2] @ right[:2], np.zeros((4, 2)), X[:, 2:] @ right[2:]])


@pytest.mark.fidelity("groups and data types of GroupedMatmul")
def test_groups_beyond_the_rows_are_found() -> None:
    for groups, kind in (([1, 5], 0), ([1, 4], 1), ([-1, 2], 0), ([[2, 1], [0, 1]], 2)):
        with board(on_undefined="raise"), pytest.raises(UndefinedBehaviour, match="index-range"):
            computed(X, W, groups, np.zeros((4, 3), np.float32), kind=kind)


def test_products_of_int8() -> None:
    x, weight = X.astype(np.int8), W.astype(np.int8)
    whole = np.vstack([X[:1] @ W[0], X[1:] @ W[1]])
    scale, rows = np.array([[1, 0.5, 2], [0.25, 1, 1]], np.float32), np.array([1, 2, 0.5, 1], np.float32)
    bias = np.array([[1, 2, 3], [-40, 0, 9]], np.int32)
    of = [0, 1, 1, 1]
    with board():
        found = computed(x, weight, [1, 4], np.zeros((4, 3), np.int32), bias=bias)
        assert np.array_equal(found, whole + bias[of])
        for act, formula in ((0, lambda v: v), (1, lambda v: np.maximum(v, 0)), (5, lambda v: v / (1 + np.exp(-v)))):
            found = computed(
                x, weight, [1, 4], np.zeros((4, 3), np.float16), bias=bias, scale=scale, rows=rows, act=act
            )
            exact = formula((whole + bias[of]) * scale[of] * rows[:, None])
            assert np.allclose(found.astype(float), exact, rtol=1e-3, atol=1e-3)
        packed = scale.view(np.uint32).astype(np.uint64)
        found = computed(x, weight, [1, 4], np.zeros((4, 3), np.int8), scale=packed)
        assert np.array_equal(found, np.clip(np.rint(whole * scale[of]), -128, 127))
        found = computed(x, weight, [1, 4], np.zeros((4, 3), bfloat16), scale=scale)
        assert np.array_equal(found, (whole * scale[of]).astype(bfloat16))


def test_products_of_their_own() -> None:
    """Lists, by the second version; and rows of several tensors in one result."""
    out = [np.zeros((4, 3), np.float32), np.zeros((2, 2), np.float32)]
    other, right = np.ones((2, 3), np.float32), np.full((3, 2), 2, np.float32)
    with board():
        places = [filled(each) for each in out]
        results = [tensor(place, each.shape, ACL_FLOAT) for place, each in zip(places, out, strict=True)]
        launch("aclnnGroupedMatmulV2", listed(X, other), listed(W[0], right), None, None, None, None, None, None, 0, -1,
               aclCreateTensorList(results, 2))  # fmt: skip
        assert np.array_equal(fetched(places[0], (4, 3), np.float32), X @ W[0])
        assert np.array_equal(fetched(places[1], (2, 2), np.float32), other @ right)
        place = filled(np.zeros((6, 3), np.float32))
        launch("aclnnGroupedMatmulV2", listed(X, other), listed(W), None, None, None, None, None, None, 2, 0,
               aclCreateTensorList([tensor(place, (6, 3), ACL_FLOAT)], 1))  # fmt: skip
        assert np.array_equal(fetched(place, (6, 3), np.float32), np.vstack([X @ W[0], other @ W[1]]))


# weights in FRACTAL_NZ


def stored(*shape: int, dtype: int = H, columns: int = 16) -> Meta:
    *batch, k, n = shape
    blocks = (*batch, -(-n // columns), -(-k // 16), 16, columns)
    return Meta(shape, dtype, ACL_FORMAT_FRACTAL_NZ, storage=blocks)


WEIGHT_NZ = aclnn.aclnnGroupedMatmulWeightNzGetWorkspaceSize


def in_nz(**changes: Any) -> dict[str, Any]:
    call = ordered(5, {**GOOD["aclnnGroupedMatmulWeightNz"], **changes})
    tail = {name: call.pop(name) for name in ("out", *TAIL)}
    return {**call, "quantGroupSize": 0, **tail}


def test_weights_have_to_be_in_fractal_nz() -> None:
    assert answer(WEIGHT_NZ, in_nz()).status == ACL_SUCCESS
    for weight in (Meta((2, 16, 32), H), Meta((2, 16, 32), H, ACL_FORMAT_FRACTAL_NZ, storage=(2, 1, 1, 16, 16))):
        assert_refused(WEIGHT_NZ, in_nz(), Mistake("", INVALID, "weight", weight=[weight]))


@pytest.mark.parametrize(("columns", "status"), [(32, ACL_SUCCESS), (24, INVALID)])
def test_columns_of_weights_in_fractal_nz_are_whole_blocks(columns: int, status: int) -> None:
    """The last dimension is a multiple of 16 (public)."""
    changes = {"biasOptional": [Meta((2, columns), H)], "out": [Meta((3, columns), H)]}
    found = answer(WEIGHT_NZ, in_nz(weight=[stored(2, 16, columns)], **changes))
    assert found.status == status, found.text


def test_weights_in_fractal_nz_have_the_checks_of_the_fifth_version() -> None:
    def wrong(parameter: str, status: int = INVALID, soc: str = A2, **changes: Any) -> None:
        call = in_nz()
        other = {name: value for name, value in in_nz(**changes).items() if name in changes}
        assert_refused(WEIGHT_NZ, call, Mistake("", status, parameter, **other), soc)

    int8 = {"x": (Meta((3, 32), ACL_INT8),), "weight": (stored(2, 32, 32, dtype=ACL_INT8, columns=32),),
            "biasOptional": None, "out": (Meta((3, 32), ACL_BF16),), "scaleOptional": (Meta((2, 32)),)}  # fmt: skip
    assert answer(WEIGHT_NZ, in_nz(**int8)).status == ACL_SUCCESS
    wrong("scaleOptional", **{**int8, "scaleOptional": (Meta((2, 31)),)})
    wrong("perTokenScaleOptional", **int8, perTokenScaleOptional=(Meta((4,)),))
    antiquant = {
        "weight": (stored(2, 16, 32, dtype=ACL_INT8, columns=32),),
        "biasOptional": None,
        "antiquantScaleOptional": (Meta((2, 32), H),),
        "antiquantOffsetOptional": (Meta((2, 32), H),),
    }
    assert answer(WEIGHT_NZ, in_nz(**antiquant)).status == ACL_SUCCESS
    for name in ("antiquantScaleOptional", "antiquantOffsetOptional"):
        wrong(name, **{**antiquant, name: (Meta((2, 31), H),)})
    wrong("antiquantScaleOptional", **{**antiquant, "antiquantOffsetOptional": (Meta((2, 2, 32), H),)})
    wrong("x", groupType=2)
    wrong("splitItem", groupType=-1)
    wrong("groupListType", soc=A950, groupListType=2)
    wrong("x", soc=INFERENCE, x=(Meta((3, 16), H),) * 2)
    empty = {"x": (Meta((0, 16), H),), "out": (Meta((0, 32), H),)}
    assert answer(WEIGHT_NZ, in_nz(**empty)).workspace_size == 0


@pytest.mark.parametrize("version", [1, 2])
def test_groups_without_rows_leave_nothing_to_do(version: int) -> None:
    """No expert has a token: success, no workspace, and y is not written."""
    changes = {
        "x": (Meta((4, 8), H),), "weight": (Meta((8, 4), H), Meta((8, 4), H)), "biasOptional": None,
        "groupListOptional": Values((0, 0)), "splitItem": 3, "groupType": 0, "y": (Meta((4, 4), H),),
    }  # fmt: skip
    changes = {name: value for name, value in changes.items() if name in good(version)}
    found = answer(first(version), good(version, **changes), {})
    assert (found.status, found.workspace_size) == (ACL_SUCCESS, 0), found.text
