"""The executor: how much workspace a plan asks for, what its steps see, and operators of one's own.

"6. Workspace size" and "8. L0 building blocks" of the library's base layer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import (
    ACL_DOUBLE,
    ACL_FLOAT,
    ACL_FLOAT16,
    ACL_FORMAT_ND,
    ACL_INT32,
    ACL_INT64,
    ACL_SUCCESS,
    ACLNN_ERR_INNER,
    ACLNN_ERR_INNER_NULLPTR,
    ACLNN_ERR_PARAM_INVALID,
    ACLNN_ERR_PARAM_NULLPTR,
    Machine,
    UndefinedBehaviour,
    aclCreateTensor,
    aclDestroyTensor,
    aclGetRecentErrMsg,
    aclrtSynchronizeStream,
    aclTensor,
)
from acl_runtime.machine.executor import Family
from acl_runtime.machine.soc import Series, Soc
from aclnn import Op, two_phase
from aclnn.constraints import Empty, Listed, Rule, SameShape, Violation
from aclnn.executor import Executor
from aclnn.spec import FLOATS, Double, Flag, OptionalTensorIn, Products, TensorIn, TensorOut
from aclnn.workspace import Slot, aligned, lay_out, share
from tests.builders import acl_type, malloc, meta, on_device, plan, run
from tests.ops.cases import (
    A2,
    A3,
    A200I,
    BATCH_NORM,
    CROSS_ENTROPY,
    EMBEDDING,
    PRELU,
    SOFTMAX,
    TRAINING,
    Case,
    Meta,
    board,
)

# the model: slots and buckets


@pytest.mark.parametrize(
    ("nbytes", "slot"), [(0, 512), (1, 512), (480, 512), (481, 1024), (992, 1024), (993, 1536), (16 << 20, 16_777_728)]
)
def test_size_of_a_slot(nbytes: int, slot: int) -> None:
    """ "A(n) = round_up(n + 32, 512). (So 0 bytes -> 512; 480 -> 512; 481 -> 1024; 16 MiB -> 16,777,728.)"."""
    assert aligned(nbytes) == slot


BUCKETS = {  # slots as (bytes, first step, last step); total; offset of each
    "nothing": ([], 0, []),
    "one": ([(100, 0, 1)], 512, [0]),
    "at-the-same-time": ([(100, 0, 2), (1000, 1, 2)], 512 + 1536, [0, 512]),
    "one-after-the-other": ([(100, 0, 1), (1000, 2, 3)], 1536, [0, 0]),
    "an-input-of-the-same-step-is-not-reused": ([(100, 0, 1), (100, 1, 2)], 1024, [0, 512]),
    "chain": ([(100, 0, 1), (2000, 1, 2), (600, 2, 3)], 1024 + 2048, [0, 1024, 0]),
    "the-last-free-bucket": ([(100, 0, 1), (100, 0, 1), (100, 2, 3)], 1024, [0, 512, 512]),
    "an-earlier-bucket-if-the-last-is-taken": ([(100, 0, 1), (100, 0, 3), (100, 2, 3)], 1024, [0, 512, 0]),
    "latest-occupant-counts": (
        [(100, 0, 1), (100, 0, 5), (100, 2, 4), (100, 3, 3), (100, 5, 5)], 1536, [0, 512, 0, 1024, 1024],
    ),
    "size-is-that-of-the-largest-occupant": (
        [(100, 0, 1), (100, 0, 9), (5000, 2, 3), (100, 4, 9)], 5120 + 512, [0, 5120, 0, 0],
    ),
    "in-the-order-of-the-steps": ([(100, 2, 3), (1000, 0, 1), (600, 1, 2)], 1536 + 1024, [0, 0, 1536]),
}  # fmt: skip


@pytest.mark.parametrize(("slots", "total", "offsets"), BUCKETS.values(), ids=BUCKETS)
def test_buckets(slots: list[tuple[int, int, int]], total: int, offsets: list[int]) -> None:
    """ "Take the last bucket whose latest occupant's lifetime does not overlap and which is not an input of the same
    node; else open a new bucket. Bucket size = max aligned size of its occupants. Offsets = prefix sums in bucket
    creation order. Total = sum of bucket sizes"."""
    made = [Slot(*slot) for slot in slots]
    assert share(made) == total
    assert [slot.offset for slot in made] == offsets


