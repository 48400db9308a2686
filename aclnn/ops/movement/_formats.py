"""The private formats that aclnnNpuFormatCast supports, and the shapes of storage in them."""

from typing import Final

from aclnn.op import ORDERS, ROWS, Shape, aclFormat, storage, up
from aclnn.ops.movement._formats_950 import NZ

F = aclFormat
PAIRS: Final = {
    (F.ACL_FORMAT_ND, F.ACL_FORMAT_FRACTAL_NZ), (F.ACL_FORMAT_NCL, F.ACL_FORMAT_FRACTAL_NZ),
    (F.ACL_FORMAT_NCDHW, F.ACL_FORMAT_NDC1HWC0), (F.ACL_FORMAT_NDHWC, F.ACL_FORMAT_NDC1HWC0),
    (F.ACL_FORMAT_NCDHW, F.ACL_FRACTAL_Z_3D), (F.ACL_FORMAT_NCHW, F.ACL_FORMAT_NC1HWC0),
    (F.ACL_FORMAT_NHWC, F.ACL_FORMAT_NC1HWC0), (F.ACL_FORMAT_NCHW, F.ACL_FORMAT_FRACTAL_Z),
    (F.ACL_FORMAT_HWCN, F.ACL_FORMAT_FRACTAL_Z),
}  # fmt: skip
"""pairs of formats that can be cast in both directions"""
PRIVATE: Final = frozenset(target for _, target in PAIRS)
SAME_TYPE: Final = {
    (F.ACL_FORMAT_NCHW, F.ACL_FORMAT_FRACTAL_NZ), (F.ACL_FORMAT_NCDHW, F.ACL_FORMAT_FRACTAL_NZ),
}  # fmt: skip
"""further pairs, which need additionalDtype to be the data type of the source"""


def storage_shape(source: Shape, form: int, target: int, c0: int) -> Shape | None:
    """The shape of the storage of a tensor of `form` that is cast to the format `target`; None if its rank does not fit
    the format."""
    if target not in PRIVATE and target not in NZ:
        return source
    if target in NZ:
        if len(source) < 2:
            return None
        *batch, rows, columns = source
        return *batch, up(columns, c0), up(rows, ROWS), ROWS, c0
    names = ORDERS[form]
    if len(names) != len(source):
        return None
    return storage(target, source, names, c0)
