"""aclAppLog: levels, printf formats, length (public)."""

import ctypes
import logging
import math
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.abi.printf import printf
from tests.helpers.host_threads import in_thread
from tests.helpers.own_process import program

LOGGER = "acl_runtime.app"


class Kept(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@pytest.fixture
def kept() -> Iterator[Kept]:
    """A handler of the host program, for every level."""
    logger, handler = logging.getLogger(LOGGER), Kept()
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    yield handler
    logger.removeHandler(handler)
    logger.setLevel(logging.NOTSET)


def logged(kept: Kept, *arguments: Any) -> str:
    """The text that aclAppLog logs for a format and its arguments."""
    assert aclAppLog(ACL_INFO, "main", "main.cpp", 7, *arguments) is None
    return kept.records[-1].getMessage()


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        (ACL_DEBUG, logging.DEBUG),
        (ACL_INFO, logging.INFO),
        (ACL_WARNING, logging.WARNING),
        (ACL_ERROR, logging.ERROR),
    ],
)
def test_a_record_has_level_function_file_and_line(machine: Machine, kept: Kept, level: int, expected: int) -> None:
    """The record carries level, function, file and line."""
    aclAppLog(level, "main", b"main.cpp", 42, "hello %s", "world")
    (record,) = kept.records
    assert (record.levelno, record.funcName, record.filename, record.lineno) == (expected, "main", "main.cpp", 42)
    assert record.getMessage() == "hello world"


def test_a_bad_level_or_null_format_logs_nothing(machine: Machine, kept: Kept) -> None:
    """A level that is no aclLogLevel, and a null format (ours); null names are fine."""
    aclAppLog(7, "main", "main.cpp", 1, "text")
    aclAppLog(-1, "main", "main.cpp", 1, "text")
    aclAppLog(ACL_ERROR, "main", "main.cpp", 1, None)
    assert kept.records == []
    aclAppLog(ACL_ERROR, None, None, 1, "text")
    assert kept.records[0].getMessage() == "text"


@pytest.mark.fidelity("aclAppLog")
def test_silent_unless_logging_is_configured() -> None:
    """The emulator writes neither to stdout nor to stderr."""
    call = 'with Machine() as machine:\n aclAppLog(ACL_ERROR, "f", "f.cpp", 1, "hello %d", 5)\n'
    silent = program(call)
    assert (silent.returncode, silent.stdout, silent.stderr) == (0, "", "")
    configured = program("import logging; logging.basicConfig()\n" + call)
    assert (configured.stdout, configured.stderr) == ("", "ERROR:acl_runtime.app:hello 5\n")


def test_handlers_may_wait_for_other_threads(machine: Machine, kept: Kept) -> None:
    """The machine is not locked while a handler runs."""
    answers: list[int] = []
    kept.emit = lambda record: answers.append(in_thread(lambda: aclrtSetDevice(0)))  # type: ignore[method-assign]
    aclAppLog(ACL_ERROR, "f", "f.cpp", 1, "text")
    assert answers == [0]


def test_too_few_arguments_is_a_type_error(machine: Machine) -> None:
    """The C compiler would refuse it (ours)."""
    with pytest.raises(TypeError, match="aclAppLog"):
        aclAppLog(ACL_ERROR, "f", "f.cpp", 1)  # type: ignore[call-arg]


@pytest.mark.parametrize("character", ["x", "ä"], ids=["ASCII", "two bytes each"])
def test_a_message_is_cut_at_1024_bytes(machine: Machine, kept: Kept, character: str) -> None:
    """ "Message up to 1024 bytes", cut between characters."""
    assert len(logged(kept, "%s", 2000 * character).encode()) == 1024
    assert logged(kept, "%s", 1024 * "x") == 1024 * "x"
    assert len(logged(kept, "x%s", 2000 * character).encode()) in (1023, 1024)
    assert logged(kept, "%99999999999d", 5) == 1024 * " "


