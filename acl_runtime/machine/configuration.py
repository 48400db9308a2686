"""What aclInit remembers: how often it was called, and the configuration file."""

import json
import re
from typing import Any, Final, cast

from acl_runtime.errors import AclError
from acl_runtime.messages import Item
from acl_runtime.statuses import (
    ACL_ERROR_FAILURE,
    ACL_ERROR_INVALID_DUMP_CONFIG,
    ACL_ERROR_INVALID_FILE,
    ACL_ERROR_INVALID_PARAM,
    ACL_ERROR_PARSE_FILE,
    ACL_ERROR_REPEAT_FINALIZE,
    ACL_ERROR_REPEAT_INITIALIZE,
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


class Initialisation:
    """The counter of aclInit and the configuration that the process runs with."""

    def __init__(self) -> None:
        self.count = 0
        self.site = ""
        """where the first aclInit was"""
        self._finalised = False
        self._text: str | None = None
        self.errors_per_process = False
        self.default_device: int | None = None

    def begin(self, path: str | None, site: str, devices: int) -> None:
        """aclInit. "Called again while initialised: counter + 1, returns 100002 [...] nothing is added to the error
        text"."""
        if self.count:
            self.count += 1
            raise AclError(ACL_ERROR_REPEAT_INITIALIZE)
        name = path or ""
        text = _read(name) if name else ""
        parsed = _parse(name, text) if text else {}
        if self._text is not None and text != self._text:  # "No path and an empty file count as the empty text"
            reason = "it differs from the configuration of the first aclInit, which holds for the life of the process"
            raise AclError(ACL_ERROR_INVALID_PARAM, Item("EH0004", (name or "(none)", reason)))
        self._apply(name, parsed, devices)
        self._text, self.count, self.site, self._finalised = text, 1, site, False

    def end(self) -> None:
        """aclFinalize. Before any init it "succeeds (0) the first time"."""
        if self._finalised:
            raise AclError(
                ACL_ERROR_REPEAT_FINALIZE,
                Item("EH9999", ("aclFinalize was already called, with no aclInit since",)),
            )
        self.count, self._finalised = 0, True

    def _apply(self, name: str, parsed: dict[str, Any], devices: int) -> None:
        mode = parsed.get("err_msg_mode", "0")
        if mode not in ("0", "1"):
            raise AclError(
                ACL_ERROR_INVALID_PARAM, Item("EH0009", (mode, "err_msg_mode", 'it must be the text "0" or "1"'))
            )
        _check_dump(name, parsed.get("dump", {}))
        event_mode = _section(parsed.get("acl_graph", {})).get("event_mode", "0")
        if event_mode not in ("0", "1"):
            reason = 'it must be the text "0" or "1"'
            raise AclError(ACL_ERROR_INVALID_PARAM, Item("EH0009", (event_mode, "event_mode", reason)))
        _check_stacks(name, parsed.get("StackSize", {}))
        for fifo in FIFOS:
            size = parsed.get(fifo, 1)
            if type(size) is not int or size <= 0:
                raise AclError(ACL_ERROR_FAILURE, Item("EH0009", (size, fifo, "it must be an integer above 0")))
        default = _default_device(name, parsed.get("defaultDevice"), devices)
        self.errors_per_process, self.default_device = mode == "1", default


def _section(value: Any) -> dict[str, Any]:
    """A section of the configuration; anything but an object counts as empty."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, ValueError) as error:
        raise AclError(ACL_ERROR_INVALID_FILE, Item("EH0003", (path, str(error)))) from None


def _parse(path: str, text: str) -> dict[str, Any]:
    def refuse(reason: str) -> AclError:
        return AclError(ACL_ERROR_PARSE_FILE, Item("EH0004", (path, reason)))

    for opening, closing in ("{}", "[]"):
        if _depth(text, opening, closing) > DEEPEST:
            raise refuse(f"{opening} is nested deeper than {DEEPEST} levels")
    try:
        parsed = json.loads(text)
    except ValueError as error:
        raise refuse(f"it is not JSON: {error}") from None
    if not isinstance(parsed, dict):
        raise refuse("it is not a JSON object")
    return _section(parsed)


def _depth(text: str, opening: str, closing: str) -> int:
    depth = deepest = 0
    for character in re.sub(r'"(?:[^"\\]|\\.)*"', "", text):  # brackets inside texts do not nest
        depth += (character == opening) - (character == closing)
        deepest = max(deepest, depth)
    return deepest


def _check_dump(path: str, dump: Any) -> None:
    if not isinstance(dump, dict):
        raise AclError(ACL_ERROR_INVALID_DUMP_CONFIG, Item("EH0004", (path, "dump must be an object")))
    for key, allowed in DUMP_VALUES.items():
        value = _section(dump).get(key, allowed[0])
        if value not in allowed:
            raise AclError(ACL_ERROR_INVALID_DUMP_CONFIG, Item("EH0009", (value, key, f"it must be one of {allowed}")))


def _check_stacks(path: str, stacks: Any) -> None:
    """ "an entry of `StackSize` [...] with the wrong JSON type 500001"; a size the runtime refuses is ignored."""
    if not isinstance(stacks, dict) or any(type(_section(stacks).get(name, 0)) is not int for name in STACKS):
        raise AclError(ACL_ERROR_FAILURE, Item("EH0004", (path, "the entries of StackSize must be integers")))


def _default_device(path: str, section: Any, devices: int) -> int | None:
    if section is None:
        return None
    text = _section(section).get("default_device")
    if not isinstance(text, str):
        reason = "defaultDevice.default_device must be a text that holds a number"
        raise AclError(ACL_ERROR_FAILURE, Item("EH0004", (path, reason)))
    if not text.isdecimal() or int(text) >= devices:
        raise AclError(
            ACL_ERROR_FAILURE, Item("EH0009", (text, "default_device", f"it must be a device in [0, {devices})"))
        )
    return int(text)
