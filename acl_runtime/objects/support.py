"""The support of each runtime function by product series: documented, or the behaviour of the library without support.

"No" in the documentation means "not tested, not promised". The library refuses a call (207000) only if it queries a
feature of the chip (a gate). Otherwise the call works, and the emulator gives the advice `unsupported-product`. A
function that is not listed here is documented for every series.
"""

from enum import Enum
from typing import Final, NamedTuple

from acl_runtime.objects.soc import NEWER, Series
from acl_runtime.text import Text


class ProductSupport(Enum):
    """The outcome of a call on a product."""

    SUPPORTED = "documented"
    WORKS = "works though it is not documented"
    REFUSED = "is refused"
    PARTLY = "is refused for some arguments, and works for others"


class Answer(NamedTuple):
    """The behaviour of the library on a product."""

    outcome: ProductSupport
    text: str
    """the text in the help, on the page and in the advice"""


EVERY: Final = frozenset(Series)
REFUSAL: Final = "ACL_ERROR_RT_FEATURE_NOT_SUPPORT"
CODE: Final = f"{REFUSAL} (207000)"
SUPPORTED: Final = Answer(ProductSupport.SUPPORTED, "supported")
REFUSED: Final = Answer(ProductSupport.REFUSED, CODE)
WORKS: Final = Answer(ProductSupport.WORKS, Text("not documented, but it works"))
NOTHING: Final = Answer(ProductSupport.WORKS, Text("not documented; it succeeds and does nothing"))
READS_1: Final = Answer(ProductSupport.WORKS, Text("not documented; the answer is always {value}", value=1))
READS_0: Final = Answer(ProductSupport.WORKS, Text("not documented; the answer is always {value}", value=0))
FLAG_0: Final = Answer(ProductSupport.PARTLY, Text("not documented; flag 0 works, flag 1: {code}", code=CODE))
PINNED: Final = Answer(
    ProductSupport.PARTLY, Text("not documented; ACL_HOST_REG_PINNED alone works, else {code}", code=CODE)
)
UNPINNED: Final = Answer(
    ProductSupport.PARTLY, Text("not documented; works for memory only pinned, else {code}", code=CODE)
)
NULL: Final = Answer(ProductSupport.WORKS, Text("not documented; the result is always null"))
IN_PYTHON: Final = Answer(
    ProductSupport.WORKS, Text("not in the library, so that C programs do not link; it works in Python")
)


def _row(products: frozenset[Series], elsewhere: Answer, **others: Answer) -> dict[Series, Answer]:
    """A row of the table: `products` have the function, `others` has answers by the name of the series, and `elsewhere`
    is the answer for the other series."""
    answers = {series: SUPPORTED if series in products else elsewhere for series in Series}
    return answers | {Series[name]: answer for name, answer in others.items()}


_NEWER_ONLY: Final = _row(NEWER, REFUSED)
_CAPTURING: Final = _row(NEWER | {Series.INFERENCE}, REFUSED)
_OF_MODELS: Final = _row(NEWER, REFUSED, INFERENCE=WORKS)
_NO_GATE: Final = _row(NEWER, WORKS)
_BY_FLAG: Final = _row(NEWER, FLAG_0)
_REGISTERING: Final = _row(NEWER, REFUSED, TRAINING=WORKS)
_DUMPS: Final = _row(EVERY - {Series.INFERENCE, Series.A200I_500_A2}, WORKS)
_CHANNELS: Final = _DUMPS
_OLD_CHANNELS: Final = _row(frozenset({Series.TRAINING}), NULL)
_NOWHERE: Final = _row(frozenset(), IN_PYTHON)
_PEERS: Final = _row(EVERY - {Series.A200I_500_A2}, REFUSED)

