"""Dynamic AIPP: parameters, ranges of their setters, and models whose images the program states for each run."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, c_int32, c_size_t
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.models import DynamicAipp, Model, StaticAipp, Tensor, batch
from acl_runtime.models.aipp_parameters import AippHeader, AippImage, AippParameters
from tests.helpers.offline_models import Array, Sets, data_sets, description, load, small
from tests.helpers.outcomes import assert_status, finding_of, ok

NAME = "ascend_dynamic_aipp_data"
GOOD: dict[str, tuple[Callable[..., int], tuple[tuple[float, float], ...]]] = {
    "format": (aclmdlSetAIPPInputFormat, ((1, 14),)),
    "source": (aclmdlSetAIPPSrcImageSize, ((2, 4096), (1, 4096))),
    "rbuv": (aclmdlSetAIPPRbuvSwapSwitch, ((0, 1),)),
    "ax": (aclmdlSetAIPPAxSwapSwitch, ((0, 1),)),
    "csc": (aclmdlSetAIPPCscParams, ((1, 1), *[(-32677, 32676)] * 9, *[(0, 255)] * 6)),
    "scf": (aclmdlSetAIPPScfParams, ((1, 1), (16, 4096), (16, 4096), (16, 1920), (16, 4096))),
    "crop": (aclmdlSetAIPPCropParams, ((1, 1), (0, 4095), (0, 4095), (1, 4096), (1, 4096))),
    "padding": (aclmdlSetAIPPPaddingParams, ((1, 1), *[(0, 32)] * 4)),
    "mean": (aclmdlSetAIPPDtcPixelMean, ((0, 255),) * 4),
    "min": (aclmdlSetAIPPDtcPixelMin, ((0.0, 255.0),) * 4),
    "reciprocal": (aclmdlSetAIPPPixelVarReci, ((-65504.0, 65504.0),) * 4),
}
"""setters, and the ranges of their values"""
EACH_SETTER = pytest.mark.parametrize("name", GOOD)
OF_IMAGES = ("scf", "crop", "padding", "mean", "min", "reciprocal")
SWITCHED = ("csc", "scf", "crop", "padding")


def of_batch(name: str, index: int = 0) -> tuple[int, ...]:
    """The index of the image, which setters of images take last."""
    return (index,) if name in OF_IMAGES else ()


@EACH_SETTER
def test_a_setter_takes_the_ends_of_each_range(name: str, machine: Machine) -> None:
    """The table of ranges: "each value, else 100000"."""
    setter, ranges = GOOD[name]
    handle, lows = aclmdlCreateAIPP(2), [low for low, _ in ranges]
    ok(setter(handle, *lows, *of_batch(name, 1)))
    ok(setter(handle, *[high for _, high in ranges], *of_batch(name)))
    assert_status(setter(None, *lows, *of_batch(name)), ACL_ERROR_INVALID_PARAM, "aippParmsSet")
    for i, (low, high) in enumerate(ranges):
        for wrong in (low - 1, high + 1, *([float("nan")] if isinstance(low, float) else [])):
            switch_off = name in SWITCHED and i == 0 and wrong == 0
            if not switch_off and not (name == "csc" and i > 9):  # all bytes are biases
                values = [*lows[:i], wrong, *lows[i + 1 :]]
                assert_status(setter(handle, *values, *of_batch(name)), ACL_ERROR_INVALID_PARAM)
    if name in OF_IMAGES:
        assert_status(setter(handle, *lows, 2), ACL_ERROR_INVALID_PARAM, "batchIndex")
    ok(aclmdlDestroyAIPP(handle))
    assert finding_of(lambda: setter(handle, *lows, *of_batch(name)))[0] == "dead-handle"


@pytest.mark.parametrize("name", SWITCHED)
def test_a_switch_of_0_ignores_the_other_values(name: str, machine: Machine) -> None:
    """ "switch 0 stores the switch and ignores the other arguments"."""
    setter, ranges = GOOD[name]
    handle = aclmdlCreateAIPP(1)
    ok(setter(handle, *[high for _, high in ranges], *of_batch(name)))
    parameters = machine.handles.find(handle.value, AippParameters)
    assert parameters is not None
    before = bytes(parameters.block())
    ok(setter(handle, 0, *[-5 if name != "csc" or i < 9 else 0 for i in range(len(ranges) - 1)], *of_batch(name)))
    changed = [i for i, (old, new) in enumerate(zip(before, parameters.block(), strict=True)) if old != new]
    assert len(changed) == 1
    ok(aclmdlDestroyAIPP(handle))


def test_a_batch_of_0_and_null(machine: Machine) -> None:
    assert not aclmdlCreateAIPP(0)
    assert_status(aclmdlDestroyAIPP(None), ACL_ERROR_INVALID_PARAM, "aippParmsSet")
    huge = aclmdlCreateAIPP(2**64 - 1)
    ok(aclmdlSetAIPPCropParams(huge, 0, 0, 0, 0, 0, 2**64 - 2))
    ok(aclmdlDestroyAIPP(huge))


@pytest.mark.fidelity("dynamic AIPP (acl_mdl.h)")
def test_the_size_of_the_parameters(machine: Machine) -> None:
    size = c_size_t()
    assert_status(aclmdlGetAippDataSize(1, None), ACL_ERROR_INVALID_PARAM, "size")
    for count in (0, 1, 4):
        ok(aclmdlGetAippDataSize(count, byref(size)))
        assert size.value == 64 + 96 * count


# a model


def gray(inputs: dict[str, Array]) -> Array:
    """The mean of each image, and the number of images that are cut."""
    images = [AippImage.from_buffer_copy(inputs[NAME][64 + 96 * i :].tobytes()) for i in range(2)]
    means = [inputs["data"][i].mean() for i in range(2)]
    return np.array([*means, sum(image.cropSwitch for image in images)], np.float32)


def classifier(**options: Any) -> Model:
    """A model of two images, 16 x 20."""
    tensor = Tensor("data", np.float32, (2, 3, 16, 20), "NCHW")
    return Model([tensor], [Tensor("mean", np.float32, (3,))], gray, aipp={"data": DynamicAipp(2 * 40 * 32 * 3)})


def rgb(width: int = 20, height: int = 16, count: int = 2) -> aclmdlAIPP:
    """Parameters for images of a size."""
    handle = aclmdlCreateAIPP(count)
    ok(aclmdlSetAIPPInputFormat(handle, ACL_RGB888_U8))
    ok(aclmdlSetAIPPSrcImageSize(handle, width, height))
    return handle


@pytest.mark.fidelity("dynamic AIPP (acl_mdl.h)")
def test_the_description_of_a_model(machine: Machine, tmp_path: Path) -> None:
    """ "The ... dynamic-AIPP input count as inputs (last ones)"; "the index of `ascend_dynamic_aipp_data`"."""
    id, kind, attached = load(tmp_path, classifier()), c_int32(), c_size_t()
    with description(id) as desc:
        assert aclmdlGetNumInputs(desc) == 2
        assert aclmdlGetInputNameByIndex(desc, 1) == NAME
        assert [aclmdlGetInputSizeByIndex(desc, i) for i in range(2)] == [7680, 64 + 2 * 96]
    for index, expected in enumerate([(2, 1), (3, 0xFFFFFFFF)]):
        ok(aclmdlGetAippType(id, index, byref(kind), byref(attached)))
        assert (kind.value, attached.value) == expected


@pytest.mark.parametrize("by_input", [False, True])
@pytest.mark.parametrize("schedule", ["late", "threads"])
def test_the_function_gets_the_images_and_their_parameters(schedule: str, by_input: bool, tmp_path: Path) -> None:
    with Machine(schedule=schedule) as machine:
        ok(aclrtSetDevice(0))
        id, handle = load(tmp_path, classifier()), rgb(40, 32)
        for index in range(2):
            ok(aclmdlSetAIPPCropParams(handle, 1, 4, 4, 20, 16, index))
        data = np.repeat(np.array([3, 7], np.uint8), 40 * 32 * 3)
        with data_sets([data, 256], [12]) as (inputs, outputs):
            call = aclmdlSetAIPPByInputIndex if by_input else aclmdlSetInputAIPP
            ok(call(id, inputs.handle, 0 if by_input else 1, handle))
            ok(aclmdlExecute(id, inputs.handle, outputs.handle))
            assert outputs.read(0, (3,)).tolist() == [3, 7, 2]
            block = outputs_of(inputs)
            header = AippHeader.from_buffer_copy(block)
            assert (header.inputFormat, header.batchNum, header.srcImageSizeW, header.srcImageSizeH) == (3, 2, 40, 32)
            assert list(AippImage.from_buffer_copy(block[160:]).dtcPixelVarReci) == [0x3C00] * 4
        ok(aclmdlDestroyAIPP(handle))
        ok(aclmdlUnload(id))
    assert [str(finding) for finding in machine.findings if finding.level == "error"] == []


def outputs_of(inputs: Sets) -> bytes:
    """The block of the parameters in its data buffer."""
    return inputs.read(1, (256,), np.uint8).tobytes()


WRONG: dict[str, tuple[Callable[[aclmdlAIPP], Any], str]] = {
    "another format": (lambda its: aclmdlSetAIPPInputFormat(its, 5), "the format"),
    "odd width": (lambda its: (aclmdlSetAIPPInputFormat(its, 1), aclmdlSetAIPPSrcImageSize(its, 21, 16)), "even"),
    "odd height": (lambda its: (aclmdlSetAIPPInputFormat(its, 1), aclmdlSetAIPPSrcImageSize(its, 20, 15)), "even"),
    "odd start": (
        lambda its: (aclmdlSetAIPPInputFormat(its, 1), aclmdlSetAIPPCropParams(its, 1, 1, 0, 2, 2, 1)), "cropStartPosW",
    ),
    "crop too wide": (lambda its: aclmdlSetAIPPCropParams(its, 1, 1, 0, 20, 16, 1), "cropSizeW"),
    "crop too high": (lambda its: aclmdlSetAIPPCropParams(its, 1, 0, 1, 20, 16, 1), "cropSizeH"),
    "resize of another width": (lambda its: aclmdlSetAIPPScfParams(its, 1, 19, 16, 20, 16, 0), "scfInputSizeW"),
    "resize of another height": (lambda its: aclmdlSetAIPPScfParams(its, 1, 20, 17, 20, 16, 0), "scfInputSizeH"),
    "resize too large": (lambda its: aclmdlSetAIPPScfParams(its, 1, 20, 16, 20, 257, 0), "scfOutputSizeH"),
    "padding too wide": (
        lambda its: (
            aclmdlSetAIPPScfParams(its, 1, 20, 16, 320, 16, 0), aclmdlSetAIPPSrcImageSize(its, 1070, 16),
            aclmdlSetAIPPScfParams(its, 0, 0, 0, 0, 0, 0), aclmdlSetAIPPPaddingParams(its, 1, 0, 0, 8, 8, 0),
        ), "1080",
    ),
    "another result": (lambda its: aclmdlSetAIPPPaddingParams(its, 1, 0, 1, 0, 0, 1), "image 1"),
    "another size": (lambda its: aclmdlSetAIPPSrcImageSize(its, 40, 16), "image 0"),
    "too many bytes": (
        lambda its: (
            aclmdlSetAIPPSrcImageSize(its, 40, 33),
            *[aclmdlSetAIPPCropParams(its, 1, 0, 0, 20, 16, i) for i in range(2)],
        ), "7680",
    ),
}  # fmt: skip
"""changes of good parameters that make them wrong, and a word of the text"""


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("call", [aclmdlSetInputAIPP, aclmdlSetAIPPByInputIndex])
def test_parameters_that_do_not_fit(name: str, call: Callable[..., int], machine: Machine, tmp_path: Path) -> None:
    """ "The combination is checked only by SetInputAIPP / SetAIPPByInputIndex (all 100000)"."""
    change, words = WRONG[name]
    id, handle = load(tmp_path, classifier()), rgb()
    with data_sets([16, 256], []) as (inputs, _):
        index = int(call is aclmdlSetInputAIPP)
        ok(call(id, inputs.handle, index, handle))
        change(handle)
        assert_status(call(id, inputs.handle, index, handle), ACL_ERROR_INVALID_PARAM, words)
    ok(aclmdlDestroyAIPP(handle))


@pytest.mark.fidelity("dynamic AIPP (acl_mdl.h)")
def test_the_order_of_a_choice(machine: Machine, tmp_path: Path) -> None:
    """ "null 100000; buffer at index; ... 145012"; "input without dynamic AIPP 500001"."""
    id, other, handle = load(tmp_path, classifier()), load(tmp_path, small(), "other.om"), rgb()
    empty, three = aclmdlCreateAIPP(2), rgb(count=3)
    with data_sets([16, 255], []) as (inputs, _):
        its = inputs.handle
        assert_status(aclmdlSetInputAIPP(9, None, 5, None), ACL_ERROR_INVALID_PARAM, "dataset")
        assert_status(aclmdlSetInputAIPP(9, its, 5, None), ACL_ERROR_INVALID_PARAM, "aippParmsSet")
        assert_status(aclmdlSetInputAIPP(9, its, 2, handle), ACL_ERROR_INVALID_PARAM, "index")
        assert_status(aclmdlSetInputAIPP(9, its, 1, handle), ACL_ERROR_GE_EXEC_MODEL_ID_INVALID)
        assert_status(aclmdlSetInputAIPP(other, its, 1, handle), ACL_ERROR_FAILURE, "no dynamic AIPP")
        assert_status(aclmdlSetAIPPByInputIndex(id, its, 2, handle), ACL_ERROR_INVALID_PARAM, "index")
        for model, index in ((other, 0), (id, 1)):
            assert_status(aclmdlSetAIPPByInputIndex(model, its, index, handle), ACL_ERROR_FAILURE, "no dynamic AIPP")
        for wrong, words in ((empty, "the format"), (three, "batch")):
            assert_status(aclmdlSetInputAIPP(id, its, 1, wrong), ACL_ERROR_INVALID_PARAM, words)
        ok(aclmdlSetAIPPInputFormat(empty, ACL_RGB888_U8))
        assert_status(aclmdlSetInputAIPP(id, its, 1, empty), ACL_ERROR_INVALID_PARAM, "the size of the images")
        assert_status(aclmdlSetInputAIPP(id, its, 1, handle), ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID, "256")
    for its in (handle, empty, three):
        ok(aclmdlDestroyAIPP(its))


@pytest.mark.fidelity("dynamic AIPP (acl_mdl.h)")
def test_parameters_that_nobody_chose_and_images_that_are_short(tmp_path: Path) -> None:
    for choose, words in ((False, "aclmdlSetInputAIPP"), (True, "its data buffer 100")):
        with Machine(on_undefined="report") as machine:
            ok(aclrtSetDevice(0))
            id, handle = load(tmp_path, classifier()), rgb()
            with data_sets([np.zeros(100, np.uint8), np.zeros(256, np.uint8)], [12]) as (inputs, outputs):
                if choose:
                    ok(aclmdlSetInputAIPP(id, inputs.handle, 1, handle))
                status = aclmdlExecute(id, inputs.handle, outputs.handle)
                assert_status(status, ACL_ERROR_RT_AICORE_EXCEPTION, words)
            machine.cut_short = True


@pytest.mark.parametrize(
    ("inputs", "options", "words"),
    [
        ([Tensor("data", np.float32, (1, 3, 4))], {}, "four known sizes"),
        ([Tensor("data", np.float32, (1, 3, 4, 4))], {}, "NCHW or NHWC"),
        ([Tensor("data", np.float32, (-1, 3, 4, 4), "NCHW")], {"gears": batch([1])}, "without gears"),
    ],
)
def test_models_that_cannot_have_dynamic_aipp(inputs: list[Tensor], options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Model(inputs, [], aipp={"data": DynamicAipp(48)}, **options)
    assert StaticAipp("RGB888_U8", 4, 4).shape(1) == (1, 4, 4, 3)
