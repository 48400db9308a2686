"""The caller of operators by name: it changes one argument of a good call at a time."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, TextIO

import numpy as np

from acl_runtime import *
from acl_runtime import Machine
from aclnn.by_name.row import Required
from aclnn.by_name.table import rows
from tests.aclnn.by_name.case import Case
from tests.aclnn.by_name.cases import CASES
from tests.callers.judge import Judge, Outcome, in_turn
from tests.helpers.named_operators import OnHost, Side, attributes

MODES = ("raise", "report")
CHIPS = ("Ascend910B1", "Ascend310P3", "Ascend950PR_9599")
FAR = (0, 1, -1, 2, 17, 2**31 - 1, 2**62, -(2**63))
REAL = (0.0, -1.0, 1e-45, 1e38, float("inf"), float("nan"))
TYPES = (ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_INT8, ACL_INT32, ACL_INT64, ACL_UINT16, ACL_BOOL, ACL_DOUBLE,
         ACL_COMPLEX64, ACL_INT4, ACL_DT_UNDEFINED, ACL_STRING, 99)  # fmt: skip
FORMATS = (ACL_FORMAT_NHWC, ACL_FORMAT_NC1HWC0, ACL_FORMAT_FRACTAL_Z, ACL_FORMAT_FRACTAL_NZ, ACL_FORMAT_NDC1HWC0, 99)


class Change(NamedTuple):
    """A change of a good call."""

    kind: str
    where: Any
    """the name of an attribute; or the number of a side, 0 or 1, and that of a tensor"""
    value: Any = None


def changes(case: Case) -> Iterator[Change]:
    """Each change of one argument."""
    yield Change("nothing", None)
    for name, default in rows()[case.type].attributes.items():
        value = case.attributes.get(name, default.like if isinstance(default, Required) else default)
        yield from (Change("attribute", name, each) for each in near(value))
    for side, tensors in enumerate((case.inputs, case.results)):
        for at, tensor in enumerate(tensors):
            yield from of_tensor((side, at), tensor.value if isinstance(tensor, OnHost) else tensor)
        yield Change("missing", (side, len(tensors) - 1))


def near(value: Any) -> Iterator[Any]:
    """Values in place of one of an attribute."""
    if isinstance(value, list | tuple):
        whole = list(value)
        yield from ([], whole[1:], whole * 2, whole[:1] * 9, "text")
        for at in range(len(whole)):
            yield from ([*whole[:at], each, *whole[at + 1 :]] for each in near(whole[at]) if type(each) is int)
    elif isinstance(value, bool):
        yield from (not value, 7, "text")
    elif isinstance(value, str):
        yield from ("", "text", "NCHW", "NHWC", 3)
    else:
        yield from FAR
        yield from REAL


def of_tensor(where: tuple[int, int], tensor: np.ndarray | None) -> Iterator[Change]:
    if tensor is None:
        return
    yield from (Change("dtype", where, each) for each in TYPES)
    yield from (Change("format", where, each) for each in FORMATS)
    shape = list(tensor.shape)
    shapes = [[], shape[1:], [1, *shape], [*shape, 1], [-1, *shape[1:]], shape[::-1], [1] * 9, [2**62] * len(shape)]
    shapes += [[*shape[:at], size, *shape[at + 1 :]] for at in range(len(shape)) for size in (0, 1, shape[at] + 1)]
    yield from (Change("shape", where, each) for each in shapes)
    if tensor.dtype.kind == "i" and not where[0]:
        yield from (Change("values", where, each) for each in (0, -1, 7, np.iinfo(tensor.dtype).max))
        yield Change("place", where)


def run(
    seed: int, *, share: float = 1.0, seconds: float = 0.0, only: Sequence[str] = (), log: TextIO | None = None,
    watched: bool = False,
) -> Outcome:  # fmt: skip
    """This share of the changes of every type, in an order of the seed, until the time is over (0: never)."""

    def turn(case: Case, chosen: random.Random, outcome: Outcome) -> None:
        soc, mode = chosen.choice(CHIPS), chosen.choice(MODES)
        scan(case, [each for each in changes(case) if chosen.random() < share], soc, mode, outcome, log)

    cases = (case for case in CASES if not only or case.type in only)
    return in_turn(seed, cases, turn, seconds=seconds, watched=watched)


def scan(
    case: Case, listed: Sequence[Change], soc: str, mode: str, outcome: Outcome, log: TextIO | None = None
) -> None:
    """All these calls, on one machine until one of them leaves more than a refusal behind."""
    left = list(listed)
    while left:
        with Machine(soc, on_undefined=mode) as machine:
            judge = Judge(machine, outcome, log=log, small=True)
            judge.call(aclrtSetDevice, (0,))
            while left and one(judge, case, left.pop()):
                pass


def one(judge: Judge, case: Case, change: Change) -> bool:
    """Make the call. True if the machine is as before."""
    judge.about = f"{case.type}({change})"
    attrs = {**case.attributes, **({change.where: change.value} if change.kind == "attribute" else {})}
    inputs = list(case.inputs)
    if change.kind in ("values", "place"):
        inputs[change.where[1]] = replaced(inputs[change.where[1]], change)
    sides = Side(inputs, case.formats), Side(case.results, case.formats)
    dropped = changed(sides, change) if change.kind not in ("nothing", "attribute", "values", "place") else None
    with suppress(OverflowError), attributes(attrs) as attr:
        call = [argument for side in sides for argument in side.of_call]
        outputs = [aclCreateTensorDesc(ACL_DT_UNDEFINED, 0, None, ACL_FORMAT_UNDEFINED) for _ in sides[1].descs]
        judge.call(aclopInferShape, (case.type, *call[:3], len(outputs), outputs, attr))
        judge.call(aclopCompileAndExecuteV2, (case.type, *call, attr, 0, 0, None, None))
        for each in outputs:
            aclDestroyTensorDesc(each)
    good = judge.call(aclrtSynchronizeStream, (None,)) == ACL_SUCCESS and not judge.machine.findings
    if dropped is not None:
        aclDestroyTensorDesc(dropped)
    if good:
        for side in sides:
            side.close()
    return good


def replaced(tensor: Any, change: Change) -> Any:
    """An input with other values, or on the other side."""
    host = isinstance(tensor, OnHost)
    array = tensor.value if host else tensor
    if change.kind == "place":
        return array if host else OnHost(array)
    array = np.full_like(array, change.value)
    return OnHost(array) if host else array


def changed(sides: tuple[Side, Side], change: Change) -> aclTensorDesc | None:
    """Put another description in place of one, which is returned."""
    side, at = sides[change.where[0]], change.where[1]
    if at < 0:
        return None
    old, array = side.descs[at], side.arrays[at]
    if change.kind == "missing":
        side.descs[at] = aclCreateTensorDesc(ACL_DT_UNDEFINED, 0, None, ACL_FORMAT_UNDEFINED)
        return old
    if change.kind == "format":
        aclSetTensorFormat(old, change.value)
        return None
    shape = list(array.shape) if change.kind == "dtype" and array is not None else change.value
    dtype = change.value if change.kind == "dtype" else aclGetTensorDescType(old)
    side.descs[at] = aclCreateTensorDesc(dtype, len(shape), shape, aclGetTensorDescFormat(old))
    return old
