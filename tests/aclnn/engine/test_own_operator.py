"""An operator that the catalogue does not have works like those of the library."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from aclnn.op import (
    FLOATS,
    Arguments,
    Array,
    Double,
    Flag,
    Op,
    OptionalTensorIn,
    Planning,
    Products,
    Series,
    TensorIn,
    TensorOut,
    demand,
    elementwise,
    empty,
    generated,
    listed,
    overwrites,
    planned,
    same_shape,
)
from tests.aclnn.ops.case import A2, A3, A200I, Meta, board
from tests.aclnn.ops.cases import SOFTMAX
from tests.helpers.builders import malloc, meta, on_device, plan, run


class Axpb(Op):
    header = "mine/aclnn_axpb.h"
    series = (Series.A2, Series.A3)
    elsewhere = Products.NOTICED_BY_PLAN

    x = TensorIn(FLOATS, doc="what is scaled")
    bias = OptionalTensorIn(FLOATS, doc="what is added")
    alpha = Double(doc="the factor")
    wanted = Flag(doc="is total wanted?")
    out = TensorOut(FLOATS, shape="as x", doc="result")
    total = TensorOut(FLOATS, shape="()", when=wanted, doc="sum of the result")


def not_finite(a: Arguments) -> tuple[object, object, str] | None:
    return None if np.isfinite(a["alpha"]) else (a["alpha"], "any finite number", "alpha must be finite.")


@planned(
    Axpb, listed("x", "bias", "total"), same_shape("out", "x"), demand("{0} is finite", "alpha", bad=not_finite),
    empty("x"),
)  # fmt: skip
def axpb(p: Planning) -> None:
    """out = alpha * x + bias, total = sum(out)"""
    inputs = [p.read(name) for name in ("x", "bias") if p.given(name)]
    shapes = [(p.shape("x"), p.dtype("x")), ((), p.dtype("x"))]
    result, total = p.steps(scaled, inputs, shapes, alpha=p["alpha"])
    p.store("out", result)
    p.store("total", total)


def scaled(x: np.ndarray, bias: np.ndarray | None = None, *, alpha: float) -> tuple[np.ndarray, np.ndarray]:
    assert x.dtype == np.float32  # "16-bit floats are widened"
    result = np.float32(alpha) * x + (np.float32(0) if bias is None else bias)
    return result, result.sum()


aclnnAxpbGetWorkspaceSize, aclnnAxpb = axpb.pairs["aclnnAxpb"]


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
        "needed, and looked at, only if wanted is true", "alpha is not finite", "ACLNN_ERR_PARAM_NULLPTR",
        "ACLNN_ERR_PARAM_INVALID", "ACLNN_ERR_INNER_NULLPTR", "ACLNN_ERR_RUNTIME_ERROR",
    ):  # fmt: skip
        assert word in text, word
    assert "ACLNN_ERR_RUNTIME_ERROR" in (aclnnAxpb.__doc__ or "")


def test_a_description_that_repeats_the_role_is_printed_once() -> None:
    class Ramp(Op):
        header = "mine/aclnn_ramp.h"

        self = TensorIn(FLOATS, doc="input")
        out = TensorOut(FLOATS, doc="the result")

    @elementwise(Ramp, listed("self"), same_shape("out", as_="self"))
    def ramp(self: Array) -> Array:
        return np.maximum(self, np.float32(0))

    lines = [line.strip() for line in ramp.pairs["aclnnRamp"][0].__doc__.splitlines()]
    assert "self: input." in lines
    assert "out: output; the result." in lines


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
    call = plan(
        aclnnAxpbGetWorkspaceSize, *[each.make() if isinstance(each, Meta) else each for each in given.values()]
    )
    return call.status, call.text


REFUSED: dict[str, tuple[dict[str, Any], int, str]] = {
    "null": ({"x": None}, ACLNN_ERR_PARAM_NULLPTR, "got null for argument x"),
    "null-masked-output": ({"total": None}, ACLNN_ERR_PARAM_NULLPTR, "as wanted is true"),
    "data-type": ({"x": Meta((2, 3), ACL_DOUBLE)}, ACLNN_ERR_PARAM_INVALID, "parameter: x, found: DT_DOUBLE"),
    "optional": ({"bias": Meta((2, 3), ACL_INT32)}, ACLNN_ERR_PARAM_INVALID, "parameter: bias, found: DT_INT32"),
    "shape": ({"out": Meta((3, 2))}, ACLNN_ERR_PARAM_INVALID, "parameter: out, found: [3, 2]"),
    "rule": ({"alpha": float("inf")}, ACLNN_ERR_PARAM_INVALID, "alpha must be finite. (parameter: alpha, found: inf"),
    "plan": ({"total": Meta((2,))}, ACLNN_ERR_INNER_NULLPTR, "ViewCopy"),
    "cast": ({"out": Meta((2, 3), 13)}, ACLNN_ERR_INNER_NULLPTR, "Cast of out from DT_FLOAT to DT_STRING"),
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
    call = plan(aclnnAxpbGetWorkspaceSize, x, None, 1, False, out, None)
    workspace = malloc(max(call.workspace_size, 1))
    with pytest.raises(UndefinedBehaviour, match="exec-wrong-op"):
        SOFTMAX.second(workspace, call.workspace_size, call.executor, None)
    assert aclnnAxpb(workspace, call.workspace_size, call.executor, None) == ACL_SUCCESS
    assert aclrtSynchronizeStream(None) == ACL_SUCCESS
    with pytest.raises(UndefinedBehaviour, match="exec-reused"):
        aclnnAxpb(workspace, call.workspace_size, call.executor, None)


class Doubled(Op):
    header = "mine/aclnn_doubled.h"
    series = (Series.A2,)
    elsewhere = Products.NOTICED_AT_LAUNCH

    x = TensorIn(FLOATS, doc="input")
    y = TensorOut(FLOATS, shape="as x", doc="output")


@planned(Doubled, generated(), same_shape("y", "x"))
def doubled(p: Planning) -> None:
    """y = 2 * x, generated"""
    p.builder.scratch = 1000
    p.store("y", p.step(twice, [p.read("x")], p.shape("x"), p.dtype("y")))


def twice(x: np.ndarray) -> np.ndarray:
    return x + x


aclnnDoubledGetWorkspaceSize, aclnnDoubled = doubled.pairs["aclnnDoubled"]


def test_an_own_generated_operator_keeps_the_rules_of_its_family(machine: Machine) -> None:
    """Scratch as it says, the addresses of the first phase, a small workspace is 161002."""
    x, y = on_device(np.arange(3, dtype=np.float32)), on_device(np.zeros(3, np.float32))
    call = plan(aclnnDoubledGetWorkspaceSize, x, y)
    assert call.workspace_size == 1000
    assert aclSetRawTensorAddr(x.handle, None) == aclSetRawTensorAddr(y.handle, None) == ACL_SUCCESS
    workspace = malloc(1000)
    assert aclnnDoubled(workspace, 999, call.executor, None) == ACLNN_ERR_PARAM_INVALID
    assert aclnnDoubled(workspace, 1000, call.executor, None) == ACL_SUCCESS
    assert aclrtSynchronizeStream(None) == ACL_SUCCESS
    np.testing.assert_array_equal(y.read(), [0, 2, 4])


def test_an_own_operator_without_a_kernel_at_the_launch() -> None:
    with board(A3):
        x, y = on_device(np.arange(3, dtype=np.float32)), on_device(np.zeros(3, np.float32))
        call = plan(aclnnDoubledGetWorkspaceSize, x, y)
        assert call.status == ACL_SUCCESS
        assert aclnnDoubled(malloc(1000), 1000, call.executor, None) == ACLNN_ERR_INNER
        assert Series.A2.value in (aclGetRecentErrMsg() or "")


class Broken(Op):
    header = "mine/aclnn_broken.h"
    series = (Series.A2,)
    elsewhere = Products.NOTICED_BY_PLAN

    x = TensorIn(FLOATS, doc="input")
    y = TensorOut(FLOATS, shape="as x", doc="output")


def test_a_prototype_says_itself_what_is_read(machine: Machine) -> None:
    @planned(Broken, overwrites("y"))
    def broken(p: Planning) -> None:
        """y = x"""

    with pytest.raises(TypeError, match="the class Broken says which tensors are read and written"):
        _ = broken.pairs


def test_operators_that_share_a_prototype_have_their_own_checks(machine: Machine) -> None:
    def copied(p: Planning) -> None:
        """y = x"""
        p.store("y", p.read("x"))

    strict, loose = (planned(Broken, *relations)(copied) for relations in ([listed("x")], []))
    statuses = [plan(each.pairs["aclnnBroken"][0], meta((2,), 6), meta((2,), 6)).status for each in (strict, loose)]
    assert statuses == [ACLNN_ERR_PARAM_INVALID, ACL_SUCCESS]
    assert not Broken.checks


def test_a_mistake_in_a_plan_is_its_own_exception(machine: Machine) -> None:
    """ "Our own bug: its own exception, never a status"."""

    @planned(Broken)
    def broken(p: Planning) -> None:
        raise ZeroDivisionError("in the plan")

    first, _ = broken.pairs["aclnnBroken"]
    with pytest.raises(ZeroDivisionError, match="in the plan"):
        plan(first, meta((2,)), meta((2,)))


@pytest.mark.finds("kernel-raised")
def test_a_mistake_in_a_kernel_is_a_finding(machine: Machine) -> None:
    """It names the operator and the exception, and the task fails (ours)."""

    def kernel(x: np.ndarray) -> np.ndarray:
        raise ZeroDivisionError("in the kernel")

    @planned(Broken)
    def broken(p: Planning) -> None:
        p.store("y", p.step(kernel, [p.read("x")], p.shape("x"), p.dtype("x")))

    first, second = broken.pairs["aclnnBroken"]
    call = plan(first, on_device(np.zeros(2, np.float32)), on_device(np.zeros(2, np.float32)))
    assert second(None, call.workspace_size, call.executor, None) == ACL_SUCCESS
    with pytest.raises(UndefinedBehaviour, match=r"(?s)kernel-raised.*aclnnBroken.*ZeroDivisionError: in the kernel"):
        aclrtSynchronizeStream(None)