def test_copies_of_a_generated_operator_lie_one_after_the_other() -> None:
    """ "Laid out one after the other without sharing", behind the kernel's workspace."""
    slots = [Slot(100, 0, 0), Slot(600, 5, 5), Slot(0, 9, 9)]
    assert lay_out(slots, 160) == 160 + 512 + 1024 + 512
    assert [slot.offset for slot in slots] == [160, 672, 1696]


# what the operators ask for

WIDE = (40, 30)  # 4800 bytes of FLOAT: a slot of 5120; 2400 of FLOAT16: 2560


def dense(dtype: int = ACL_FLOAT, shape: tuple[int, ...] = WIDE) -> Meta:
    return Meta(shape, dtype)


def gaps(dtype: int = ACL_FLOAT, shape: tuple[int, ...] = WIDE) -> Meta:
    """Every second element of a storage."""
    strides = tuple(2 * int(np.prod(shape[i + 1 :])) for i in range(len(shape)))
    return Meta(shape, dtype, strides=strides, storage=(2 * int(np.prod(shape)),))


_SOFTMAX = {"gradOutput": dense(), "output": dense(), "out": dense()}
_HALF = {"gradOutput": dense(ACL_FLOAT16), "output": dense(ACL_FLOAT16)}
_PRELU = {"gradOutput": dense(), "self": dense(), "weight": dense(shape=(30,)), "gradInput": dense(),
          "gradWeight": dense(shape=(30,))}  # fmt: skip
_LOSS = {"gradLoss": Meta((40,)), "logProb": dense(), "target": dense(ACL_INT64, (40,)),
         "weightOptional": dense(shape=(30,)), "reductionOptional": "none", "out": dense()}  # fmt: skip
