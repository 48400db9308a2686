"""The objects of the single-operator interface, which is older than aclnn: descriptions of tensors, attributes."""

from typing import Any

from acl_runtime.headers.dtype_names import dtype_name
from acl_runtime.objects.handle_table import Thing
from acl_runtime.text import Text


class TensorDesc(Thing):
    """aclTensorDesc: data type, shape and format of a tensor, and shape and format of its storage."""

    kind = Text("tensor descriptor")
    destroyer = "aclDestroyTensorDesc"

    def __init__(self, dtype: int, shape: tuple[int, ...], format: int) -> None:
        super().__init__()
        self.dtype = dtype
        self.shape = self.storage_shape = shape
        self.format = self.storage_format = format
        self.name = ""
        self.placement = 0
        """an aclMemType"""
        self.constant: bytes | None = None
        """the value of a constant on the host"""
        self.list_name = ""
        """the name of the list of inputs that contains the tensor (aclSetTensorDynamicInput)"""
        self.ranges: dict[str, tuple[tuple[int, int], ...]] = {}
        """the ranges of aclSetTensorShapeRange and aclSetTensorValueRange: pairs of the least and the greatest"""

    def copy(self) -> "TensorDesc":
        """A description that the program cannot change."""
        copy = TensorDesc(self.dtype, self.shape, self.format)
        vars(copy).update(vars(self))
        return copy

    def content(self) -> object:
        """The values for which an operator is compiled."""
        formats = self.format, self.storage_format
        return self.dtype, self.shape, self.storage_shape, formats, self.placement, self.constant

    def __str__(self) -> str:
        return f"{self.kind} {self.ordinal} ({dtype_name(self.dtype)} {list(self.shape)})"

    @property
    def label(self) -> str:
        return f"{self.kind} {self.ordinal}"


class OpAttributes(Thing):
    """aclopAttr: values by name, copied when they are set."""

    kind = Text("operator attributes")
    destroyer = "aclopDestroyAttr"

    def __init__(self) -> None:
        super().__init__()
        self.values: dict[str, Any] = {}
