"""The configuration file of aclInit: the checks of its entries, and the entries that the emulator uses."""

import re
from typing import Any, Final, NamedTuple, cast

from acl_runtime.errors import AclError
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import (
    ACL_ERROR_FAILURE,
    ACL_ERROR_INVALID_DUMP_CONFIG,
    ACL_ERROR_INVALID_FILE,
    ACL_ERROR_INVALID_PARAM,
    ACL_ERROR_PARSE_FILE,
)

DEEPEST: Final = 10
STACKS: Final = ("aicore_stack_size", "simt_stack_size", "simt_divergence_stack_size")
FIFOS: Final = ("simt_printf_fifo_size", "simd_printf_fifo_size_per_core")
DUMP_VALUES: Final = {
    "dump_mode": ("input", "output", "all"),
    "dump_op_switch": ("on", "off"),
    "dump_level": ("op", "kernel", "all"),
    "dump_debug": ("on", "off"),
    "dump_data": ("tensor", "stats"),
}
DUMP_TYPES: Final = {"dump_path": str, "dump_step": str, "dump_list": list}
MODES: Final = ("0", "1")


class Configuration(NamedTuple):
    """The configuration of the process."""

    text: str = ""
    """the text of the file; "no path and an empty file count as the empty text" """
    given: bool = False
    """True if the program passed the name of a file"""
    errors_per_process: bool = False
    default_device: int | None = None


def read(path: str | None) -> str:
    """The text of a configuration file; empty without one."""
    if not path:
        return ""
    try:
        with open(path, "rb") as file:
            raw = file.read()
    except (OSError, ValueError) as error:
        raise AclError(ACL_ERROR_INVALID_FILE, Item("EH0003", (path, str(error)))) from None
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise _unreadable(path, f"it is not UTF-8: {error}") from None


def configuration(path: str | None, text: str, devices: int) -> Configuration:
    """The configuration of a text, for a machine with this number of devices. Sections are checked in the documented
    order; unknown keys are ignored."""
    name = path or ""
    parsed = _parse(name, text) if text else {}
    _check_dump(name, parsed.get("dump", {}))
    _check_mode("event_mode", _section(parsed.get("acl_graph")).get("event_mode", "0"))
    default = _default_device(name, parsed.get("defaultDevice", {}), devices)
    for fifo in FIFOS:
        size = parsed.get(fifo, 1)
        if type(size) is not int or size <= 0:
            raise AclError(ACL_ERROR_FAILURE, Item("EH0009", (size, fifo, "it must be an integer above 0")))
    _check_stacks(name, parsed.get("StackSize", {}))
    mode = parsed.get("err_msg_mode", "0")
    _check_mode("err_msg_mode", mode)
    return Configuration(text, bool(path), mode == "1", default)


def check_dump_file(path: str) -> str:
    """The text of the file of aclmdlSetDump; if it is not valid, the same error as for the file of aclInit."""
    text = read(path)
    if text:
        _check_dump(path, _parse(path, text).get("dump", {}))
    return text


def _section(value: Any) -> dict[str, Any]:
    """A section of the configuration; a value that is no object counts as an empty section."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _unreadable(path: str, reason: str) -> AclError:
    return AclError(ACL_ERROR_PARSE_FILE, Item("EH0004", (path, reason)))


def _parse(path: str, text: str) -> dict[str, Any]:
    for opening, closing in ("{}", "[]"):
        if _depth(text, opening, closing) > DEEPEST:
            raise _unreadable(path, f"{opening} is nested deeper than {DEEPEST} levels")
    import json  # late: most programs call aclInit without a file

    try:
        parsed = json.loads(text)
    except ValueError as error:
        raise _unreadable(path, f"it is not JSON: {error}") from None
    if not isinstance(parsed, dict):
        raise _unreadable(path, "it is not a JSON object")
    return _section(parsed)


def _depth(text: str, opening: str, closing: str) -> int:
    depth = deepest = 0
    for character in re.sub(r'"(?:[^"\\]|\\.)*"', "", text):  # brackets inside texts do not nest
        depth += (character == opening) - (character == closing)
        deepest = max(deepest, depth)
    return deepest


def _check_mode(key: str, value: Any) -> None:
    if value not in MODES:
        raise AclError(ACL_ERROR_INVALID_PARAM, Item("EH0009", (value, key, 'it must be the text "0" or "1"')))


def _check_dump(path: str, dump: Any) -> None:
    if not isinstance(dump, dict):
        raise AclError(ACL_ERROR_INVALID_DUMP_CONFIG, Item("EH0004", (path, "dump must be an object")))
    section = _section(dump)
    for key, allowed in DUMP_VALUES.items():
        value = section.get(key, allowed[0])
        if value not in allowed:
            raise AclError(ACL_ERROR_INVALID_DUMP_CONFIG, Item("EH0009", (value, key, f"it must be one of {allowed}")))
    for key, kind in DUMP_TYPES.items():
        if key in section and not isinstance(section[key], kind):
            reason = f"{key} must be {'a text' if kind is str else 'an array'}"
            raise AclError(ACL_ERROR_INVALID_DUMP_CONFIG, Item("EH0004", (path, reason)))


def _check_stacks(path: str, stacks: Any) -> None:
    """ "an entry of `StackSize` [...] with the wrong JSON type 500001"; a size the runtime refuses is ignored."""
    if not isinstance(stacks, dict) or any(type(_section(stacks).get(name, 0)) is not int for name in STACKS):
        raise AclError(ACL_ERROR_FAILURE, Item("EH0004", (path, "the entries of StackSize must be integers")))


def _default_device(path: str, section: Any, devices: int) -> int | None:
    entries = _section(section)
    text = entries.get("default_device", "")
    if not isinstance(section, dict) or not isinstance(text, str):
        reason = "defaultDevice.default_device must be a text that holds a number"
        raise AclError(ACL_ERROR_FAILURE, Item("EH0004", (path, reason)))
    if "default_device" not in entries:
        return None
    if not re.fullmatch("[0-9]{1,9}", text) or int(text) >= devices:
        reason = f"it must be a device in [0, {devices})"
        raise AclError(ACL_ERROR_FAILURE, Item("EH0009", (text, "default_device", reason)))
    return int(text)
