"""A model that a program has loaded."""

from acl_runtime.memory.allocation import Allocation
from acl_runtime.models.gears import Gear
from acl_runtime.models.statement import Model
from acl_runtime.objects.handle_table import Thing
from acl_runtime.streams.stream import Context, Stream, Task
from acl_runtime.text import Text


class SynchronousStream(Stream):
    """The stream in which the synchronous executions of a model run. It has no handle and ends with the model."""

    def __init__(self, model: "LoadedModel", context: Context) -> None:
        super().__init__(context)
        self._model = model

    def __str__(self) -> str:
        return Text("the stream of {model}", model=self._model)


class LoadedModel(Thing):
    """A loaded model. A program knows it by its id; ids are never used again."""

    kind = Text("model")
    destroyer = "aclmdlUnload"

    def __init__(self, id: int, name: str, model: Model, context: Context) -> None:
        super().__init__()
        self.ordinal = self.id = id
        self.name = name
        """the file; for a model from memory its key in `machine.models`"""
        self.model = model
        self.context = context
        """the context in which it was loaded"""
        self.work: tuple[int, int] = (0, 0)
        """work memory: address and size"""
        self.weights: tuple[int, int] = (0, 0)
        """memory for weights that the program gave it: address and size"""
        self.own_work: Allocation | None = None
        """work memory that the load allocated"""
        self.gear: Gear = ()
        """the gear that was set last; empty before the first"""
        self.last: dict[Stream, Task] = {}
        """the last execution in each stream"""
        self.stream: SynchronousStream | None = None

    def __str__(self) -> str:
        return f"{self.kind} {self.id} ({self.name})"
