"""Which function of the runtime is documented for which product series, and what the library does on the others.

"No" in the documentation means "not tested, not promised". The library refuses only where it asks for a feature of the
chip (a gate): 207000. Elsewhere the call works, and the emulator gives the advice `unsupported-product`. A function
that is not listed here is documented for every series.
"""

from enum import Enum
from typing import Final, NamedTuple

from acl_runtime.objects.soc import Series


class Outcome(Enum):
    """What a call does on a product."""

    SUPPORTED = "documented"
    WORKS = "works though it is not documented"
    REFUSED = "is refused"
    PARTLY = "is refused for some arguments, and works for others"


class Answer(NamedTuple):
    """What the library does on a product."""

    outcome: Outcome
    text: str
    """for the help, the page, the advice"""


EVERY: Final = frozenset(Series)
NEWER: Final = frozenset({Series.A2, Series.A3})
REFUSAL: Final = "ACL_ERROR_RT_FEATURE_NOT_SUPPORT"
CODE: Final = f"{REFUSAL} (207000)"
SUPPORTED: Final = Answer(Outcome.SUPPORTED, "supported")
REFUSED: Final = Answer(Outcome.REFUSED, CODE)
WORKS: Final = Answer(Outcome.WORKS, "not documented, but it works")
READS_1: Final = Answer(Outcome.WORKS, "not documented; the answer is always 1")
READS_0: Final = Answer(Outcome.WORKS, "not documented; the answer is always 0")
FLAG_0: Final = Answer(Outcome.PARTLY, f"not documented; flag 0 works, flag 1: {CODE}")
PINNED: Final = Answer(Outcome.PARTLY, f"not documented; ACL_HOST_REG_PINNED alone works, else {CODE}")
UNPINNED: Final = Answer(Outcome.PARTLY, f"not documented; works for memory only pinned, else {CODE}")
IN_PYTHON: Final = Answer(Outcome.WORKS, "not in the library, so that C programs do not link; it works in Python")


def _row(products: frozenset[Series], elsewhere: Answer, **others: Answer) -> dict[Series, Answer]:
    """A row: `elsewhere` is the answer of the products that do not have it, but for `others`, by the name of the
    series."""
    answers = {series: SUPPORTED if series in products else elsewhere for series in Series}
    return answers | {Series[name]: answer for name, answer in others.items()}


_NEWER_ONLY: Final = _row(NEWER, REFUSED)
_NO_GATE: Final = _row(NEWER, WORKS)
_BY_FLAG: Final = _row(NEWER, FLAG_0)
_REGISTERING: Final = _row(NEWER, REFUSED, TRAINING=WORKS)
_NOWHERE: Final = _row(frozenset(), IN_PYTHON)
_PEERS: Final = _row(EVERY - {Series.A200I_500_A2}, REFUSED)

SUPPORT: Final[dict[str, dict[Series, Answer]]] = {
    "aclrtValueWrite": _NEWER_ONLY,
    "aclrtValueWait": _NEWER_ONLY,
    "aclrtMemcpyBatch": _NEWER_ONLY,
    "aclrtMemcpyBatchV2": _NEWER_ONLY,
    "aclrtMemcpyBatchAsync": _NEWER_ONLY,
    "aclrtMemcpyBatchAsyncV2": _NEWER_ONLY,
    "aclrtSetStreamOverflowSwitch": _NEWER_ONLY,
    "aclrtGetStreamOverflowSwitch": _row(NEWER, READS_1, A200I_500_A2=WORKS),
    "aclrtGetErrorVerbose": _NEWER_ONLY,
    "aclrtDeviceTaskAbort": _NEWER_ONLY,
    "aclrtHostRegister": _REGISTERING,
    "aclrtHostRegisterV2": _row(NEWER, PINNED, TRAINING=WORKS),
    "aclrtHostGetDevicePointer": _REGISTERING,
    "aclrtHostUnregister": _row(NEWER, UNPINNED, TRAINING=WORKS),
    "aclrtStreamAbort": _NEWER_ONLY,
    "aclrtMemsetD32": _NO_GATE,
    "aclrtMemsetD32Async": _NO_GATE,
    "aclrtRecordEventWithFlag": _BY_FLAG,
    "aclrtStreamWaitEventWithFlag": _BY_FLAG,
    "aclrtDeviceGetUuid": _NEWER_ONLY,
    "aclrtSetOpWaitTimeout": _row(EVERY - {Series.INFERENCE}, REFUSED),
    "aclrtSetOpExecuteTimeOutWithMs": _row(frozenset(), WORKS),
    "aclrtDeviceCanAccessPeer": _row(EVERY - {Series.A200I_500_A2}, READS_0),
    "aclrtDeviceEnablePeerAccess": _PEERS,
    "aclrtDeviceDisablePeerAccess": _PEERS,
    "aclrtCreateStreamConfigHandle": _NOWHERE,
    "aclrtSetStreamConfigOpt": _NOWHERE,
    "aclrtDestroyStreamConfigHandle": _NOWHERE,
    "aclrtCreateStreamV2": _NOWHERE,
}
"""by function, what happens on each series"""

NOT_EXPORTED: Final = frozenset(name for name, row in SUPPORT.items() if IN_PYTHON in row.values())
"""functions that the headers declare, and the libraries do not have"""


def answer(function: str, series: Series) -> Answer:
    """What a function of the runtime does on a product series."""
    return SUPPORT[function][series] if function in SUPPORT else SUPPORTED


def statuses(function: str) -> tuple[tuple[str, str], ...]:
    """The status of products that do not have the function, with its reason; none where no product refuses it."""
    outcomes = {each.outcome for each in SUPPORT.get(function, {}).values()}
    if outcomes.isdisjoint((Outcome.REFUSED, Outcome.PARTLY)):
        return ()
    return ((REFUSAL, "the product does not have the function (see Products)."),)


def help_lines(function: str) -> tuple[str, ...]:
    """The products for the help of a function, a line for each series."""
    if function not in SUPPORT:
        return ("Products: all",)
    return ("Products:", *(f"    {series.value}: {each.text}" for series, each in SUPPORT[function].items()))


def having(function: str) -> str:
    """The series that a function is documented for, for a text."""
    return ", ".join(series.value for series in Series if answer(function, series) is SUPPORTED) or "none"
