"""Operators that read and write at positions: positions out of range, and rules that no table has."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from aclnn import *
from aclnn.engine.steps.parts import cut_of, run_in_parts
from aclnn.testing import run
from tests.aclnn.ops.case import A2, A950, Meta, board
from tests.derived.values import Number, Values
from tests.helpers.builders import malloc, on_device, plan
from tests.helpers.builders import run as run_both
from tests.helpers.changed_calls import INVALID, UNPLANNED, assert_nothing_to_do, assert_refused, changed
from tests.helpers.refusals import Of, status_of

X = np.arange(6, dtype=np.float32).reshape(3, 2)
ROW = np.zeros((1, 2), np.float32)
Call = Callable[[int], Any]
"""a call with a position along the first dimension of X, which has the size 3"""


def at(value: int, *shape: int) -> np.ndarray:
    return np.full(shape or (1,), value, np.int64)


READS: dict[str, Call] = {
    "IndexSelect": lambda at_: run(aclnnIndexSelect, X, 0, at(at_), np.empty((1, 2), np.float32)),
    "GatherV3": lambda at_: run(aclnnGatherV3, X, 0, at(at_), 0, 1, np.empty((1, 2), np.float32)),
    "GatherNd without negative positions": lambda at_: run(
        aclnnGatherNd, X, at(at_, 1, 1), False, np.empty((1, 2), np.float32)),
}  # fmt: skip
FROM_THE_END: dict[str, Call] = {
    "GatherV2": lambda at_: run(aclnnGatherV2, X, 0, at(at_), np.empty((1, 2), np.float32)),
    "Gather": lambda at_: run(aclnnGather, X, 0, at(at_, 1, 2), np.empty((1, 2), np.float32)),
    "GatherNd": lambda at_: run(aclnnGatherNd, X, at(at_, 1, 1), True, np.empty((1, 2), np.float32)),
    "Index": lambda at_: run(aclnnIndex, X, [at(at_)], np.empty((1, 2), np.float32)),
}
WRITES: dict[str, Call] = {
    "IndexAdd": lambda at_: run(aclnnIndexAdd, X, 0, at(at_), ROW, np.float32(1), np.empty_like(X)),
    "InplaceIndexCopy": lambda at_: run(aclnnInplaceIndexCopy, X, 0, at(at_), ROW),
}
WRITES_FROM_THE_END: dict[str, Call] = {
    "Scatter": lambda at_: run(aclnnScatter, X, 0, at(at_, 1, 2), ROW, 0, np.empty_like(X)),
    "IndexFill": lambda at_: run(aclnnIndexFill, X, 0, at(at_), np.float32(0), np.empty_like(X)),
    "IndexPutImpl": lambda at_: run(aclnnIndexPutImpl, X, [at(at_)], ROW, False, False),
}
EVERY = READS | FROM_THE_END | WRITES | WRITES_FROM_THE_END


@pytest.mark.fidelity("a position out of range, of the operators that read and write at positions")
@pytest.mark.parametrize("name", EVERY)
def test_a_position_out_of_range_is_found_when_it_is_used(name: str) -> None:
    least = -4 if name in FROM_THE_END | WRITES_FROM_THE_END else -1
    for bad in (3, least):
        with (
            Machine(),
            pytest.raises(UndefinedBehaviour, match=f"is {bad}, legal values are {least + 1} to 2") as caught,
        ):
            EVERY[name](bad)
        assert caught.value.finding.id == "index-range"


@pytest.mark.parametrize("name", FROM_THE_END)
def test_negative_positions_read_from_the_end(name: str) -> None:
    with Machine():
        assert FROM_THE_END[name](-1).tolist() == X[2:].tolist()


def test_take_counts_from_the_end_of_all_elements() -> None:
    with Machine():
        assert run(aclnnTake, X, np.array([-1, -6]), np.empty(2, np.float32)).tolist() == [5, 0]


def test_the_source_of_index_copy_may_be_a_part_of_self() -> None:
    """Only outRef is written (public)."""
    with board(on_undefined="raise"):
        x, other, at_ = on_device(X), on_device(np.zeros_like(X)), on_device(np.array([2, 0]))
        part = aclCreateTensor([2, 2], 2, ACL_FLOAT, [2, 1], 0, ACL_FORMAT_ND, [6], 1, x.address)
        run_both(aclnnIndexCopyGetWorkspaceSize, aclnnIndexCopy, x, 0, at_, part, other)
        assert other.read().tolist() == [[2, 3], [2, 3], [0, 1]]


@pytest.mark.parametrize("name", WRITES_FROM_THE_END)
def test_negative_positions_write_from_the_end(name: str) -> None:
    with Machine():
        assert WRITES_FROM_THE_END[name](-1).tolist() == [[0, 1], [2, 3], [0, 0]]


@pytest.mark.fidelity("a position out of range, of the operators that read and write at positions")
@pytest.mark.parametrize("name", EVERY)
def test_the_task_fails_in_a_machine_that_reports(name: str) -> None:
    with Machine(on_undefined="report") as machine, pytest.raises(AssertionError, match="507035"):
        EVERY[name](3)
    assert [each.id for each in machine.findings if each.level == "error"][:1] == ["index-range"]


@pytest.mark.fidelity("a position out of range, of the operators that read and write at positions")
def test_what_is_out_of_range_reads_as_zero_and_is_not_written() -> None:
    from aclnn.ops.indexing._family import places_of, taken
    from aclnn.ops.indexing.scatter import scattered
    from aclnn.ops.indexing.slices import slices_copied

    bad = np.array([1, 7])
    assert taken(X, bad, axis=0).tolist() == [[2, 3], [0, 0]]
    assert places_of(np.array([[0, 1], [3, 0]]), (3, 2)).tolist() == [1, -1]
    out = np.empty_like(X)
    slices_copied(X, bad, np.full((2, 2), 9, np.float32), out=out, axis=0)
    assert out.tolist() == [[0, 1], [9, 9], [4, 5]]
    index, values = np.array([[1, 7]]), np.full((1, 2), 9, np.float32)
    assert scattered(X, index, values, axis=0, reduce=0, keep=True).tolist() == [[0, 1], [9, 3], [4, 5]]


@pytest.mark.parametrize("size", [3, 60])
def test_an_output_may_share_memory_with_the_inputs(size: int) -> None:
    """The result is that of inputs apart from it."""
    from aclnn.ops.indexing._family import taken
    from aclnn.ops.indexing.gather import gathered_along
    from aclnn.ops.indexing.scatter import scattered

    memory = np.random.default_rng(size).integers(0, size, (size + 1, size))
    upper, lower = memory[1:], memory[:-1]
    options = {"axis": 0, "reduce": 1, "keep": True}
    for kernel, others, attributes in (
        (taken, [lower[0]], {"axis": 0}), (gathered_along, [lower], {"axis": 0}),
        (scattered, [lower, upper], options), (scattered, [upper, lower], options),
    ):  # fmt: skip
        for x, out in ((upper, upper), (upper, lower), (lower, upper)):
            before = memory.copy()
            with Machine():
                expected = kernel(x.copy(), *[array.copy() for array in others], **attributes)
                cut = cut_of(kernel, [x.shape, *(array.shape for array in others)], [out.shape], attributes)
                assert cut is not None
                run_in_parts(partial(kernel, **attributes), cut, [x, *others], [out], narrow=False, offers=True)
            np.testing.assert_array_equal(out, expected)
            memory[...] = before


def test_a_0d_tensor_has_one_dimension() -> None:
    with Machine():
        assert run(aclnnIndexSelect, np.array(4, np.float32), 0, at(0), np.empty((), np.float32)) == 4
    many = {"self": Meta(()), "index": Meta((2,), ACL_INT64)}
    assert_refused("aclnnIndexSelect", INVALID, "out", **many, out=Meta((2,)))
    assert_refused("aclnnIndexSelect", UNPLANNED, "ViewCopy", **many, out=Meta(()))


def test_batches_on_950() -> None:
    batches = {"self": Meta((2, 3)), "index": Meta((2, 4), ACL_INT64), "dim": 1, "mode": 0, "out": Meta((2, 4))}
    assert changed("aclnnGatherV3", A950, **batches, batchDims=1).status == ACL_SUCCESS
    assert_refused("aclnnGatherV3", INVALID, "dim", **batches, batchDims=1)
    assert_refused("aclnnGatherV3", INVALID, "batchDims", A950, **{**batches, "out": Meta((2,))}, batchDims=3)
    assert_refused(
        "aclnnGatherV3", INVALID, "index", A950, **{**batches, "index": Meta((1, 4), ACL_INT64)}, batchDims=1
    )
    x, index = np.arange(12, dtype=np.float32).reshape(2, 3, 2), np.array([[2, 0], [1, 1]])
    with Machine(A950):
        found = run(aclnnGatherV3, x, 1, index, 1, 0, np.empty((2, 2, 2), np.float32))
    assert found.tolist() == [x[each][index[each]].tolist() for each in range(2)]


# Index and IndexPutImpl


def test_a_mask_picks_the_places_where_it_is_true() -> None:
    mask = np.array([[True, False], [False, True], [False, False]])
    with Machine():
        assert run(aclnnIndex, X, [mask], np.empty(2, np.float32)).tolist() == [0, 3]
        found = run(aclnnIndexPutImpl, X, [mask], np.array([9, 8], np.float32), False, False)
    assert found.tolist() == [[9, 1], [2, 8], [4, 5]]


def test_an_index_without_elements_means_all() -> None:
    nothing = np.empty(0, np.int64)
    with Machine():
        assert run(aclnnIndex, X, [nothing, at(1)], np.empty((3, 1), np.float32)).tolist() == [[1], [3], [5]]


def test_indices_that_are_apart_put_their_dimensions_first() -> None:
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    index = np.array([1, 0])
    with Machine():
        found = run(aclnnIndex, x, [index, np.empty(0, np.int64), index], np.empty((2, 3), np.float32))
    assert found.tolist() == x[index, :, index].tolist()


def test_a_result_of_nine_dimensions() -> None:
    many = {"self": Meta((2, 2, 2)), "indices": (Meta((1,) * 7, ACL_INT64),), "out": Meta((1,) * 8)}
    assert_refused("aclnnIndex", INVALID, "indices", **many)


@pytest.mark.parametrize(
    "indices", [(Meta((2,), ACL_INT64), Meta((3,), ACL_INT64)), (Meta((2,), ACL_BOOL),)], ids=["shapes", "mask"]
)
def test_indices_that_do_not_fit_cannot_be_planned(indices: tuple[Meta, ...]) -> None:
    assert changed("aclnnIndex", indices=indices).status == UNPLANNED


def test_values_that_do_not_fit_the_positions_cannot_be_planned() -> None:
    given: dict[str, Any] = {"selfRef": Meta((3, 2)), "indices": (Meta((2,), ACL_INT64),)}
    assert changed("aclnnIndexPutImpl", **given, values=Meta((3, 2))).status == UNPLANNED
    assert changed("aclnnIndexPutImpl", **given, values=Meta((2, 2))).status == ACL_SUCCESS
    assert changed("aclnnIndexPutImpl", **given, values=Meta((1,))).status == ACL_SUCCESS


@pytest.mark.parametrize(("soc", "status"), [(A950, ACL_SUCCESS), (A2, INVALID)])
def test_uint16_is_gathered_on_950(soc: str, status: int) -> None:
    one = Of((2,), ACL_UINT16)
    assert status_of("aclnnGatherV2", one, 0, Of((2,), ACL_INT64), one, soc=soc) == status


@pytest.mark.fidelity(
    "masks of aclnnIndex and aclnnIndexPutImpl that pick another number than there is room or values for"
)
def test_a_mask_that_picks_another_number_is_found() -> None:
    with Machine(), pytest.raises(UndefinedBehaviour, match=r"shape \(1,\), out has \(2,\)"):
        run(aclnnIndex, X[:, 0].copy(), [np.array([True, False, False])], np.empty(2, np.float32))
    with Machine(), pytest.raises(UndefinedBehaviour, match="values of the shape"):
        run(aclnnIndexPutImpl, X[:, 0].copy(), [np.array([True, False, False])], np.ones(2, np.float32), False, False)


def test_no_index_with_elements_writes_nothing() -> None:
    assert_nothing_to_do("aclnnIndexPutImpl", indices=(Meta((0,), ACL_INT64),))


@pytest.mark.fidelity("aclnnScatter of BOOL, and sums of 16-bit floats at positions")
def test_double_places_add_up_in_float32() -> None:
    x, values = np.zeros(1, np.float16), np.full(4096, 1, np.float16)
    with Machine():
        assert run(aclnnIndexPutImpl, x, [at(0, 4096)], values, True, False).tolist() == [4096]


# Scatter


def test_nine_dimensions() -> None:
    nine = (1,) * 9
    tensors = {"self": Meta(nine), "index": Meta(nine, ACL_INT64), "src": Meta(nine), "out": Meta(nine)}
    assert_refused("aclnnScatter", INVALID, "self", **tensors)


def test_no_positions_copy_self() -> None:
    with Machine():
        empty = np.empty((0, 2), np.int64)
        assert (run(aclnnScatter, X, 5, empty, ROW, 0, np.empty_like(X)) == X).all(), "dim is not looked at"


@pytest.mark.parametrize(
    ("reduce", "wanted"), [(3, [9, 3]), (4, [4, 0]), (5, [6, 2]), (6, [5, 0]), (-1, [5, 0])],
    ids=["largest", "smallest", "mean", "6 replaces", "-1 replaces"],
)  # fmt: skip
def test_the_numbers_of_reduce(reduce: int, wanted: list[float]) -> None:
    x, index = np.array([4, 3], np.float32), np.array([0, 0, 1])
    src = np.array([9, 5, 0], np.float32)
    with Machine():
        found = run(aclnnScatter, x, 0, index, src, reduce, np.empty_like(x))
    assert found.tolist() == pytest.approx(wanted, abs=0.6) if reduce == 5 else found.tolist() == wanted


@pytest.mark.fidelity("aclnnScatter of BOOL, and sums of 16-bit floats at positions")
def test_bools_are_or_and_and() -> None:
    x, index = np.array([False, True]), np.array([0, 1])
    src = np.array([True, False])
    with Machine():
        assert run(aclnnScatter, x, 0, index, src, 1, np.empty_like(x)).tolist() == [True, True]
        assert run(aclnnScatter, x, 0, index, src, 2, np.empty_like(x)).tolist() == [False, False]


def test_only_sums_of_float_on_a2_come_before_null_pointers() -> None:
    assert_refused("aclnnScatterReduce", INVALID, "reduce", reduce=2, index=None)
    assert_refused("aclnnScatterReduce", ACLNN_ERR_PARAM_NULLPTR, "self", self=None, reduce=2)


def test_a_complex_value_for_a_real_tensor_is_refused() -> None:
    assert_refused("aclnnScatterValue", INVALID, "value", value=Number(1j, ACL_COMPLEX64))


# IndexAdd, IndexFill, InplacePut, MaskedSelect, Unique


def test_alpha_is_read_in_the_type_of_self() -> None:
    x = np.zeros((1, 2), np.int32)
    with Machine():
        found = run(aclnnIndexAdd, x, 0, at(0), np.ones((1, 2), np.int32), np.float32(2.9), np.empty_like(x))
    assert found.tolist() == [[2, 2]]


def test_mode_0_has_no_alpha_and_takes_a_matrix() -> None:
    with Machine():
        found = run(aclnnIndexAddV2, X, 0, at(0), np.ones((1, 2), np.float32), np.float32(5), 0, np.empty_like(X))
    assert found[0].tolist() == [1, 2]
    assert_refused("aclnnIndexAddV2", UNPLANNED, "mode", mode=0, dim=1, source=Meta((3, 2)))


def test_the_only_dimension_of_none() -> None:
    none = {"self": Meta(()), "index": Meta((1,), ACL_INT64), "source": Meta(()), "out": Meta(())}
    assert_refused("aclnnIndexAddV2", INVALID, "dim", **none, dim=-1)
    assert changed("aclnnIndexAdd", **none, dim=-1).status == ACL_SUCCESS


def test_positions_of_an_array_are_looked_at_at_once() -> None:
    for bad in (3, -4):
        assert_refused("aclnnIndexFillTensor", INVALID, "index", index=Values((0, bad)))


def test_a_value_for_an_array_of_positions_is_read_as_float_before_950() -> None:
    x, large = np.zeros(2, np.int64), (1 << 24) + 1
    for soc, wanted in (("Ascend910B1", 1 << 24), (A950, large)):
        with Machine(soc):
            assert run(aclnnIndexFillTensor, x, 0, [1], np.int64(large), np.empty_like(x)).tolist() == [0, wanted]


def test_no_sums_of_bfloat16() -> None:
    half = {"selfRef": Meta((3, 4), ACL_BF16), "source": Meta((2,), ACL_BF16)}
    assert_refused("aclnnInplacePut", INVALID, "selfRef", **half, accumulate=True)


def test_nothing_to_select() -> None:
    nothing = {"self": Meta((0, 3)), "mask": Meta((3,), ACL_BOOL), "out": Meta((0,))}
    assert_nothing_to_do("aclnnMaskedSelect", **nothing)


@pytest.mark.fidelity("aclnnInplaceMaskedScatter with a source that is too short")
def test_a_mask_with_more_places_than_source_has_is_found() -> None:
    with Machine(), pytest.raises(UndefinedBehaviour, match="true for 2 elements, source has 1"):
        run(aclnnInplaceMaskedScatter, np.zeros(2, np.float32), np.ones(2, np.bool_), np.ones(1, np.float32))


@pytest.mark.fidelity("aclnnUnique and its forms: order, NaN, zeros")
@pytest.mark.parametrize(("soc", "count"), [("Ascend910B1", 3), (A950, 2)])
def test_two_zeros_are_two_values_before_950(soc: str, count: int) -> None:
    x = np.array([0.0, -0.0, 1.0, -0.0], np.float32)
    with Machine(soc):
        found, inverse = run(aclnnUnique, x, True, True, np.empty(4, np.float32), np.empty(4, np.int64))
    assert len(found) == count
    assert (found[inverse] == x).all()


def test_slices_are_values_of_a_dimension() -> None:
    x = np.array([[2, 1], [1, 9], [2, 1]], np.int32)
    outs = np.empty((3, 2), np.int32), np.empty(3, np.int64), np.empty(3, np.int64)
    with Machine():
        found, inverse, counts = run(aclnnUniqueDim, x, True, True, 0, *outs)
    assert (found.tolist(), inverse.tolist(), counts.tolist()) == ([[1, 9], [2, 1]], [1, 0, 1], [1, 2])


def test_outputs_that_are_not_asked_for_may_be_small() -> None:
    small = Meta((1,), ACL_INT64)
    asked = {"returnInverse": False, "returnCounts": False, "inverseOut": small, "countsOut": small}
    assert changed("aclnnUnique2", **asked).status == ACL_SUCCESS


@pytest.mark.parametrize("name", ["aclnnIndexAdd", "aclnnScatterAdd", "aclnnScatter"])
def test_the_output_may_be_exactly_self(name: str) -> None:
    """PyTorch's plugin calls its forms in place so. The library copies self to out first."""
    call: dict[str, Callable[..., Any]] = {
        "aclnnIndexAdd": lambda x, out: plan(
            aclnnIndexAddGetWorkspaceSize, x, 0, on_device(at(1)), on_device(ROW + 1), scalar, out),
        "aclnnScatterAdd": lambda x, out: plan(
            aclnnScatterAddGetWorkspaceSize, x, 0, on_device(at(1, 1, 2)), on_device(ROW + 1), out),
        "aclnnScatter": lambda x, out: plan(
            aclnnScatterGetWorkspaceSize, x, 0, on_device(at(1, 1, 2)), on_device(ROW + 1), 1, out),
    }  # fmt: skip
    with board() as machine:
        scalar = aclCreateScalar(np.ones(1, np.float32), ACL_FLOAT)
        x = on_device(X)
        again = aclCreateTensor([3, 2], 2, ACL_FLOAT, [2, 1], 0, ACL_FORMAT_ND, [3, 2], 2, x.address)
        ready = call[name](x, again)
        assert ready.status == ACL_SUCCESS, ready.text
        workspace = malloc(ready.workspace_size) if ready.workspace_size else None
        assert globals()[name](workspace, ready.workspace_size, ready.executor, None) == ACL_SUCCESS
        assert aclrtSynchronizeStream(None) == ACL_SUCCESS
        assert x.read().tolist() == [[0, 1], [3, 4], [4, 5]]
        assert machine.findings == []
