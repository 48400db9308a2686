"""acl/acl_mdl.h: the parameters of dynamic AIPP that each image of a batch has for itself."""

from collections.abc import Mapping, Sequence
from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.api.live_objects import required
from acl_runtime.api.mdl.aipp_setters import LARGEST, PARAMETERS, SWITCH, check_range
from acl_runtime.api.mdl.lookup import DEAD, HEADER
from acl_runtime.api.refusals import invalid
from acl_runtime.boundary import acl_api
from acl_runtime.models.aipp_parameters import AippImage, AippParameters, half

BYTE: Final = (0, 255)
START: Final = (0, LARGEST - 1)
SIZE: Final = (1, LARGEST)
RESIZED: Final = (16, LARGEST)
RESIZED_WIDTH: Final = (16, 1920)
PADDING: Final = (0, 32)
RECIPROCAL: Final = (-65504, 65504)
NO_IMAGE: Final = (
    "ACL_ERROR_INVALID_PARAM",
    "`aippParmsSet` is null, the batch has no image `batchIndex`, or a value is out of its range.",
)


@acl_api(HEADER, also=(NO_IMAGE, DEAD), pyacl="mdl.set_aipp_scf_params")
def aclmdlSetAIPPScfParams(
    aippParmsSet: c.aclmdlAIPP_p,
    scfSwitch: c.int8_t,
    scfInputSizeW: c.int32_t,
    scfInputSizeH: c.int32_t,
    scfOutputSizeW: c.int32_t,
    scfOutputSizeH: c.int32_t,
    batchIndex: c.uint64_t,
) -> c.aclError:
    """Set the resize of an image: sizes from 16 to 4096, the width of the result to 1920. A switch of 0 turns it off,
    and the call then ignores the sizes.

    Returns:
        ACL_SUCCESS: set.
    """
    image = _image(aippParmsSet, batchIndex)
    values = {
        "scfInputSizeW": (scfInputSizeW, RESIZED),
        "scfInputSizeH": (scfInputSizeH, RESIZED),
        "scfOutputSizeW": (scfOutputSizeW, RESIZED_WIDTH),
        "scfOutputSizeH": (scfOutputSizeH, RESIZED),
    }
    _switch(image, "scfSwitch", scfSwitch, values)


@acl_api(HEADER, also=(NO_IMAGE, DEAD), pyacl="mdl.set_aipp_crop_params")
def aclmdlSetAIPPCropParams(
    aippParmsSet: c.aclmdlAIPP_p,
    cropSwitch: c.int8_t,
    cropStartPosW: c.int32_t,
    cropStartPosH: c.int32_t,
    cropSizeW: c.int32_t,
    cropSizeH: c.int32_t,
    batchIndex: c.uint64_t,
) -> c.aclError:
    """Set the part of an image that is cut out: starts from 0 to 4095, sizes from 1 to 4096. A switch of 0 turns it
    off, and the call then ignores the other values.

    Returns:
        ACL_SUCCESS: set.
    """
    image = _image(aippParmsSet, batchIndex)
    values = {
        "cropStartPosW": (cropStartPosW, START),
        "cropStartPosH": (cropStartPosH, START),
        "cropSizeW": (cropSizeW, SIZE),
        "cropSizeH": (cropSizeH, SIZE),
    }
    _switch(image, "cropSwitch", cropSwitch, values)


@acl_api(HEADER, also=(NO_IMAGE, DEAD), pyacl="mdl.set_aipp_padding_params")
def aclmdlSetAIPPPaddingParams(
    aippParmsSet: c.aclmdlAIPP_p,
    paddingSwitch: c.int8_t,
    paddingSizeTop: c.int32_t,
    paddingSizeBottom: c.int32_t,
    paddingSizeLeft: c.int32_t,
    paddingSizeRight: c.int32_t,
    batchIndex: c.uint64_t,
) -> c.aclError:
    """Set the padding of an image: 0 to 32 at each side. A switch of 0 turns it off, and the call then ignores the
    sizes.

    Returns:
        ACL_SUCCESS: set.
    """
    image = _image(aippParmsSet, batchIndex)
    sizes = {
        "paddingSizeTop": paddingSizeTop,
        "paddingSizeBottom": paddingSizeBottom,
        "paddingSizeLeft": paddingSizeLeft,
        "paddingSizeRight": paddingSizeRight,
    }
    _switch(image, "paddingSwitch", paddingSwitch, {name: (size, PADDING) for name, size in sizes.items()})


