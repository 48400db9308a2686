"""The operators: one folder for each family, one file for each operator or for operators that are alike.

Most operators are made from the facts of the catalogue. Their file has the relations of the contract, and the formula
(`aclnn.engine.operator`). `MODULES` says which module has which operator; the functions of an operator are made when
they are first used.

Five operators have a class of their own. The file of such an operator reads like its document. The class is the
declaration: parameters with their data types by product, and the checks in the order in which the library makes them.
`plan` says which steps the operator takes. The kernel is a plain function of numpy arrays, and states the formula as
the document does. Two names come out of it, the two C functions.

Design. These five have contracts of their own, sentence by sentence, with their own statuses and roundings. Nothing in
here is repeated that the engine can derive: help, prototype, stub, header, page and most tests follow from the class or
the facts. `grep -rn aclnnAdd aclnn/` finds the facts, the declaration and the formula of an operator at once.

Rejected. A decorator that registers an operator when its module is imported: which operators there are would depend
on what was imported. A folder for each operator: its parts would have to be read in four files.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, Final

FIRST: Final = "GetWorkspaceSize"
"""the end of the name of a first phase"""
MODULES: Final[Mapping[str, tuple[str, ...]]] = {
    "aclnn.ops.elementwise.arithmetic": (
        "aclnnAdd", "aclnnInplaceAdd", "aclnnAdds", "aclnnInplaceAdds", "aclnnSub", "aclnnInplaceSub", "aclnnMul",
        "aclnnInplaceMul", "aclnnMuls", "aclnnInplaceMuls", "aclnnDiv", "aclnnInplaceDiv",
    ),
    "aclnn.ops.movement.private_formats": ("aclnnTransMatmulWeight", "aclnnNpuFormatCast"),
    "aclnn.ops.matmul.products": ("aclnnMatmul", "aclnnMm"),
    "aclnn.ops.movement.cat": ("aclnnCat",),
    "aclnn.ops.movement.split": ("aclnnSplitTensor",),
    "aclnn.ops.sorting.sort": ("aclnnSort",),
    "aclnn.ops.indexing.nonzero": ("aclnnNonzero",),
    "aclnn.ops.elementwise.conversion": (
        "aclnnCast", "aclnnInplaceCopy", "aclnnInplaceZero", "aclnnInplaceFillScalar",
    ),
    "aclnn.ops.activation.relu": ("aclnnRelu", "aclnnInplaceRelu"),
    "aclnn.ops.activation.softmax": ("aclnnSoftmax", "aclnnLogSoftmax"),
    "aclnn.ops.indexing.embedding": ("aclnnEmbedding",),
    "aclnn.ops.loss.cross_entropy": ("aclnnCrossEntropyLoss",),
    "aclnn.ops.norm.synchronised_batch": ("aclnnBatchNormElemtBackward",),
    "aclnn.ops.optimiser.adam": ("aclnnApplyAdamWV2",),
    "aclnn.ops.reduction.sums": ("aclnnReduceSum", "aclnnMean"),
}  # fmt: skip
"""by module, the operators that are made from facts"""
ON_HOST: Final[Mapping[str, tuple[str, ...]]] = {
    "aclnn.ops.movement.private_formats": (
        "aclnnCalculateMatmulWeightSize", "aclnnCalculateMatmulWeightSizeV2",
        "aclnnNpuFormatCastCalculateSizeAndFormat",
    ),
}  # fmt: skip
"""by module, the functions without a second phase"""


EXACT: Final = frozenset({
    "aclnnBatchNormReduceBackward", "aclnnCrossEntropyLossGrad", "aclnnEmbeddingDenseBackward", "aclnnPreluBackward",
    "aclnnSoftmaxBackward",
})  # fmt: skip
"""the operators with a class of their own"""


def names() -> Iterator[str]:
    """The names of all documented functions but these: both phases, or one if there is no second phase."""
    from aclnn.catalogue.index import names, single_phase  # late: `import aclnn` does not read the catalogue

    single = single_phase()
    for name in names():
        if name not in EXACT:
            yield from (name,) if name in single else (name, f"{name}{FIRST}")


def function(name: str) -> Any:
    """The function of a name."""
    if not name.startswith("aclnn"):
        raise LookupError(name)
    second = name.removesuffix(FIRST)
    home = home_of(second)
    if home is None:
        from aclnn.engine.catalogued import function  # late, as above

        return function(second, first=name.endswith(FIRST))
    made = _made(home, second)
    return made.functions[name] if name in ON_HOST.get(home, ()) else made.pairs[second][0 if second != name else 1]


def doc(name: str) -> str:
    """The docstring of a documented function with one of these files, or without a formula: what it computes."""
    home = home_of(name)
    if home is None:
        from aclnn.engine.catalogued import doc  # late, as above

        return doc(name)
    return _made(home, name).doc


def home_of(name: str) -> str | None:
    """The module of an operator that is made from facts, or of a function without a second phase."""
    return next((module for table in (MODULES, ON_HOST) for module, names in table.items() if name in names), None)


def _made(module: str, name: str) -> Any:
    """The operator or the host function of a name."""
    for value in vars(import_module(module)).values():
        if name in getattr(value, "names", ()):
            return value
    raise LookupError(f"{module} has no operator {name}")
