"""Inputs whose images the model prepares itself (AIPP): the program passes the bytes of an image decoder."""

from dataclasses import dataclass
from typing import Final

from acl_runtime.headers.dtypes import Shape
from acl_runtime.headers.enums import ACL_DYNAMIC_AIPP_NAME, aclAippInputFormat

AIPP_INPUT: Final = ACL_DYNAMIC_AIPP_NAME
"""the name of the additional input with the parameters of dynamic AIPP"""
FORMATS: Final = {
    "YUV420SP_U8": (3, 1), "YUV422SP_U8": (4, 1), "YUV400_U8": (2, 1), "YUYV_U8": (2, 2), "RGB888_U8": (2, 3),
    "XRGB8888_U8": (2, 4), "ARGB8888_U8": (2, 4), "AYUV444_U8": (2, 4),
}  # fmt: skip
"""rows for two rows of the image, and bytes for each of its columns, by format"""
DYNAMIC: Final = {int(aclAippInputFormat[f"ACL_{name}"]): name for name in (
    "YUV420SP_U8", "XRGB8888_U8", "RGB888_U8", "YUV400_U8",
)}  # fmt: skip
"""formats of dynamic AIPP by number: "format other than the first four" is refused"""


@dataclass(frozen=True)
class StaticAipp:
    """The image that an input takes: its format, height and width."""

    format: str
    height: int
    width: int

    def __post_init__(self) -> None:
        if self.format not in FORMATS:
            raise ValueError(f"{self.format!r} is no image format: {', '.join(FORMATS)}")

    def shape(self, batch: int) -> Shape:
        """The shape of the bytes of a batch of images."""
        rows, channels = FORMATS[self.format]
        return batch, self.height * rows // 2, self.width, channels


@dataclass(frozen=True)
class DynamicAipp:
    """Images whose format and size the program states for each run, with aclmdlSetInputAIPP."""

    size: int
    """bytes of the largest images, of the whole batch"""

    def shape(self, batch: int) -> Shape:
        """The shape of the bytes of the largest images, which is the same for all batches."""
        return (self.size,)
