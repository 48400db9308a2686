"""AmpUpdateScale: the scale shrinks after a gradient that is not finite, and grows after some steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.device_tensor import device_tensor
from aclnn.testing import run
from tests.aclnn.ops.case import Meta, board
from tests.derived.good import subject
from tests.derived.launching import planned

NAME, TILING = "aclnnAmpUpdateScale", ACLNN_ERR_INNER_TILING_ERROR


@pytest.mark.parametrize(
    ("scale", "steps", "found", "wanted"),
    [
        (1024, 5, 1, (512, 0)), (1024, 5, 0, (1024, 6)), (1024, 1999, 0, (2048, 0)), (3e38, 1999, 0, (3e38, 0)),
    ],
    ids=["not finite", "one step more", "the interval is over", "an overflow keeps the scale"],
)  # fmt: skip
@pytest.mark.parametrize("shape", [(1,), ()], ids=["one dimension", "none"])
@pytest.mark.fidelity("AmpUpdateScale of tensors without dimensions")
def test_the_scale_follows_the_gradients(
    shape: tuple[int, ...], scale: float, steps: int, found: int, wanted: tuple[float, int], machine: Machine
) -> None:
    given = [np.full(shape, scale, np.float32), np.full(shape, steps, np.int32), np.full(shape, found, np.float32)]
    outputs = [np.empty(shape, np.float32), np.empty(shape, np.int32)]
    results = run(aclnnAmpUpdateScale, *given, 2.0, 0.5, 2000, *outputs)
    assert [float(each.reshape(())) for each in results] == [float(np.float32(wanted[0])), wanted[1]]


@pytest.mark.parametrize("shape", [(1,), ()], ids=["one dimension", "none"])
def test_a_result_may_have_another_number_of_dimensions_than_its_input(shape: tuple[int, ...]) -> None:
    """Each has one element (ours)."""
    given = [np.full(shape, number, dtype) for number, dtype in ((4, np.float32), (5, np.int32), (0, np.float32))]
    outputs = [np.empty((1,) if shape == () else (), dtype) for dtype in (np.float32, np.int32)]
    with Machine():
        results = run(aclnnAmpUpdateScale, *given, 2.0, 0.5, 2000, *outputs)
    assert [float(each.reshape(())) for each in results] == [4, 6]


def test_scale_and_steps_may_change_in_place(machine: Machine) -> None:
    """As PyTorch's GradScaler asks for it."""
    with device_tensor(np.full(1, 8, np.float32)) as scale, device_tensor(np.full(1, 3, np.int32)) as steps:
        run(aclnnAmpUpdateScale, scale, steps, np.ones(1, np.float32), 2.0, 0.5, 2000, scale, steps)
        assert (float(scale.numpy()[0]), int(steps.numpy()[0])) == (4, 0)
    assert not machine.findings.worth_telling


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"growthInterval": 0}, TILING), ({"foundInf": Meta((2,))}, TILING), ({"currentScale": Meta((1, 1))}, TILING),
        ({"currentScale": None}, ACLNN_ERR_PARAM_NULLPTR), ({"growthTracker": Meta((1,))}, ACLNN_ERR_PARAM_INVALID),
    ],
    ids=["no interval", "two elements", "two dimensions", "null", "FLOAT steps"],
)  # fmt: skip
def test_wrong_arguments(changes: dict[str, Any], status: int) -> None:
    this = subject(NAME)
    with board(this.soc.name):
        assert planned(this, this.changed(changes)).status == status


@pytest.mark.parametrize("given", [(1,), ()], ids=["given in one dimension", "in none"])
@pytest.mark.parametrize("written", [(1,), ()], ids=["written in one dimension", "in none"])
@pytest.mark.fidelity("AmpUpdateScale of tensors without dimensions")
def test_inputs_and_outputs_have_dimensions_of_their_own(
    given: tuple[int, ...], written: tuple[int, ...], machine: Machine
) -> None:
    inputs = [np.full(given, 8, np.float32), np.full(given, 3, np.int32), np.zeros(given, np.float32)]
    outputs = [np.empty(written, np.float32), np.empty(written, np.int32)]
    results = run(aclnnAmpUpdateScale, *inputs, 2.0, 0.5, 2000, *outputs)
    assert [(each.shape, each.item()) for each in results] == [(written, 8), (written, 4)]