@acl_api(HEADER, also=(NO_IMAGE, DEAD), pyacl="mdl.set_aipp_dtc_pixel_mean")
def aclmdlSetAIPPDtcPixelMean(
    aippParmsSet: c.aclmdlAIPP_p,
    dtcPixelMeanChn0: c.int16_t,
    dtcPixelMeanChn1: c.int16_t,
    dtcPixelMeanChn2: c.int16_t,
    dtcPixelMeanChn3: c.int16_t,
    batchIndex: c.uint64_t,
) -> c.aclError:
    """Set the mean of each channel of an image: 0 to 255.

    Returns:
        ACL_SUCCESS: set.
    """
    values = dtcPixelMeanChn0, dtcPixelMeanChn1, dtcPixelMeanChn2, dtcPixelMeanChn3
    image = _image(aippParmsSet, batchIndex)
    _check_channels("dtcPixelMean", values, BYTE)
    image.dtcPixelMean = values


@acl_api(HEADER, also=(NO_IMAGE, DEAD), pyacl="mdl.set_aipp_dtc_pixel_min")
def aclmdlSetAIPPDtcPixelMin(
    aippParmsSet: c.aclmdlAIPP_p,
    dtcPixelMinChn0: c.float_,
    dtcPixelMinChn1: c.float_,
    dtcPixelMinChn2: c.float_,
    dtcPixelMinChn3: c.float_,
    batchIndex: c.uint64_t,
) -> c.aclError:
    """Set the least value of each channel of an image: 0 to 255, kept as FLOAT16.

    Returns:
        ACL_SUCCESS: set.
    """
    values = dtcPixelMinChn0, dtcPixelMinChn1, dtcPixelMinChn2, dtcPixelMinChn3
    image = _image(aippParmsSet, batchIndex)
    _check_channels("dtcPixelMin", values, BYTE)
    image.dtcPixelMin = tuple(map(half, values))


@acl_api(HEADER, also=(NO_IMAGE, DEAD), pyacl="mdl.set_aipp_pixel_var_reci")
def aclmdlSetAIPPPixelVarReci(
    aippParmsSet: c.aclmdlAIPP_p,
    dtcPixelVarReciChn0: c.float_,
    dtcPixelVarReciChn1: c.float_,
    dtcPixelVarReciChn2: c.float_,
    dtcPixelVarReciChn3: c.float_,
    batchIndex: c.uint64_t,
) -> c.aclError:
    """Set the reciprocal of each channel's variance for an image: -65504 to 65504, kept as FLOAT16. Before, it is 1.

    Returns:
        ACL_SUCCESS: set.
    """
    values = dtcPixelVarReciChn0, dtcPixelVarReciChn1, dtcPixelVarReciChn2, dtcPixelVarReciChn3
    image = _image(aippParmsSet, batchIndex)
    _check_channels("dtcPixelVarReci", values, RECIPROCAL)
    image.dtcPixelVarReci = tuple(map(half, values))


def _image(handle: int, index: int) -> AippImage:
    """The parameters of an image; 100000 if the batch has no such image."""
    parameters = required(handle, AippParameters, PARAMETERS)
    if index >= parameters.batch:
        raise invalid(index, "batchIndex", f"less than the {parameters.batch} images")
    return parameters.image(index)


def _switch(image: AippImage, name: str, value: int, others: Mapping[str, tuple[int, tuple[int, int]]]) -> None:
    """Store a switch, and, if it turns something on, the values by name, each with its range."""
    check_range(name, value, SWITCH)
    if value:
        for other, (number, bounds) in others.items():
            check_range(other, number, bounds)
        for other, (number, _) in others.items():
            setattr(image, other, number)
    setattr(image, name, value)


def _check_channels(name: str, values: Sequence[float], bounds: tuple[int, int]) -> None:
    for channel, value in enumerate(values):
        check_range(f"{name}Chn{channel}", value, bounds)
