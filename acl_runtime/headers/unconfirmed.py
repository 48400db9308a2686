"""Names of the headers that no public fact spells: ours, until a header confirms them.

The facts describe these types and functions, with values, sizes and order, but not these names. The help of each
function and the docstring of each type have the note, and the fidelity page lists them all.
"""

from collections.abc import Mapping
from typing import Any, Final

ALL: Final = "all"
"""stands for the name of the type or function itself, and the names of its members"""
ITSELF: Final = "itself"
"""stands for the name of the type or function alone"""
NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "acltdtTensorType": ("its values",),
    "acltdtQueueAttrType": ("its values",),
    "acltdtQueueRouteParamType": ("its values",),
    "acltdtQueueRouteQueryMode": (ALL,),
    "acltdtQueueRouteQueryInfoParamType": (ALL,),
    "acltdtAllocBufType": (ALL,),
    "ACL_TDTQUEUE_PERMISSION_MANAGE": (ITSELF,),
    "ACL_TDTQUEUE_PERMISSION_DEQUEUE": (ITSELF,),
    "ACL_TDTQUEUE_PERMISSION_ENQUEUE": (ITSELF,),
    "aclmdlRICondTaskParams": ("modelRIArray",),
    "aclrtAicAivTaskUpdateAttr": (ITSELF,),
    "aclrtBarrierCmoInfo": (ITSELF,),
    "aclrtBarrierTaskInfo": ("cmoInfo",),
    "aclrtBinaryLoadOptionValue": (ITSELF,),
    "aclrtDropoutBitmaskInfo": (ALL,),
    "aclrtErrorInfoDetail": (ALL,),
    "aclrtLaunchKernelAttrValue": (
        "localMemorySize", "dynUBufSize", "blockDimOffset", "blockTaskPrefetch", "dataDump", "timeoutUs",
        "enableProfiling",
    ),
    "aclrtMallocAttributeValue": (ITSELF,),
    "aclrtMemUceInfoArray": (ITSELF,),
    "aclrtMemUsageInfo": ("curMemSize", "memPeakSize"),
    "aclrtMemcpyBatchAttr": ("dstLoc", "srcLoc"),
    "aclrtNormalDisInfo": (ALL,),
    "aclrtRandomNumFuncPara": (ALL,),
    "aclrtRandomNumFuncParaInfo": (ALL,),
    "aclrtRandomNumTaskInfo": ("randomNumFuncParaInfo", "randomSeed", "randomNum"),
    "aclrtRandomTaskUpdateAttr": (ITSELF,),
    "aclrtTaskUpdateInfo": ("val",),
    "aclrtTimeoutUs": (ALL,),
    "aclrtUniformDisInfo": (ALL,),
    "aclrtUpdateTaskAttrVal": (ALL,),
    "aclrtUtilizationInfo": ("cubeUtilization", "vectorUtilization", "aicpuUtilization", "memoryUtilization"),
    "dim3": ("x", "y", "z"),
    "aclGetTensorDescByIndex": (ITSELF,),
    "aclGetTensorDescDimRange": (ITSELF,),
    "aclGetTensorDescName": (ITSELF,),
    "aclSetTensorValueRange": (ITSELF,),
}  # fmt: skip


def note(name: str) -> str:
    """The sentence for a type or function; empty if its names are confirmed."""
    parts = NAMES.get(name)
    if parts is None:
        return ""
    if parts == (ITSELF,):
        return "Unconfirmed (ours): this name."
    return f"Unconfirmed (ours): {'this name and those of its members' if parts == (ALL,) else ', '.join(parts)}."


def annotated(kind: Any) -> Any:
    """A class decorator that adds the note to the docstring."""
    sentence = note(kind.__name__)
    assert sentence, f"{kind.__name__} has no row"
    kind.__doc__ = f"{kind.__doc__ or kind.__name__}\n\n    {sentence}\n    "
    return kind