_TABLE = {"grad": dense(), "indices": dense(ACL_INT32, (40,)), "out": dense(shape=(4, 30))}
KERNEL = 16 << 20
SIZES = {
    "softmax-dense": (SOFTMAX, A2, _SOFTMAX, 0),  # "R lives in workspace unless step 5 aliases it"
    "softmax-copy-of-one-input": (SOFTMAX, A2, {**_SOFTMAX, "output": gaps()}, 5120),
    "softmax-copies-of-two-inputs": (SOFTMAX, A2, {**_SOFTMAX, "output": gaps(), "gradOutput": gaps()}, 10240),
    "softmax-strided-output": (SOFTMAX, A2, {**_SOFTMAX, "out": gaps()}, 5120),
    "softmax-everything-strided": (SOFTMAX, A2, dict.fromkeys(_SOFTMAX, gaps()), 3 * 5120),
    "softmax-cast": (SOFTMAX, A2, {**_SOFTMAX, "out": dense(ACL_FLOAT16)}, 5120),
    "softmax-cast-of-float16": (SOFTMAX, A2, {**_SOFTMAX, **_HALF}, 2560),
    "softmax-cast-into-strides": (SOFTMAX, A2, {**_SOFTMAX, "out": gaps(ACL_FLOAT16)}, 5120 + 2560),
    "softmax-cast-takes-the-place-of-a-copy": (
        SOFTMAX, A2, {"gradOutput": gaps(), "output": gaps(), "out": gaps(ACL_FLOAT16)}, 3 * 5120
    ),
    "prelu-sample": (PRELU, A2, {}, 512),
    "prelu-dense": (PRELU, A2, _PRELU, 5120),  # "U always lives in the workspace"
    "prelu-copy": (PRELU, A2, {**_PRELU, "self": gaps()}, 10240),
    "prelu-strided-gradinput": (PRELU, A2, {**_PRELU, "gradInput": gaps()}, 10240),
    "prelu-strided-gradweight": (PRELU, A2, {**_PRELU, "gradWeight": gaps(shape=(30,))}, 5120 + 512),
    "embedding-dense": (EMBEDDING, A2, _TABLE, 0),
    "embedding-int64-becomes-int32": (EMBEDDING, A2, {**_TABLE, "indices": dense(ACL_INT64, (40,))}, 512),
    "embedding-int64-stays-on-the-training-series": (
        EMBEDDING, TRAINING, {**_TABLE, "indices": dense(ACL_INT64, (40,))}, 0
    ),
    "embedding-float16": (
        EMBEDDING, A2, {**_TABLE, "grad": dense(ACL_FLOAT16), "out": dense(ACL_FLOAT16, (4, 30))}, 5120 + 512
    ),
    "cross-entropy-48-vector-cores": (CROSS_ENTROPY, A2, _LOSS, 16_777_408),
    "cross-entropy-40-vector-cores": (CROSS_ENTROPY, "Ascend910B3", _LOSS, 16_777_376),
    "cross-entropy-a3": (CROSS_ENTROPY, A3, _LOSS, 16_777_408),
    "cross-entropy-copy": (CROSS_ENTROPY, A2, {**_LOSS, "logProb": gaps()}, KERNEL + 192 + 5120),
    "cross-entropy-copies": (
        CROSS_ENTROPY, A2,
        {**_LOSS, "gradLoss": gaps(shape=(40,)), "logProb": gaps(), "target": gaps(ACL_INT64, (40,)),
         "weightOptional": gaps(shape=(30,))},
        KERNEL + 192 + 5120 + 3 * 512,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("case", "soc", "changes", "size"), SIZES.values(), ids=SIZES)
def test_workspace_size(case: Case, soc: str, changes: dict[str, Any], size: int) -> None:
    with board(soc):
        planned = case.plan(changes)
    assert planned.status == ACL_SUCCESS, planned.text
    assert planned.workspace_size == size


@pytest.mark.parametrize("masks", [(True, True, True), (False, False, False), (False, True, False)], ids=str)
def test_batch_norm_asks_for_whole_slots(machine: Machine, masks: tuple[bool, bool, bool]) -> None:
    """ "Non-empty calls normally report > 0"; steps are "queued even when all three masks are false"."""
    size = BATCH_NORM.plan(dict(zip(("inputG", "weightG", "biasG"), masks, strict=True))).workspace_size
    assert size > 0
    assert size % 512 == 0


def test_least_workspace_of_a_machine() -> None:
    """`min_workspace`: for calls that have work."""
    with board(min_workspace=5000):
        assert SOFTMAX.plan().workspace_size == 5000
        assert SOFTMAX.plan({"gradOutput": Meta((0, 2))}).workspace_size == 0
        assert CROSS_ENTROPY.plan().workspace_size == 16_777_408


# views


def softmax_of(tensor: aclTensor, values: np.ndarray) -> None:
    """aclnnSoftmaxBackward sees `values` in the tensor, whatever its layout."""
    y = np.full(values.shape, 0.25, np.float32)
    out = on_device(np.zeros(values.shape, np.float32))
    run(SOFTMAX.first, SOFTMAX.second, tensor, on_device(y), -1, out)
    expected = y * (values - (y * values).sum(-1, keepdims=True))
    np.testing.assert_array_equal(out.read(), expected)


def view(storage: np.ndarray, shape: tuple[int, ...], strides: tuple[int, ...], offset: int) -> aclTensor:
    flat = on_device(storage.ravel())
    return aclCreateTensor(list(shape), len(shape), acl_type(storage.dtype), list(strides), offset, ACL_FORMAT_ND,
                           [storage.size], 1, flat.address)  # fmt: skip


VIEWS = {  # (shape, strides, offset, the elements of 0..23 that it shows)
    "offset": ((2, 3), (3, 1), 4, [[4, 5, 6], [7, 8, 9]]),
    "rows-of-a-matrix": ((2, 3), (8, 1), 0, [[0, 1, 2], [8, 9, 10]]),
    "transposed": ((2, 3), (1, 4), 0, [[0, 4, 8], [1, 5, 9]]),
    "every-third": ((4,), (3,), 2, [2, 5, 8, 11]),
    "broadcast": ((3, 2), (0, 1), 6, [[6, 7]] * 3),
    "one-element-many-times": ((4,), (0,), 5, [5, 5, 5, 5]),
    "overlapping-windows": ((3, 3), (1, 1), 0, [[0, 1, 2], [1, 2, 3], [2, 3, 4]]),
    "backwards": ((4,), (-1,), 3, [3, 2, 1, 0]),
    "backwards-rows": ((2, 2), (-4, 2), 8, [[8, 10], [4, 6]]),
    "rank-8": ((1, 2, 1, 1, 1, 1, 1, 2), (9, 5, 9, 9, 9, 9, 9, 1), 1, [[[[[[[[1, 2]]]]]], [[[[[[6, 7]]]]]]]]),
}  # fmt: skip


@pytest.mark.parametrize(("shape", "strides", "offset", "elements"), VIEWS.values(), ids=VIEWS)
def test_views_of_inputs(
    machine: Machine, shape: tuple[int, ...], strides: tuple[int, ...], offset: int, elements: Any
) -> None:
    storage = np.arange(24, dtype=np.float32) ** 2
    softmax_of(view(storage, shape, strides, offset), storage[np.array(elements)])


@pytest.mark.parametrize(
    ("shape", "strides"),
    [((1, 4), (999, 1)), ((4, 1), (1, 77)), ((1,), (5,)), ((1, 1), (0, 0)), ((2, 1, 2), (2, -3, 1))],
)
def test_strides_of_dimensions_of_one_element_do_not_matter(
    machine: Machine, shape: tuple[int, ...], strides: tuple[int, ...]
) -> None:
    """ "Numel 0 or 1: yes; size-1 dims ignored": contiguous, no copy."""
    storage = np.arange(4, dtype=np.float32)
    tensor = view(storage, shape, strides, 0)
    same = [meta(shape), 0, meta(shape)]
    assert plan(SOFTMAX.first, tensor, *same).workspace_size == 0
    softmax_of(tensor, storage[: int(np.prod(shape))].reshape(shape))


def test_one_storage_for_input_and_output(machine: Machine) -> None:
    """Two halves of one allocation."""
    flat = on_device(np.array([1, 2, 3, 4, 0.5, 0.5, 0.5, 0.5, 0, 0, 0, 0], np.float32))
    tensors = [
        aclCreateTensor([4], 1, ACL_FLOAT, [1], 4 * i, ACL_FORMAT_ND, [12], 1, flat.address) for i in range(3)
    ]  # fmt: skip
    run(SOFTMAX.first, SOFTMAX.second, tensors[0], tensors[1], 0, tensors[2])
    np.testing.assert_array_equal(flat.read(), [1, 2, 3, 4, 0.5, 0.5, 0.5, 0.5, -2, -1.5, -1, -0.5])


# an operator of a user


def alpha_is_finite(call: Axpb, soc: Soc) -> Violation | None:
    if np.isfinite(call.alpha):
        return None
    return Violation("alpha must be finite.", "alpha", call.alpha, "any finite number")


class Axpb(Op):
    """out = alpha * x + bias, total = sum(out)"""

    header = "mine/aclnn_axpb.h"
    series = (Series.A2, Series.A3)
    elsewhere = Products.NOTICED_BY_PLAN

    x = TensorIn(FLOATS, doc="what is scaled")
    bias = OptionalTensorIn(FLOATS, doc="what is added")
    alpha = Double(doc="the factor")
    wanted = Flag(doc="is total wanted?")
    out = TensorOut(FLOATS, shape="as x", doc="result")
    total = TensorOut(FLOATS, shape="()", when=wanted, doc="sum of the result")

    checks = (
        Listed(x), Listed(bias), Listed(total), SameShape(out, x), Rule("{0} is finite", alpha_is_finite, alpha), Empty(x),
    )  # fmt: skip


def plan_axpb(call: Axpb, executor: Executor) -> None:
    inputs = [executor.contiguous(call.x)]
    if call.bias is not None:
        inputs.append(executor.contiguous(call.bias))
    result, total = executor.alloc(call.x.shape, call.x.dtype), executor.alloc((), call.x.dtype)
    executor.launch(axpb, inputs, (result, total), alpha=call.alpha)
    executor.view_copy(executor.cast(result, call.out.dtype), call.out)
    if call.wanted:
        executor.view_copy(executor.cast(total, call.total.dtype), call.total)


def axpb(x: np.ndarray, bias: np.ndarray | None = None, *, alpha: float) -> tuple[np.ndarray, np.ndarray]:
    assert x.dtype == np.float32  # "16-bit floats are widened"
    result = np.float32(alpha) * x + (np.float32(0) if bias is None else bias)
    return result, result.sum()


aclnnAxpbGetWorkspaceSize, aclnnAxpb = two_phase(Axpb, plan_axpb)


def test_prototypes_of_an_own_operator() -> None:
    first, second = aclnnAxpbGetWorkspaceSize.c, aclnnAxpb.c  # type: ignore[attr-defined]
    assert first.header == second.header == "mine/aclnn_axpb.h"
    assert first.prototype == (
        "aclnnStatus aclnnAxpbGetWorkspaceSize(const aclTensor *x, const aclTensor *bias, double alpha, bool wanted, "
        "aclTensor *out, aclTensor *total, uint64_t *workspaceSize, aclOpExecutor **executor)"
    )
    assert second.prototype == (
        "aclnnStatus aclnnAxpb(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)"
    )
    assert (aclnnAxpb.__name__, aclnnAxpbGetWorkspaceSize.__name__) == ("aclnnAxpb", "aclnnAxpbGetWorkspaceSize")
    assert aclnnAxpb.__module__ == __name__


def test_help_of_an_own_operator() -> None:
    text = aclnnAxpbGetWorkspaceSize.__doc__ or ""
    for word in (
        "out = alpha * x + bias", "x: input; what is scaled", "bias: optional input", "alpha: the factor",
        "needed, and looked at, only if wanted is true", "alpha is finite", "ACLNN_ERR_PARAM_NULLPTR",
        "ACLNN_ERR_PARAM_INVALID", "ACLNN_ERR_INNER_NULLPTR", "ACLNN_ERR_RUNTIME_ERROR",
    ):  # fmt: skip
        assert word in text, word
    assert "ACLNN_ERR_RUNTIME_ERROR" in (aclnnAxpb.__doc__ or "")


@pytest.mark.parametrize("dtype", [np.float32, np.float16], ids=["FLOAT", "FLOAT16"])
@pytest.mark.parametrize("biased", [False, True])
def test_an_own_operator_computes(machine: Machine, dtype: type, biased: bool) -> None:
    x = np.arange(6, dtype=dtype).reshape(2, 3)
    bias = on_device(np.ones((2, 3), dtype)) if biased else None
    out, total = on_device(np.zeros((2, 3), dtype), strides=(1, 4), offset=2), on_device(np.zeros((), dtype))
    run(aclnnAxpbGetWorkspaceSize, aclnnAxpb, on_device(x, strides=(5, 2)), bias, 2, True, out, total)
    np.testing.assert_array_equal(out.read(), 2 * x + biased)
    assert total.read() == 30 + 6 * biased
    run(aclnnAxpbGetWorkspaceSize, aclnnAxpb, on_device(x), None, 3, False, out, None)
    np.testing.assert_array_equal(out.read(), 3 * x)
    assert machine.findings == []


def axpb_status(**changes: Any) -> tuple[int, str]:
    given = {
        "x": Meta((2, 3)),
        "bias": None,
        "alpha": 2.0,
        "wanted": True,
        "out": Meta((2, 3)),
        "total": Meta(()),
        **changes,
    }
    planned = plan(
        aclnnAxpbGetWorkspaceSize, *[each.make() if isinstance(each, Meta) else each for each in given.values()]
    )
    return planned.status, planned.text


REFUSED: dict[str, tuple[dict[str, Any], int, str]] = {
    "null": ({"x": None}, ACLNN_ERR_PARAM_NULLPTR, "got null for argument x"),
    "null-masked-output": ({"total": None}, ACLNN_ERR_PARAM_NULLPTR, "as wanted is true"),
    "data-type": ({"x": Meta((2, 3), ACL_DOUBLE)}, ACLNN_ERR_PARAM_INVALID, "parameter: x, found: DT_DOUBLE"),
    "optional": ({"bias": Meta((2, 3), ACL_INT32)}, ACLNN_ERR_PARAM_INVALID, "parameter: bias, found: DT_INT32"),
    "shape": ({"out": Meta((3, 2))}, ACLNN_ERR_PARAM_INVALID, "parameter: out, found: [3, 2]"),
    "rule": ({"alpha": float("inf")}, ACLNN_ERR_PARAM_INVALID, "alpha must be finite. (parameter: alpha, found: inf"),
    "plan": ({"total": Meta((2,))}, ACLNN_ERR_INNER_NULLPTR, "ViewCopy"),
    "cast": ({"out": Meta((2, 3), 13)}, ACLNN_ERR_INNER_NULLPTR, "Cast from DT_FLOAT to DT_STRING"),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "status", "words"), REFUSED.values(), ids=REFUSED)