FORMATS: dict[str, tuple[str, tuple[Any, ...], str]] = {
    "no arguments": ("100%% done", (), "100% done"),
    "%d %i": ("%d %i", (-5, ctypes.c_int(6)), "-5 6"),
    "%u wraps": ("%u", (-1,), "4294967295"),
    "%d wraps": ("%d", (1 << 31,), "-2147483648"),
    "%zu": ("%zu", (1 << 40,), "1099511627776"),
    "%llu": ("%llu", (-1,), "18446744073709551615"),
    "%ld": ("%ld", (-(1 << 40),), "-1099511627776"),
    "%lld %jd %td": ("%lld %jd %td", (1, 2, 3), "1 2 3"),
    "%hhd %hu": ("%hhd %hu", (200, -1), "-56 65535"),
    "%x %X %#x %o %#o": ("%x %X %#x %o %#o", (255, 255, 255, 8, 8), "ff FF 0xff 10 010"),
    "%#x of 0": ("%#x", (0,), "0"),
    "width": ("[%5d][%-5d][%05d]", (42, 42, -42), "[   42][42   ][-0042]"),
    "sign": ("[%+d][% d][%+.1f]", (42, 42, 1.0), "[+42][ 42][+1.0]"),
    "precision of integers": ("[%.3d][%8.3d][%08.3d][%.0d]", (5, 5, 5, 0), "[005][     005][     005][]"),
    "zeros stand behind 0x": ("[%#06x]", (255,), "[0x00ff]"),
    "width from the arguments": ("[%*d][%-*d][%*d]", (4, 1, 4, 2, -4, 3), "[   1][2   ][3   ]"),
    "%f %F": ("%f %.2f %F", (1.5, 2.345, 0.5), "1.500000 2.35 0.500000"),
    "%e %E %g %G": ("%e %E %g %G", (1.5, 1.5, 1e10, 1e-10), "1.500000e+00 1.500000E+00 1e+10 1E-10"),
    "an int for %f": ("%.1f", (2,), "2.0"),
    "precision from the arguments": ("%.*f", (3, math.pi), "3.142"),
    "not finite": ("[%5f][%05f][%F][%f]", (math.inf, -math.inf, math.nan, -0.0), "[  inf][ -inf][NAN][-0.000000]"),
    "%a": ("%a", (1.5,), "0x1.8000000000000p+0"),
    "%s": ("%s|%6s|%-6s|%.2s", ("ab", b"cd", ctypes.c_char_p(b"ef"), "ghi"), "ab|    cd|ef    |gh"),
    "%s of an array": ("%s", (ctypes.create_string_buffer(b"ab", 8),), "ab"),
    "%s of null": ("%s", (None,), "(null)"),
    "%c": ("%c%c%c", (65, "b", b"c"), "Abc"),
    "%p": ("%p %p %p", (0x10, None, ctypes.c_void_p(0x20)), "0x10 (nil) 0x20"),
    "%n writes nothing": ("a%nb%d", (None, 5), "ab5"),
    "too few": ("%d %d", (1,), "1 %d"),
    "too many": ("%d", (1, 2), "1"),
    "a text for %d": ("%d", ("five",), "%d"),
    "a number for %s": ("%s", (5,), "%s"),
    "an unknown conversion": ("%y %", (5,), "%y %"),
}


@pytest.mark.parametrize(("format", "arguments", "text"), FORMATS.values(), ids=FORMATS)
def test_formats_are_those_of_c_and_never_raise(
    machine: Machine, kept: Kept, format: str, arguments: tuple[Any, ...], text: str
) -> None:
    """The formats of C; one that does not fit its arguments never raises."""
    assert logged(kept, format, *arguments) == text


def test_a_format_may_be_bytes_and_handles_are_pointers(machine: Machine, kept: Kept) -> None:
    """A format may be bytes; handles are pointers."""
    assert logged(kept, b"%p", aclrtStream(0x40)) == "0x40"


@pytest.mark.skipif(sys.platform != "linux", reason="snprintf by ctypes")
@pytest.mark.parametrize(
    "format", ["%d", "%5.3d", "%-8u", "%x", "%#o", "%+.2f", "% e", "%g", "%#g", "%010.3f", "%.0f", "%G", "%ld"]
)
def test_formats_are_those_of_the_c_library(format: str) -> None:
    """Against snprintf of this system."""
    for value in (0.0, -1.5, 1e20, 123456.789, 0.5) if format[-1] in "fegG" else (0, 1, 65, 2**31 - 1):
        buffer = ctypes.create_string_buffer(200)
        given = ctypes.c_double(value) if isinstance(value, float) else ctypes.c_long(value)
        ctypes.CDLL(None).snprintf(buffer, ctypes.c_size_t(200), format.encode(), given)
        assert printf(format, [value]) == buffer.value.decode()
