"""Operators with aclScalar and array parameters, declared outside the package."""

from ctypes import byref, c_float

import numpy as np

from acl_runtime import *
from acl_runtime import Machine
from aclnn.op import (
    FLOATS,
    Arguments,
    Array,
    IntArrayIn,
    Op,
    Planning,
    Products,
    ScalarIn,
    Series,
    TensorIn,
    TensorOut,
    demand,
    listed,
    planned,
    same_dtype,
    same_shape,
)
from tests.helpers.builders import meta, on_device, plan, run
from tests.helpers.outcomes import finding_of


class ScaledFlip(Op):
    header = "aclnnop/aclnn_scaled_flip.h"
    series = (Series.A2,)
    elsewhere = Products.NOTICED_BY_PLAN
    self = TensorIn(FLOATS, doc="input")
    alpha = ScalarIn(doc="factor")
    dims = IntArrayIn(doc="dimension to flip")
    out = TensorOut(FLOATS, doc="result")


def several(a: Arguments) -> tuple[object, object] | None:
    return None if len(a["dims"].values) == 1 else (list(a["dims"].values), "one value")


@planned(
    ScaledFlip, listed("self"), same_dtype("out", "self"), same_shape("out", "self"),
    demand("{0} names one dimension", "dims", bad=several),
)  # fmt: skip
def scaled_flip(p: Planning) -> None:
    """out = alpha * flip(self, dims)"""
    x, alpha, axis = p.read("self"), p["alpha"].item(), int(p["dims"].values[0])
    p.store("out", p.step(flip, [x], x.shape, x.dtype, alpha=alpha, axis=axis))


def flip(x: Array, *, alpha: float, axis: int) -> Array:
    return np.float32(alpha) * np.flip(x, axis)


first, second = scaled_flip.pairs["aclnnScaledFlip"]


def test_prototype_and_help() -> None:
    assert first.c.prototype == (  # type: ignore[attr-defined]
        "aclnnStatus aclnnScaledFlipGetWorkspaceSize(const aclTensor *self, const aclScalar *alpha, "
        "const aclIntArray *dims, aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)"
    )
    assert "alpha" in (first.__doc__ or "").partition("ACLNN_ERR_PARAM_NULLPTR")[2]


def test_it_computes_with_the_values_of_the_first_phase(machine: Machine) -> None:
    """ "Values normally copied in phase 1": the scalar may go before the work runs."""
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    out = on_device(np.zeros_like(x))
    alpha, dims = aclCreateScalar(byref(c_float(2.5)), ACL_FLOAT), aclCreateIntArray([1], 1)
    run(first, second, on_device(x), alpha, dims, out)
    assert np.array_equal(out.read(), 2.5 * x[:, ::-1])


def test_nulls_have_the_words_of_the_library(machine: Machine) -> None:
    """Null scalar and null array: 161001 (the op-check texts of the base layer)."""
    alpha, dims = aclCreateScalar(byref(c_float(1)), ACL_FLOAT), aclCreateIntArray([0], 1)
    for arguments, words in (
        ((None, dims), "Expected a value of type number for argument alpha"),
        ((alpha, None), "Expected a value of type List[int] for argument dims"),
    ):
        call = plan(first, meta([2]), *arguments, meta([2]))
        assert call.status == ACLNN_ERR_PARAM_NULLPTR
        assert words in call.text


def test_an_array_that_does_not_fit(machine: Machine) -> None:
    alpha, dims = aclCreateScalar(byref(c_float(1)), ACL_FLOAT), aclCreateIntArray([0, 0], 2)
    call = plan(first, meta([2]), alpha, dims, meta([2]))
    assert call.status == ACLNN_ERR_PARAM_INVALID
    assert "parameter: dims, found: [0, 0], allowed: one value" in call.text


def test_a_dead_scalar_is_found(machine: Machine) -> None:
    alpha, dims = aclCreateScalar(byref(c_float(1)), ACL_FLOAT), aclCreateIntArray([0], 1)
    aclDestroyScalar(alpha)
    id, message = finding_of(lambda: plan(first, meta([2]), alpha, dims, meta([2])))
    assert id == "dead-handle"
    assert "argument alpha" in message
