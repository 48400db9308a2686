"""Offline models: what a test states about a model, and the objects behind the functions of acl/acl_mdl.h.

The content of an `.om` file is not public, so nothing here reads it. A test states the model instead:

    from acl_runtime.models import Model, Tensor

    machine.models["resnet50.om"] = Model(
        [Tensor("data", np.float16, (1, 3, 224, 224), "NCHW")],
        [Tensor("prob", np.float32, (1, 1000))],
        run=classify,                                    # a function of a dict of arrays
    )

    statement    `Model` and `Tensor`: names, types, sizes, and the function that computes
    gears        the sizes that a model was built for: batch sizes, image sizes, sizes of dimensions
    images       inputs whose images the model prepares itself (AIPP)
    aipp_parameters   the parameters of dynamic AIPP, and their block in memory
    described    the inputs and outputs as the queries of acl_mdl.h return them
    from_json    a statement in a JSON file beside the model, for programs in C and C++
    from_onnx    a statement from an ONNX file beside the model, which onnxruntime runs
    registry     `machine.models`: the statements by name, and the models that the program has loaded
    files        finds the statement of a model, by its path or its content
    loaded       a loaded model
    objects      the objects behind aclmdlDesc and aclmdlDataset

Design. The statement drives every query, and there is no default model: a query that a test did not state an answer for
would hide the mistake that the test is there to find. The function gets the arrays of the current sizes and knows
nothing of streams, so the same function serves every schedule. The execution is a task of a stream with the memory that
it uses (`acl_runtime.api.mdl.launching`), so all checks of tasks apply to it.

Rejected. A parser of `.om` files: the format is not published. Recorded answers of a device: they fit one input only.
"""

from acl_runtime.models.gears import batch, dims, hw
from acl_runtime.models.images import DynamicAipp, StaticAipp
from acl_runtime.models.statement import Model, Tensor

__all__ = ["DynamicAipp", "Model", "StaticAipp", "Tensor", "batch", "dims", "hw"]