CHANNELS: Final = """
acltdtCreateDataItem acltdtDestroyDataItem acltdtGetTensorTypeFromItem acltdtGetDataTypeFromItem
acltdtGetDataAddrFromItem acltdtGetDataSizeFromItem acltdtGetDimNumFromItem acltdtGetDimsFromItem
acltdtGetSliceInfoFromItem acltdtCreateDataset acltdtDestroyDataset acltdtAddDataItem acltdtGetDataItem
acltdtGetDatasetSize acltdtGetDatasetName acltdtCreateChannelWithCapacity acltdtDestroyChannel acltdtStopChannel
acltdtCleanChannel acltdtQueryChannelSize acltdtSendTensor acltdtReceiveTensor
""".split()
"""the functions of channels"""
GROUPS: Final = """
aclrtSetGroup aclrtGetGroupCount aclrtGetAllGroupInfo aclrtGetGroupInfoDetail aclrtDestroyGroupInfo
""".split()
"""the functions of groups of cores"""
POOLS: Final = """
aclrtMemPoolCreate aclrtMemPoolDestroy aclrtMemPoolMallocAsync aclrtMemPoolFreeAsync aclrtMemPoolSetAttr
aclrtMemPoolGetAttr aclrtMemPoolTrimTo
""".split()
"""the functions of memory pools"""
SHARED: Final = """
aclrtIpcMemGetExportKey aclrtIpcMemSetImportPid aclrtIpcMemImportByKey aclrtIpcMemClose aclrtNotifyGetExportKey
aclrtNotifyImportByKey aclrtNotifySetImportPid
""".split()
"""the functions by which processes share memory and notifies"""
SUPER_NODES: Final = "aclrtIpcMemSetAttr aclrtIpcMemImportPidInterServer aclrtNotifySetImportPidInterServer".split()
"""the functions of super nodes"""
COUNTING: Final = """
aclrtCntNotifyCreate aclrtCntNotifyDestroy aclrtCntNotifyRecord aclrtCntNotifyWaitWithTimeout aclrtCntNotifyReset
aclrtCntNotifyGetId
""".split()
"""the functions of counting notifies"""
CONDITIONS: Final = """
aclmdlRICondHandleCreate aclmdlRICondHandleGetCondPtr aclmdlRIAddCondTask aclmdlRICaptureToModelRIBegin
""".split()
"""the functions of conditions of models"""
MANAGED: Final = """
aclrtMemAllocManaged aclrtMemManagedAdvise aclrtMemManagedPrefetchAsync aclrtMemManagedPrefetchBatchAsync
aclrtMemManagedGetAttr aclrtMemManagedGetAttrs
""".split()
"""the functions of managed memory"""
SYMBOLS: Final = """
aclrtGetFuncBySymbol aclrtGetSymbolAddress aclrtGetSymbolSize aclrtMemcpyToSymbol aclrtMemcpyToSymbolAsync
aclrtMemcpyFromSymbol aclrtMemcpyFromSymbolAsync
""".split()
"""the functions of host addresses that stand for kernels and variables"""
SNAPSHOTS: Final = """
aclrtSnapShotProcessLock aclrtSnapShotProcessUnlock aclrtSnapShotProcessBackup aclrtSnapShotProcessRestore
aclrtSnapShotCallbackRegister aclrtSnapShotCallbackUnregister
""".split()
"""the functions of snapshots"""

