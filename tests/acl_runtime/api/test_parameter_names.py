"""An error text names a parameter of the function that was called, or a member of a struct behind that parameter.

Each function of acl_runtime gets random arguments, most of which are legal. Two names are those of the runtime below
the API (public): "param = `cnt`, the name inside the runtime" for a copy, and "EE1017 with param `handle`" in the line
that closes the text.
"""

import re
import shutil
from typing import Any

import acl_runtime
from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.headers.messages import TEMPLATES, Item
from tests.callers.damaged import DEEP, DamagedCaller
from tests.callers.judge import Outcome, functions, limited
from tests.callers.programs import allocate_some, create, describe, map_memory, retire, start_afresh
from tests.callers.values import Guarded

FUNCTIONS: dict[str, Any] = {name: each for name, each in functions().items() if hasattr(acl_runtime, name)}
CALLS = 12
"""for each parameter of a function"""
BELOW_THE_API = {"cnt", "handle"}
KEYS_OF_FILES = {("aclInit", "EH0009")}
"""a function and a code: the text names a key of the file that the parameter names"""
PLACES = {
    code: int(found[1] or found[2])
    for code, template in TEMPLATES.items()
    if (found := re.search(r"parameters? \{(\d)\}|\{(\d)\} cannot be a NULL", template.sentence))
}
"""by code, the index of the value that is the name of a parameter"""


def parameter_of(item: Item) -> str | None:
    """The parameter that an error text names, if its code has one."""
    return str(item.values[PLACES[item.code]]) if item.code in PLACES else None


def wrong_name(item: Item) -> str | None:
    """The name in an error text that is no parameter of its function."""
    name = parameter_of(item)
    parameters = {parameter for parameter, _ in FUNCTIONS[item.function].c.parameters}
    if name is None or name in BELOW_THE_API or (item.function, item.code) in KEYS_OF_FILES:
        return None
    if parameters & set(re.findall(r"\w+", name)):
        return None
    return f"{item.function}: {name}"


def items_of(calls: int, seed: int) -> list[Item]:
    """The error items of that many calls of each parameter of each function."""
    items: list[Item] = []
    machine = Machine(seed=seed, hbm_bytes=1 << 30, device_count=2, on_undefined="report", patience=0.2)
    with limited(), machine:
        caller = DamagedCaller(machine, seed, Outcome(), Guarded(), (), lambda: None)
        caller.depth = DEEP  # callbacks make no calls of their own
        for name, function in FUNCTIONS.items():
            retire(caller)
            start_afresh(caller)
            for prepare in (create, create, create, allocate_some, map_memory, describe):
                prepare(caller)
            for _ in range(calls * len(function.c.parameters)):
                caller.draws.begin(name)
                caller.judge.call(function, [caller.draws.argument(*each) for each in function.c.parameters])
                record = machine.errors()
                items += [item for item in record.items if item.function == name]
                record.take()
        shutil.rmtree(caller.draws.folder)
    return items


def test_an_error_names_a_parameter_of_its_function() -> None:
    items = items_of(CALLS, 1)
    assert not {wrong for item in items if (wrong := wrong_name(item))}
    assert len({(item.function, parameter_of(item)) for item in items if parameter_of(item)}) > 400


def test_a_name_that_the_function_lacks_is_noticed() -> None:
    item = Item("EE1003", ("Enabling peer access", 7, "deviceId", "[0, 2)"), function="aclrtDeviceEnablePeerAccess")
    assert wrong_name(item) == "aclrtDeviceEnablePeerAccess: deviceId"