def test_an_own_operator_refuses(machine: Machine, changes: dict[str, Any], status: int, words: str) -> None:
    found, text = axpb_status(**changes)
    assert found == status
    assert words in text
    assert A2 in text


def test_an_own_operator_may_leave_out_what_is_optional(machine: Machine) -> None:
    assert axpb_status(total=None, wanted=False)[0] == ACL_SUCCESS
    assert axpb_status(x=Meta((0, 3)), out=Meta((0, 3)))[0] == ACL_SUCCESS


def test_products_of_an_own_operator() -> None:
    with board(A200I):
        status, text = axpb_status()
        assert status == ACLNN_ERR_INNER_NULLPTR
        assert Series.A2.value in text
        assert axpb_status(alpha=float("nan"))[0] == ACLNN_ERR_PARAM_INVALID


def test_findings_about_an_own_operator(machine: Machine) -> None:
    """An executor of it serves no other, and only once."""
    x, out = on_device(np.ones(3, np.float32)), on_device(np.zeros(3, np.float32))
    planned = plan(aclnnAxpbGetWorkspaceSize, x, None, 1, False, out, None)
    workspace = malloc(max(planned.workspace_size, 1))
    with pytest.raises(UndefinedBehaviour, match="exec-wrong-op"):
        SOFTMAX.second(workspace, planned.workspace_size, planned.executor, None)
    assert aclnnAxpb(workspace, planned.workspace_size, planned.executor, None) == ACL_SUCCESS
    assert aclrtSynchronizeStream(None) == ACL_SUCCESS
    with pytest.raises(UndefinedBehaviour, match="exec-reused"):
        aclnnAxpb(workspace, planned.workspace_size, planned.executor, None)


