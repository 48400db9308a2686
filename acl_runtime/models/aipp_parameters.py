"""The parameters of dynamic AIPP: how the model prepares each image of a batch, and their block in device memory.

The block has a header of 64 bytes, and 96 bytes for each image.
"""

import ctypes
from ctypes import c_int8, c_int16, c_int32, c_uint8, c_uint16

import numpy as np

from acl_runtime.objects.handle_table import Thing
from acl_runtime.text import Text


class AippHeader(ctypes.Structure):
    """The parameters that all images of a batch share."""

    _fields_ = (
        ("inputFormat", c_uint8), ("cscSwitch", c_int8), ("rbuvSwapSwitch", c_int8), ("axSwapSwitch", c_int8),
        ("batchNum", c_int8), ("reserve1", c_int8 * 3), ("srcImageSizeW", c_int32), ("srcImageSizeH", c_int32),
        ("cscMatrix", c_int16 * 9), ("reserve2", c_int16 * 3), ("cscOutputBias", c_uint8 * 3),
        ("cscInputBias", c_uint8 * 3), ("reserve3", c_uint8 * 2), ("reserve4", c_int8 * 16),
    )  # fmt: skip


class AippImage(ctypes.Structure):
    """The parameters of one image."""

    _fields_ = (
        ("cropSwitch", c_int8), ("scfSwitch", c_int8), ("paddingSwitch", c_int8), ("rotateSwitch", c_int8),
        ("reserve", c_int8 * 4), ("cropStartPosW", c_int32), ("cropStartPosH", c_int32), ("cropSizeW", c_int32),
        ("cropSizeH", c_int32), ("scfInputSizeW", c_int32), ("scfInputSizeH", c_int32), ("scfOutputSizeW", c_int32),
        ("scfOutputSizeH", c_int32), ("paddingSizeTop", c_int32), ("paddingSizeBottom", c_int32),
        ("paddingSizeLeft", c_int32), ("paddingSizeRight", c_int32), ("dtcPixelMean", c_int16 * 4),
        ("dtcPixelMin", c_uint16 * 4), ("dtcPixelVarReci", c_uint16 * 4), ("reserve1", c_int8 * 16),
    )  # fmt: skip


def block_size(batch: int) -> int:
    """The bytes of the block for a batch."""
    return ctypes.sizeof(AippHeader) + batch * ctypes.sizeof(AippImage)


def half(value: float) -> int:
    """The bits of a FLOAT16."""
    return int(np.float16(value).view(np.uint16))


class AippParameters(Thing):
    """aclmdlAIPP: the parameters for a batch of images."""

    kind = Text("AIPP parameters")
    destroyer = "aclmdlDestroyAIPP"
    leak = "tensor-leaked"

    def __init__(self, batch: int) -> None:
        super().__init__()
        self.batch = batch
        self.header = AippHeader()
        self._images: dict[int, AippImage] = {}
        """the parameters of images that a setter has changed, by index: a batch may be huge"""

    def image(self, index: int) -> AippImage:
        """The parameters of an image, to read or to change."""
        if index not in self._images:
            self._images[index] = AippImage(dtcPixelVarReci=(half(1.0),) * 4)
        return self._images[index]

    def changed(self) -> list[int]:
        """The indexes of the images that setters have changed."""
        return sorted(self._images)

    def block(self) -> bytes:
        """The block as the model reads it."""
        self.header.batchNum = self.batch
        return bytes(self.header) + b"".join(bytes(self.image(index)) for index in range(self.batch))
