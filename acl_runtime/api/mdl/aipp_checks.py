"""The parameters of dynamic AIPP as a whole: whether they fit each other, and the model. All refusals are 100000."""

from typing import Final

from acl_runtime.api.refusals import invalid
from acl_runtime.headers.enums import aclFormat
from acl_runtime.machine.current import current
from acl_runtime.models.aipp_parameters import AippImage, AippParameters
from acl_runtime.models.images import DYNAMIC, DynamicAipp, StaticAipp
from acl_runtime.models.statement import Model
from acl_runtime.objects.soc import Series

RATIO: Final = 16
"""a resize makes an image at most so many times larger or smaller"""
WIDEST: Final = 1080
HALVED: Final = "YUV420SP_U8"
"""the format that has one pair of colours for two rows and two columns"""


def check_images(parameters: AippParameters) -> None:
    """The format and the sizes of the images, and what is done to each."""
    header = parameters.header
    if header.inputFormat not in DYNAMIC:
        raise invalid(
            header.inputFormat or "nothing", "the format of the images", f"one of {', '.join(DYNAMIC.values())}"
        )
    width, height = int(header.srcImageSizeW), int(header.srcImageSizeH)
    if not width or not height:
        raise invalid("nothing", "the size of the images", "a width and a height (aclmdlSetAIPPSrcImageSize)")
    even = DYNAMIC[header.inputFormat] == HALVED
    _check_even(even, srcImageSizeW=width, srcImageSizeH=height)
    for index in parameters.changed():
        _check_image(parameters.image(index), width, height, even=even)


def check_result(model: Model, parameters: AippParameters) -> None:
    """The sizes after the preparation are those of the model, and the images fit into the memory of its input."""
    at = model.dynamic_aipp
    assert at is not None, "judged before"
    tensor, header = model.inputs[at], parameters.header
    shape, channels_first = tensor.shape, tensor.format == aclFormat.ACL_FORMAT_NCHW
    if parameters.batch != shape[0]:
        raise invalid(parameters.batch, "the batch of the parameters", f"{shape[0]}, the batch of the model")
    expected = (shape[3], shape[2]) if channels_first else (shape[2], shape[1])
    source = int(header.srcImageSizeW), int(header.srcImageSizeH)
    for index in range(parameters.batch):
        result = _result(parameters.image(index), *source)
        if result != expected:
            text = f"the width and height {list(expected)} of the model"
            raise invalid(list(result), f"the size of image {index} after its preparation", text)
    image, used = model.aipp[tensor.name], StaticAipp(DYNAMIC[header.inputFormat], source[1], source[0])
    assert isinstance(image, DynamicAipp), "the index is that of such an input"
    rows = used.shape(parameters.batch)
    size = rows[0] * rows[1] * rows[2] * rows[3]
    if size > image.size:
        raise invalid(size, "the bytes of the images", f"{image.size} or less, as the model was built")


def _check_even(even: bool, **values: int) -> None:
    for name, value in values.items():
        if even and value % 2:
            raise invalid(value, name, f"an even number for {HALVED}")


def _check_image(image: AippImage, width: int, height: int, *, even: bool) -> None:
    """The crop, the resize and the padding of an image."""
    if image.cropSwitch:
        _check_even(even, cropStartPosW=image.cropStartPosW, cropStartPosH=image.cropStartPosH)
        for name, end, size in (
            ("W", image.cropStartPosW + image.cropSizeW, width),
            ("H", image.cropStartPosH + image.cropSizeH, height),
        ):
            if end > size:
                raise invalid(end, f"cropStartPos{name} + cropSize{name}", f"{size} or less, the size of the image")
        width, height = image.cropSizeW, image.cropSizeH
    if image.scfSwitch:
        sides = (("W", image.scfInputSizeW, width, image.scfOutputSizeW),
                 ("H", image.scfInputSizeH, height, image.scfOutputSizeH))  # fmt: skip
        for name, size, before, after in sides:
            if size != before:
                raise invalid(size, f"scfInputSize{name}", f"{before}, the size of the image or of its crop")
            if not size <= after * RATIO <= size * RATIO * RATIO:
                raise invalid(after, f"scfOutputSize{name}", f"from 1/{RATIO} to {RATIO} times {size}")
    padded = _result(image, width, height, cropped=True)[0]
    wide = current().soc.series is not Series.A200I_500_A2
    if image.paddingSwitch and padded > WIDEST and wide:
        raise invalid(padded, "the width after the padding", f"{WIDEST} or less")


def _result(image: AippImage, width: int, height: int, *, cropped: bool = False) -> tuple[int, int]:
    """The width and the height of an image after crop, resize and padding."""
    if image.cropSwitch and not cropped:
        width, height = image.cropSizeW, image.cropSizeH
    if image.scfSwitch:
        width, height = image.scfOutputSizeW, image.scfOutputSizeH
    if image.paddingSwitch:
        width += image.paddingSizeLeft + image.paddingSizeRight
        height += image.paddingSizeTop + image.paddingSizeBottom
    return width, height