class Doubled(Op):
    """y = 2 * x, generated"""

    header = "mine/aclnn_doubled.h"
    family = Family.GENERATED
    series = (Series.A2,)
    elsewhere = Products.NOTICED_AT_LAUNCH

    x = TensorIn(FLOATS, doc="input")
    y = TensorOut(FLOATS, shape="as x", doc="output")

    checks = (SameShape(y, x),)


def plan_doubled(call: Doubled, executor: Executor) -> None:
    executor.scratch = 1000
    y = executor.alloc(call.x.shape, call.y.dtype)
    executor.launch(doubled, (executor.contiguous(call.x),), (y,))
    executor.view_copy(y, call.y)


def doubled(x: np.ndarray) -> np.ndarray:
    return x + x


aclnnDoubledGetWorkspaceSize, aclnnDoubled = two_phase(Doubled, plan_doubled)


def test_an_own_generated_operator_keeps_the_rules_of_its_family(machine: Machine) -> None:
    """Scratch as it says, no tensors needed after the first phase, a small workspace is 161002."""
    x, y = on_device(np.arange(3, dtype=np.float32)), on_device(np.zeros(3, np.float32))
    planned = plan(aclnnDoubledGetWorkspaceSize, x, y)
    assert planned.workspace_size == 1000
    assert aclDestroyTensor(x.handle) == aclDestroyTensor(y.handle) == ACL_SUCCESS
    workspace = malloc(1000)
    assert aclnnDoubled(workspace, 999, planned.executor, None) == ACLNN_ERR_PARAM_INVALID
    assert aclnnDoubled(workspace, 1000, planned.executor, None) == ACL_SUCCESS
    assert aclrtSynchronizeStream(None) == ACL_SUCCESS
    np.testing.assert_array_equal(y.read(), [0, 2, 4])