SUPPORT: Final[dict[str, dict[Series, Answer]]] = {
    "aclrtValueWrite": _NEWER_ONLY,
    "aclrtValueWait": _NEWER_ONLY,
    "aclrtMemcpyBatch": _NEWER_ONLY,
    "aclrtMemcpyBatchV2": _NEWER_ONLY,
    "aclrtMemcpyBatchAsync": _NEWER_ONLY,
    "aclrtMemcpyBatchAsyncV2": _NEWER_ONLY,
    "aclrtSetStreamOverflowSwitch": _row(NEWER, NOTHING),
    "aclrtGetStreamOverflowSwitch": _row(NEWER, READS_1, A200I_500_A2=WORKS),
    "aclrtGetErrorVerbose": _NEWER_ONLY,
    "aclrtDeviceTaskAbort": _NEWER_ONLY,
    "aclrtHostRegister": _REGISTERING,
    "aclrtHostRegisterV2": _row(NEWER, PINNED, TRAINING=WORKS),
    "aclrtHostGetDevicePointer": _REGISTERING,
    "aclrtHostUnregister": _row(NEWER, UNPINNED, TRAINING=WORKS),
    "aclrtStreamAbort": _NEWER_ONLY,
    "aclrtNotifyBatchReset": _NEWER_ONLY,
    "aclmdlRICaptureBegin": _CAPTURING,
    "aclmdlRICaptureEnd": _CAPTURING,
    "aclmdlRICaptureGetInfo": _CAPTURING,
    "aclmdlRICaptureTaskGrpBegin": _CAPTURING,
    "aclmdlRICaptureTaskGrpEnd": _CAPTURING,
    "aclmdlRICaptureTaskUpdateBegin": _CAPTURING,
    "aclmdlRICaptureTaskUpdateEnd": _CAPTURING,
    "aclmdlRICaptureThreadExchangeMode": _CAPTURING,
    "aclmdlRIDebugJsonPrint": _CAPTURING,
    "aclmdlRIDebugPrint": _CAPTURING,
    "aclmdlRIExecuteAsync": _row(NEWER | {Series.INFERENCE}, WORKS),
    "aclmdlRIGetId": _CAPTURING,
    "aclmdlRIGetStreams": _OF_MODELS,
    "aclmdlRIGetTasksByStream": _OF_MODELS,
    "aclmdlRITaskDisable": _NEWER_ONLY,
    "aclmdlRIUpdate": _NEWER_ONLY,
    "aclmdlRITaskGetSeqId": _NO_GATE,
    "aclmdlRITaskGetType": _NO_GATE,
    "aclmdlRIKernelTaskGetAttribute": _NO_GATE,
    "aclrtCacheLastTaskOpInfo": _CAPTURING,
    "aclrtCacheLastTaskExtendInfo": _CAPTURING,
    "aclrtTaskUpdateAsync": _CAPTURING,
    "aclrtMemsetD32": _NO_GATE,
    "aclrtMemsetD32Async": _NO_GATE,
    "aclrtRecordEventWithFlag": _BY_FLAG,
    "aclrtStreamWaitEventWithFlag": _BY_FLAG,
    "aclrtDeviceGetUuid": _NEWER_ONLY,
    "acldumpGetPath": _NO_GATE,
    "aclopStartDumpArgs": _DUMPS,
    "aclopStopDumpArgs": _DUMPS,
    "aclrtBinaryLoad": _row(EVERY - {Series.A200I_500_A2}, REFUSED),
    "aclrtGetFunctionSize": _row(EVERY - {Series.TRAINING, Series.A200I_500_A2}, REFUSED),
    **dict.fromkeys(SYMBOLS, _row(EVERY - {Series.TRAINING, Series.A200I_500_A2}, WORKS)),
    "aclrtLaunchSIMTKernelWithArgsArray": _row(frozenset({Series.A950}), REFUSED),
    "aclrtLaunchSIMTKernelWithHostArgs": _row(frozenset({Series.A950}), REFUSED),
    **dict.fromkeys(CHANNELS, _CHANNELS),
    "aclrtDeviceSetLimit": _NO_GATE,
    "aclrtDeviceGetLimit": _NO_GATE,
    "aclrtDeviceGetPCIBusId": _NEWER_ONLY,
    "aclrtDeviceGetByPCIBusId": _NEWER_ONLY,
    "aclrtGetHardwareSyncAddr": _row(frozenset({Series.A2, Series.A3}), REFUSED),
    "aclrtGetMemUceInfo": _NEWER_ONLY,
    "aclrtMemUceRepair": _NEWER_ONLY,
    "aclrtRepairError": _NEWER_ONLY,
    **dict.fromkeys(
        ("aclrtAllocatorRegister", "aclrtAllocatorUnregister", "aclrtAllocatorGetByStream"),
        _row(EVERY - {Series.A200I_500_A2}, WORKS),
    ),
    "aclrtMemP2PMap": _row(EVERY - {Series.A200I_500_A2}, WORKS),
    "aclrtActiveStream": _row(EVERY - {Series.A3}, WORKS),
    "aclrtSwitchStream": _row(EVERY - {Series.A3}, WORKS),
    "aclrtRandomNumAsync": _row(frozenset({Series.A2, Series.A3}), REFUSED),
    "aclrtGetMemcpyDescSize": _row(NEWER | {Series.A200I_500_A2}, WORKS),
    "aclrtSetMemcpyDesc": _row(NEWER | {Series.A200I_500_A2}, WORKS),
    "aclrtMemcpyAsyncWithDesc": _row(NEWER | {Series.A200I_500_A2}, WORKS),
    **dict.fromkeys(POOLS, _row(frozenset({Series.A2}), WORKS)),
    **dict.fromkeys(COUNTING, _row(frozenset({Series.A950}), REFUSED)),
    "aclrtNpuGetFloatOverFlowStatus": _NEWER_ONLY,
    "aclrtNpuClearFloatOverFlowStatus": _NEWER_ONLY,
    **dict.fromkeys(CONDITIONS, _NEWER_ONLY),
    **dict.fromkeys(MANAGED, _row(frozenset({Series.A2, Series.A3}), REFUSED)),
    **dict.fromkeys(SNAPSHOTS, _NEWER_ONLY),
    "aclrtStreamStop": _NEWER_ONLY,
    "aclrtCmoAsync": _NEWER_ONLY,
    "aclrtCmoGetDescSize": _NEWER_ONLY,
    "aclrtCmoSetDesc": _NEWER_ONLY,
    "aclrtCmoAsyncWithDesc": _NEWER_ONLY,
    "aclrtCmoAsyncWithBarrier": _row(frozenset({Series.A200I_500_A2}), REFUSED),
    "aclrtCmoWaitBarrier": _row(frozenset({Series.A200I_500_A2}), REFUSED),
    **dict.fromkeys(GROUPS, _row(frozenset({Series.INFERENCE}), REFUSED)),
    "aclrtCreateGroupInfo": _row(frozenset({Series.INFERENCE}), NULL),
    "aclrtPersistentTaskClean": _NEWER_ONLY,
    "aclrtSetDeviceTaskAbortCallback": _NO_GATE,
    "acltdtCreateChannel": _OLD_CHANNELS,
    "rtGetC2cCtrlAddr": _row(EVERY - {Series.A950}, REFUSED),
    "aclrtSetOpWaitTimeout": _row(EVERY - {Series.INFERENCE}, REFUSED),
    "aclrtSetOpExecuteTimeOutWithMs": _row(frozenset(), WORKS),
    "aclrtDeviceCanAccessPeer": _row(EVERY - {Series.A200I_500_A2}, READS_0),
    "aclrtDeviceEnablePeerAccess": _PEERS,
    "aclrtDeviceDisablePeerAccess": _PEERS,
    **dict.fromkeys(SHARED, _PEERS),
    **dict.fromkeys(("aclrtIpcGetEventHandle", "aclrtIpcOpenEventHandle"), _NEWER_ONLY),
    **dict.fromkeys(SUPER_NODES, _row(frozenset({Series.A3}), REFUSED)),
    "aclrtCreateStreamConfigHandle": _NOWHERE,
    "aclrtSetStreamConfigOpt": _NOWHERE,
    "aclrtDestroyStreamConfigHandle": _NOWHERE,
    "aclrtCreateStreamV2": _NOWHERE,
    "aclrtSubscribeHostFunc": _NOWHERE,
    "aclrtUnSubscribeHostFunc": _NOWHERE,
    "aclrtProcessHostFunc": _NOWHERE,
}
"""the answer on each series, by function"""

NOT_EXPORTED: Final = frozenset(name for name, row in SUPPORT.items() if IN_PYTHON in row.values())
"""functions that the headers declare and the libraries do not export"""


def answer(function: str, series: Series) -> Answer:
    """The answer of a runtime function on a product series."""
    return SUPPORT[function][series] if function in SUPPORT else SUPPORTED


def statuses(function: str) -> tuple[tuple[str, str], ...]:
    """The status of products that refuse the function, with the reason; empty if no product refuses it."""
    outcomes = {entry.outcome for entry in SUPPORT.get(function, {}).values()}
    if outcomes.isdisjoint((ProductSupport.REFUSED, ProductSupport.PARTLY)):
        return ()
    return ((REFUSAL, "the product does not have the function (see Products)."),)


def help_lines(function: str) -> tuple[str, ...]:
    """The lines of a help that list the products, with a line for each series."""
    if function not in SUPPORT:
        return ("Products: all",)
    return ("Products:", *(f"    {series.value}: {each.text}" for series, each in SUPPORT[function].items()))


def having(function: str) -> str:
    """The series for which a function is documented, as a text."""
    return ", ".join(series.value for series in Series if answer(function, series) is SUPPORTED) or "none"
