"""aclInit and aclFinalize: counting, configuration files, refused configurations (public)."""

import json
from ctypes import byref, c_uint64
from pathlib import Path

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.conftest import check_documented
from tests.helpers.creating import create_stream
from tests.helpers.outcomes import assert_status
from tests.helpers.planned_operators import launch_softmax

pytestmark = pytest.mark.finds("finalize-pending")


def nested(opening: str, closing: str, depth: int) -> str:
    """A JSON object in which `{` or `[` are nested so deep."""
    inner = opening * depth + closing * depth if opening == "[" else '{"a":' * (depth - 1) + "1" + "}" * (depth - 1)
    return f'{{"a": {inner}}}'


CONFIGURATIONS = {
    "an empty file -> the defaults": ("", ACL_SUCCESS, ()),
    "an empty object -> the defaults": ("{}", ACL_SUCCESS, ()),
    "unknown keys are ignored": ('{"frobnicate": {"deep": [1]}}', ACL_SUCCESS, ()),
    "no JSON -> 100006": ("{dump}", ACL_ERROR_PARSE_FILE, ("EH0004", "acl.json")),
    "cut off -> 100006": ('{"dump": {', ACL_ERROR_PARSE_FILE, ("EH0004", "acl.json")),
    "{ nested 10 deep": (nested("{", "}", 10), ACL_SUCCESS, ()),
    "{ nested 11 deep -> 100006": (nested("{", "}", 11), ACL_ERROR_PARSE_FILE, ("EH0004",)),
    "[ nested 10 deep": (nested("[", "]", 10), ACL_SUCCESS, ()),
    "[ nested 11 deep -> 100006": (nested("[", "]", 11), ACL_ERROR_PARSE_FILE, ("EH0004",)),
    'err_msg_mode "0"': ('{"err_msg_mode": "0"}', ACL_SUCCESS, ()),
    'err_msg_mode "1"': ('{"err_msg_mode": "1"}', ACL_SUCCESS, ()),
    "another err_msg_mode -> 100000": ('{"err_msg_mode": "2"}', ACL_ERROR_INVALID_PARAM, ("err_msg_mode",)),
    "err_msg_mode as a number -> 100000": ('{"err_msg_mode": 1}', ACL_ERROR_INVALID_PARAM, ("err_msg_mode",)),
    "dump": ('{"dump": {"dump_mode": "all", "dump_path": "/tmp"}}', ACL_SUCCESS, ()),
    "profiler is accepted": ('{"profiler": {"switch": "on"}}', ACL_SUCCESS, ()),
    "max_opqueue_num is accepted": ('{"max_opqueue_num": "10000"}', ACL_SUCCESS, ()),
    "no UTF-8 -> 100006": ("{\udcff}", ACL_ERROR_PARSE_FILE, ("EH0004", "UTF-8")),
    "a list -> 100006": ("[1]", ACL_ERROR_PARSE_FILE, ("EH0004", "object")),
    "brackets in texts do not nest": (json.dumps({"a": 11 * "{" + 11 * "["}), ACL_SUCCESS, ()),
    "dump that is no object -> 100009": ('{"dump": "all"}', ACL_ERROR_INVALID_DUMP_CONFIG, ("EH0004", "dump")),
    "dump_list that is no array -> 100009": (
        '{"dump": {"dump_list": "all"}}', ACL_ERROR_INVALID_DUMP_CONFIG, ("EH0004", "dump_list"),
    ),
    "a bad dump value -> 100009": ('{"dump": {"dump_mode": "some"}}', ACL_ERROR_INVALID_DUMP_CONFIG, ("dump_mode",)),
    'event_mode "1"': ('{"acl_graph": {"event_mode": "1"}}', ACL_SUCCESS, ()),
    "another event_mode -> 100000": (
        '{"acl_graph": {"event_mode": "7"}}', ACL_ERROR_INVALID_PARAM, ("EH0009", "event_mode"),
    ),
    "default device": ('{"defaultDevice": {"default_device": "0"}}', ACL_SUCCESS, ()),
    "defaultDevice without a device": ('{"defaultDevice": {}}', ACL_SUCCESS, ()),
    "defaultDevice that is no object -> 500001": (
        '{"defaultDevice": "0"}', ACL_ERROR_FAILURE, ("EH0004", "default_device"),
    ),
    "a default device below 0 -> 500001": (
        '{"defaultDevice": {"default_device": "-1"}}', ACL_ERROR_FAILURE, ("EH0009", "default_device"),
    ),
    "a default device that is not there -> 500001": (
        '{"defaultDevice": {"default_device": "99"}}', ACL_ERROR_FAILURE, ("EH0009", "default_device"),
    ),
    "a default device that is no number -> 500001": (
        '{"defaultDevice": {"default_device": "first"}}', ACL_ERROR_FAILURE, ("EH0009", "default_device"),
    ),
    "a default device of the wrong JSON type -> 500001": (
        '{"defaultDevice": {"default_device": 0}}', ACL_ERROR_FAILURE, ("EH0004", "default_device"),
    ),
    "a stack size": ('{"StackSize": {"aicore_stack_size": 32768}}', ACL_SUCCESS, ()),
    "a stack size that the runtime refuses is ignored": ('{"StackSize": {"aicore_stack_size": -1}}', ACL_SUCCESS, ()),
    "a stack size of the wrong JSON type -> 500001": (
        '{"StackSize": {"simt_stack_size": "32768"}}', ACL_ERROR_FAILURE, ("EH0004", "StackSize"),
    ),
    "a print fifo size": ('{"simt_printf_fifo_size": 1048576}', ACL_SUCCESS, ()),
    "a print fifo size of 0 -> 500001": (
        '{"simt_printf_fifo_size": 0}', ACL_ERROR_FAILURE, ("EH0009", "simt_printf_fifo_size"),
    ),
    "a print fifo size with a fraction -> 500001": (
        '{"simt_printf_fifo_size": 4096.0}', ACL_ERROR_FAILURE, ("EH0009", "simt_printf_fifo_size"),
    ),
    "StackSize that is no object -> 500001": ('{"StackSize": 32768}', ACL_ERROR_FAILURE, ("EH0004", "StackSize")),
    "a print fifo size as a text -> 500001": (
        '{"simd_printf_fifo_size_per_core": "4096"}', ACL_ERROR_FAILURE, ("EH0009", "simd_printf_fifo_size_per_core"),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("content", "status", "words"), CONFIGURATIONS.values(), ids=CONFIGURATIONS)
def test_a_configuration_is_json_of_the_documented_form(
    machine: Machine, tmp_path: Path, content: str, status: int, words: tuple[str, ...]
) -> None:  # fmt: skip
    """Valid and invalid configurations (public)."""
    file = tmp_path / "acl.json"
    file.write_text(content, errors="surrogateescape")
    assert_status(aclInit(str(file)), status, *words)
    again = ACL_ERROR_REPEAT_INITIALIZE if status == ACL_SUCCESS else ACL_SUCCESS
    assert aclInit(None if again == ACL_SUCCESS else str(file)) == again, "a refused aclInit must not count"


IN_ORDER = {
    "dump": ({"dump": 1}, ACL_ERROR_INVALID_DUMP_CONFIG),
    "event mode": ({"acl_graph": {"event_mode": 1}}, ACL_ERROR_INVALID_PARAM),
    "default device": ({"defaultDevice": 1}, ACL_ERROR_FAILURE),
    "print fifo": ({"simt_printf_fifo_size": 0}, ACL_ERROR_FAILURE),
    "stack": ({"StackSize": 1}, ACL_ERROR_FAILURE),
    "err_msg_mode": ({"err_msg_mode": 1}, ACL_ERROR_INVALID_PARAM),
}
WORDS = ("dump", "event_mode", "default_device", "simt_printf_fifo_size", "StackSize", "err_msg_mode")


@pytest.mark.fidelity("configuration of aclInit")
@pytest.mark.parametrize("first", range(len(IN_ORDER)), ids=IN_ORDER)
def test_sections_are_looked_at_in_the_order_of_the_contract(machine: Machine, tmp_path: Path, first: int) -> None:
    """Of several bad values, the one listed first decides the status (public)."""
    rest = list(IN_ORDER.values())[first:]
    bad = {key: value for section, _ in rest for key, value in section.items()}
    (tmp_path / "acl.json").write_text(json.dumps(bad))
    assert_status(aclInit(str(tmp_path / "acl.json")), rest[0][1], WORDS[first])


@pytest.mark.fidelity("configuration of aclInit")
def test_the_first_configuration_is_compared_behind_the_sections(machine: Machine, tmp_path: Path) -> None:
    """Ours: of a bad section and a text that differs from the first one the section is reported."""
    assert aclInit(None) == aclFinalize() == ACL_SUCCESS
    (tmp_path / "acl.json").write_text('{"defaultDevice": 1}')
    assert_status(aclInit(str(tmp_path / "acl.json")), ACL_ERROR_FAILURE, "default_device")
    (tmp_path / "acl.json").write_text("{}")
    assert_status(aclInit(str(tmp_path / "acl.json")), ACL_ERROR_INVALID_PARAM, "EH0004")


@pytest.mark.fidelity("configuration of aclInit")
def test_no_known_chip_comes_last(tmp_path: Path) -> None:
    """Ours: a bad section is reported on a host without a device, too."""
    (tmp_path / "acl.json").write_text('{"defaultDevice": 1}')
    with Machine(device_count=0):
        assert_status(aclInit(str(tmp_path / "acl.json")), ACL_ERROR_FAILURE, "default_device")
        (tmp_path / "acl.json").write_text("{}")
        assert_status(aclInit(str(tmp_path / "acl.json")), ACL_ERROR_INTERNAL_ERROR, "no known chip")


def test_without_a_known_chip_init_is_500000() -> None:
    """No known chip (no driver) -> 500000 (public)."""
    with Machine(device_count=0) as machine:
        assert_status(aclInit(None), ACL_ERROR_INTERNAL_ERROR, "EH9999", "no known chip")
        assert aclFinalize() == ACL_SUCCESS, "a refused aclInit must not count"
    check_documented(machine)


@pytest.mark.parametrize("path", [None, "", b""], ids=["null", "an empty str", "empty bytes"])
def test_no_path_means_the_defaults(machine: Machine, path: str | bytes | None) -> None:
    """Path null or an empty string -> defaults, success (public)."""
    assert aclInit(path) == ACL_SUCCESS


@pytest.mark.parametrize("name", ["missing.json", "."], ids=["a missing file", "a folder"])
def test_an_unreadable_file_is_100003(machine: Machine, tmp_path: Path, name: str) -> None:
    """File missing or unreadable -> 100003, EH0003 (public)."""
    path = f"{tmp_path}/{name}"
    assert_status(aclInit(path.encode()), ACL_ERROR_INVALID_FILE, "(EH0003)", path)


def test_init_again_is_100002(machine: Machine) -> None:
    """Called again: 100002, the configuration is not looked at, nothing is added to the text (public)."""
    assert aclInit(None) == ACL_SUCCESS
    assert aclInit("no such file") == ACL_ERROR_REPEAT_INITIALIZE
    assert aclGetRecentErrMsg() is None


def test_finalize_undoes_every_init(machine: Machine) -> None:
    """The counter goes to 0 whatever its value; a second call is 100037; init again is allowed (public)."""
    assert [aclInit(None), aclInit(None), aclInit(None)] == [ACL_SUCCESS] + 2 * [ACL_ERROR_REPEAT_INITIALIZE]
    assert aclFinalize() == ACL_SUCCESS
    assert_status(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE, "EH9999")
    assert aclInit(None) == ACL_SUCCESS
    assert aclFinalize() == ACL_SUCCESS


def test_finalize_before_any_init_succeeds_once(machine: Machine) -> None:
    """Succeeds the first time, the next one gives 100037 (public)."""
    assert aclFinalize() == ACL_SUCCESS
    assert aclFinalize() == ACL_ERROR_REPEAT_FINALIZE


def test_finalize_leaves_what_is_alive(machine: Machine) -> None:
    """Live streams, memory and queued work are neither checked nor released (public)."""
    assert aclInit(None) == ACL_SUCCESS
    stream = create_stream()
    launch_softmax(stream)
    assert aclFinalize() == ACL_SUCCESS
    assert launch_softmax(stream)


@pytest.mark.parametrize(
    ("first", "second", "status"),
    [
        ('{"a": 1}', '{"a": 1}', ACL_SUCCESS),
        ("", None, ACL_SUCCESS),
        (None, "", ACL_SUCCESS),
        ('{"a": 1}', '{"a": 2}', ACL_ERROR_INVALID_PARAM),
        ('{"a": 1}', None, ACL_ERROR_INVALID_PARAM),
        (None, '{"a": 1}', ACL_ERROR_INVALID_PARAM),
        (None, "{}", ACL_ERROR_INVALID_PARAM),
    ],
    ids=["the same", "empty file, null", "null, empty file", "other value", "then null", "null first", "null, then {}"],
)
def test_configuration_holds_for_the_life_of_the_process(
    machine: Machine, tmp_path: Path, first: str | None, second: str | None, status: int
) -> None:
    """After finalise the text must be identical, else 100000; no path and an empty file are the empty text (public)."""

    def start(content: str | None, name: str) -> int:
        if content is None:
            return aclInit(None)
        (tmp_path / name).write_text(content)
        return aclInit(str(tmp_path / name))

    assert start(first, "first.json") == ACL_SUCCESS
    assert aclFinalize() == ACL_SUCCESS
    assert_status(start(second, "second.json"), status, *(("EH0004",) if status else ()))


def test_only_a_successful_init_fixes_the_configuration(machine: Machine, tmp_path: Path) -> None:
    """The content of the first successful init is what later ones are held to (public)."""
    bad = tmp_path / "bad.json"
    bad.write_text('{"err_msg_mode": "9"}')
    assert aclInit(str(bad)) == ACL_ERROR_INVALID_PARAM
    assert aclInit(None) == ACL_SUCCESS


def reference() -> tuple[int, int]:
    """Status and count of aclFinalizeReference."""
    count = c_uint64(99)
    return aclFinalizeReference(byref(count)), count.value


def test_references_are_counted_down(machine: Machine) -> None:
    """Count > 1: decrement; count 1: really finalise; count 0: 100037, the pointer gets 0 (public)."""
    for _ in range(3):
        aclInit(None)
    assert [reference() for _ in range(4)] == [
        (ACL_SUCCESS, 2), (ACL_SUCCESS, 1), (ACL_SUCCESS, 0), (ACL_ERROR_REPEAT_FINALIZE, 0),
    ]  # fmt: skip
    assert aclFinalize() == ACL_ERROR_REPEAT_FINALIZE
    assert_status(aclFinalizeReference(None), ACL_ERROR_REPEAT_FINALIZE, "EH9999")


def test_finalising_a_reference_before_any_init_is_100037(machine: Machine) -> None:
    """Count 0: 100037, also before any aclInit, and aclFinalize succeeds once all the same (public)."""
    assert reference() == (ACL_ERROR_REPEAT_FINALIZE, 0)
    assert aclFinalize() == ACL_SUCCESS


def test_reference_count_may_be_null(machine: Machine) -> None:
    """Writes the remaining count if the pointer is not null (public)."""
    assert aclInit(None) == ACL_SUCCESS
    assert aclFinalizeReference(None) == ACL_SUCCESS
    assert aclInit(None) == ACL_SUCCESS


def test_finalize_zeroes_the_references(machine: Machine) -> None:
    """Mixed use with aclFinalize: the latter zeroes the count (public)."""
    for _ in range(3):
        aclInit(None)
    assert aclFinalize() == ACL_SUCCESS
    assert reference() == (ACL_ERROR_REPEAT_FINALIZE, 0)
