"""The objects behind aclmdlDesc and aclmdlDataset."""

from collections.abc import Iterator
from typing import Final

from acl_runtime.headers.enums import ACL_MAX_TENSOR_NAME_LEN
from acl_runtime.models import described
from acl_runtime.models.described import Described
from acl_runtime.models.gears import Gear
from acl_runtime.models.statement import Model
from acl_runtime.objects.handle_table import Thing
from acl_runtime.text import Text

LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"


class ModelDescription(Thing):
    """aclmdlDesc: a copy of what a model says about itself, so it stays readable when the model is unloaded."""

    kind = Text("model description")
    destroyer = "aclmdlDestroyDesc"

    def __init__(self) -> None:
        super().__init__()
        self.clear()

    def clear(self) -> None:
        """Describe nothing."""
        self.model: Model | None = None
        self.id = 0
        """the id of the loaded model; 0 for a model that is not loaded"""
        self.inputs: list[Described] = []
        self.outputs: list[Described] = []
        self.real_names: dict[str, str] = {}
        """the names in the model, by the names that the queries return"""
        self.texts: dict[str, bytes] = {}
        """the bytes of texts to which the program may have pointers"""

    def describe(self, model: Model, id: int = 0) -> None:
        """Describe a model."""
        self.model, self.id = model, id
        self.inputs, self.outputs = described.inputs(model), described.outputs(model)
        stated = {side.name for side in (*self.inputs, *self.outputs)}
        self.inputs = [self._named(each, f"acl_modelId_{id}_input_{i}", stated) for i, each in enumerate(self.inputs)]
        self.outputs = [
            self._named(each, f"acl_modelId_{id}_output_{i}", stated) for i, each in enumerate(self.outputs)
        ]

    def _named(self, tensor: Described, short: str, stated: set[str]) -> Described:
        """The tensor with a name that fits aclmdlIODims. A longer one is replaced: "with `_a` ... `_zzz` appended if
        that name exists"."""
        name = tensor.name
        if len(name.encode()) >= ACL_MAX_TENSOR_NAME_LEN:
            name = next(candidate for candidate in _candidates(short) if candidate not in stated)
        self.real_names[name] = tensor.name
        return tensor._replace(name=name)


def _candidates(name: str) -> Iterator[str]:
    yield name
    endings = [""]
    while True:
        endings = [ending + letter for ending in endings for letter in LETTERS]
        yield from (f"{name}_{ending}" for ending in endings)


class DataSet(Thing):
    """aclmdlDataset: the data buffers for the inputs or for the outputs, in their order."""

    kind = Text("data set")
    destroyer = "aclmdlDestroyDataset"

    def __init__(self) -> None:
        super().__init__()
        self.buffers: list[int] = []
        """handles of data buffers, which the data set does not own"""
        self.descriptors: dict[int, int] = {}
        """handles of tensor descriptors by index; the data set owns them"""
        self.gear: Gear = ()
        """the gear that a setter has put into its buffer; empty before that"""
