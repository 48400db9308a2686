"""acl/acl_mdl.h: the parameters of dynamic AIPP. The setters judge only ranges; aclmdlSetInputAIPP judges the whole."""

from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.api.live_objects import discard_required, required
from acl_runtime.api.mdl.lookup import DEAD, HEADER
from acl_runtime.api.refusals import invalid
from acl_runtime.boundary import acl_api
from acl_runtime.headers.enums import aclAippInputFormat
from acl_runtime.headers.handles import aclmdlAIPP
from acl_runtime.machine.current import current
from acl_runtime.models.aipp_parameters import AippParameters

PARAMETERS: Final = "aippParmsSet"
FORMATS: Final = frozenset(map(int, aclAippInputFormat)) - {int(aclAippInputFormat.ACL_AIPP_RESERVED)}
LARGEST: Final = 4096
SWITCH: Final = (0, 1)
SOURCE: Final = ((2, LARGEST), (1, LARGEST))
MATRIX: Final = (-32677, 32676)
NULL: Final = ("ACL_ERROR_INVALID_PARAM", "`aippParmsSet` is null, or a value is out of its range.")


@acl_api(HEADER)
def aclmdlCreateAIPP(batchSize: c.uint64_t) -> c.new_aclmdlAIPP:
    """Create the parameters of dynamic AIPP for a batch of images; null for a batch of 0."""
    return aclmdlAIPP(current().handles.add(AippParameters(batchSize)) if batchSize else 0)


@acl_api(HEADER, also=(DEAD,))
def aclmdlDestroyAIPP(aippParmsSet: c.const_aclmdlAIPP_p) -> c.aclError:
    """Destroy the parameters of dynamic AIPP. Data sets that got them keep their values.

    Returns:
        ACL_SUCCESS: destroyed.
        ACL_ERROR_INVALID_PARAM: `aippParmsSet` is null.
    """
    discard_required(aippParmsSet, AippParameters, PARAMETERS)


@acl_api(HEADER, also=(DEAD,), pyacl="mdl.set_aipp_input_format")
def aclmdlSetAIPPInputFormat(aippParmsSet: c.aclmdlAIPP_p, inputFormat: c.aclAippInputFormat) -> c.aclError:
    """Set the format of the images.

    Returns:
        ACL_SUCCESS: set.
        ACL_ERROR_INVALID_PARAM: `aippParmsSet` is null, or there is no such format.
    """
    header = required(aippParmsSet, AippParameters, PARAMETERS).header
    if inputFormat not in FORMATS:
        raise invalid(inputFormat, "inputFormat", f"an aclAippInputFormat from {min(FORMATS)} to {max(FORMATS)}")
    header.inputFormat = inputFormat


@acl_api(HEADER, also=(NULL, DEAD), pyacl="mdl.set_aipp_csc_params")
def aclmdlSetAIPPCscParams(
    aippParmsSet: c.aclmdlAIPP_p,
    cscSwitch: c.int8_t,
    cscMatrixR0C0: c.int16_t,
    cscMatrixR0C1: c.int16_t,
    cscMatrixR0C2: c.int16_t,
    cscMatrixR1C0: c.int16_t,
    cscMatrixR1C1: c.int16_t,
    cscMatrixR1C2: c.int16_t,
    cscMatrixR2C0: c.int16_t,
    cscMatrixR2C1: c.int16_t,
    cscMatrixR2C2: c.int16_t,
    cscOutputBiasR0: c.uint8_t,
    cscOutputBiasR1: c.uint8_t,
    cscOutputBiasR2: c.uint8_t,
    cscInputBiasR0: c.uint8_t,
    cscInputBiasR1: c.uint8_t,
    cscInputBiasR2: c.uint8_t,
) -> c.aclError:
    """Set the conversion of colours. A switch of 0 turns it off, and the call then ignores the other values.

    Returns:
        ACL_SUCCESS: set.
    """
    header = required(aippParmsSet, AippParameters, PARAMETERS).header
    check_range("cscSwitch", cscSwitch, SWITCH)
    if cscSwitch:
        matrix = (
            cscMatrixR0C0, cscMatrixR0C1, cscMatrixR0C2, cscMatrixR1C0, cscMatrixR1C1, cscMatrixR1C2,
            cscMatrixR2C0, cscMatrixR2C1, cscMatrixR2C2,
        )  # fmt: skip
        for i, value in enumerate(matrix):
            check_range(f"cscMatrixR{i // 3}C{i % 3}", value, MATRIX)
        header.cscMatrix = matrix
        header.cscOutputBias = cscOutputBiasR0, cscOutputBiasR1, cscOutputBiasR2
        header.cscInputBias = cscInputBiasR0, cscInputBiasR1, cscInputBiasR2
    header.cscSwitch = cscSwitch


@acl_api(HEADER, also=(NULL, DEAD), pyacl="mdl.set_aipp_rbuv_swap_switch")
def aclmdlSetAIPPRbuvSwapSwitch(aippParmsSet: c.aclmdlAIPP_p, rbuvSwapSwitch: c.int8_t) -> c.aclError:
    """Set the switch that swaps R and B, or U and V.

    Returns:
        ACL_SUCCESS: set.
    """
    header = required(aippParmsSet, AippParameters, PARAMETERS).header
    check_range("rbuvSwapSwitch", rbuvSwapSwitch, SWITCH)
    header.rbuvSwapSwitch = rbuvSwapSwitch


@acl_api(HEADER, also=(NULL, DEAD), pyacl="mdl.set_aipp_ax_swap_switch")
def aclmdlSetAIPPAxSwapSwitch(aippParmsSet: c.aclmdlAIPP_p, axSwapSwitch: c.int8_t) -> c.aclError:
    """Set the switch that moves the first channel to the end: RGBA of ARGB, YUVA of AYUV.

    Returns:
        ACL_SUCCESS: set.
    """
    header = required(aippParmsSet, AippParameters, PARAMETERS).header
    check_range("axSwapSwitch", axSwapSwitch, SWITCH)
    header.axSwapSwitch = axSwapSwitch


@acl_api(HEADER, also=(NULL, DEAD), pyacl="mdl.set_aipp_src_image_size")
def aclmdlSetAIPPSrcImageSize(
    aippParmsSet: c.aclmdlAIPP_p, srcImageSizeW: c.int32_t, srcImageSizeH: c.int32_t
) -> c.aclError:
    """Set the width (2 to 4096) and the height (1 to 4096) of the images.

    Returns:
        ACL_SUCCESS: set.
    """
    header = required(aippParmsSet, AippParameters, PARAMETERS).header
    check_range("srcImageSizeW", srcImageSizeW, SOURCE[0])
    check_range("srcImageSizeH", srcImageSizeH, SOURCE[1])
    header.srcImageSizeW, header.srcImageSizeH = srcImageSizeW, srcImageSizeH


def check_range(name: str, value: float, bounds: tuple[int, int]) -> None:
    """100000 for a value out of its range, and for NaN."""
    low, high = bounds
    if not low <= value <= high:
        raise invalid(value, name, f"a value from {low} to {high}")