def test_an_own_operator_without_a_kernel_at_the_launch() -> None:
    with board(A3):
        x, y = on_device(np.arange(3, dtype=np.float32)), on_device(np.zeros(3, np.float32))
        planned = plan(aclnnDoubledGetWorkspaceSize, x, y)
        assert planned.status == ACL_SUCCESS
        assert aclnnDoubled(malloc(1000), 1000, planned.executor, None) == ACLNN_ERR_INNER
        assert Series.A2.value in (aclGetRecentErrMsg() or "")


class Broken(Op):
    """y = x, by somebody who makes mistakes"""

    header = "mine/aclnn_broken.h"
    series = (Series.A2,)
    elsewhere = Products.NOTICED_BY_PLAN

    x = TensorIn(FLOATS, doc="input")
    y = TensorOut(FLOATS, shape="as x", doc="output")


def test_a_mistake_in_a_plan_is_its_own_exception(machine: Machine) -> None:
    """ "Our own bug: its own exception, never a status"."""

    def plan_broken(call: Broken, executor: Executor) -> None:
        raise ZeroDivisionError("in the plan")

    first, _ = two_phase(Broken, plan_broken)
    with pytest.raises(ZeroDivisionError, match="in the plan"):
        plan(first, meta((2,)), meta((2,)))


def test_a_mistake_in_a_kernel_is_its_own_exception(machine: Machine) -> None:
    def kernel(x: np.ndarray) -> np.ndarray:
        raise ZeroDivisionError("in the kernel")

    def plan_broken(call: Broken, executor: Executor) -> None:
        y = executor.alloc(call.x.shape, call.x.dtype)
        executor.launch(kernel, (executor.contiguous(call.x),), (y,))
        executor.view_copy(y, call.y)

    first, second = two_phase(Broken, plan_broken)
    planned = plan(first, on_device(np.zeros(2, np.float32)), on_device(np.zeros(2, np.float32)))
    assert second(None, planned.workspace_size, planned.executor, None) == ACL_SUCCESS
    with pytest.raises(ZeroDivisionError, match="in the kernel"):
        aclrtSynchronizeStream(None)
