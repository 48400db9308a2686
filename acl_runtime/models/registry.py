"""`machine.models`: the statements of models by name, and the models that the program has loaded."""

from acl_runtime.models.loaded import LoadedModel
from acl_runtime.models.statement import Model


class Models(dict["str | bytes", Model]):
    """The statements: `machine.models["resnet50.om"] = Model(inputs, outputs, run)`.

    A name is the path of a file, the last part of it, or a pattern for that part, such as `*.om`. Bytes are the begin
    of the content of models that are loaded from memory. `acl_runtime.models.files` finds the statement of a model."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: dict[int, LoadedModel] = {}
        """the loaded models by id"""
        self.unloaded: dict[int, LoadedModel] = {}
        """the models that were unloaded, by id"""

    def __setitem__(self, name: str | bytes, model: Model) -> None:
        if not isinstance(name, str | bytes) or not isinstance(model, Model):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"models have a name and a Model, not {name!r} and {model!r}")
        super().__setitem__(name, model)

    def next_id(self) -> int:
        """The id for the next load. "starting at 1, +1 for each load, never reused"."""
        return len(self.loaded) + len(self.unloaded) + 1
