"""The options of a machine, their environment variables, the products (ours)."""

import itertools
import re
import rlcompleter
from ctypes import byref, c_void_p
from typing import Any

import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.objects.options import language, read, unknown_variables
from acl_runtime.objects.soc import SOCS, Series
from aclnn.tools.command.variables import READ
from tests.helpers.own_process import program
from tests.helpers.places import ROOT
from tests.helpers.planned_operators import softmax

DEFAULTS = {
    "soc": "Ascend910B1", "device_count": 1, "schedule": "late", "seed": None, "fill": 0xFF, "min_workspace": 0,
    "on_undefined": "raise", "trace": False, "window": True, "checks": True, "fast": True,
    "threads": None, "host_bytes": None, "hf32": False, "catalogued": "launch", "patience": 10,
    "lang": "en",
}  # fmt: skip


def test_the_options_have_the_documented_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    """The device has the memory of its chip (ours)."""
    for name in ("WINDOW", "FAST", "PATIENCE"):
        monkeypatch.delenv(f"ACL_EMULATOR_{name}", raising=False)
    machine = Machine()
    assert {name: getattr(machine.options, name) for name in DEFAULTS} == DEFAULTS
    assert machine.devices[0].memory.capacity == 64 << 30


ENVIRONMENT: dict[str, list[tuple[str, Any]]] = {
    "soc": [("Ascend310P3", "Ascend310P3")],
    "device_count": [("3", 3)],
    "host_bytes": [("1048576", 1 << 20), ("none", None)],
    "hbm_bytes": [("1048576", 1 << 20), ("0x100000", 1 << 20)],
    "schedule": [("eager", "eager"), ("random", "random")],
    "seed": [("5", 5), ("none", None)],
    "fill": [("0", 0), ("0xff", 255), ("None", None)],
    "min_workspace": [("4096", 4096)],
    "on_undefined": [("report", "report")],
    "trace": [("1", True), ("true", True), ("0", False), ("off", False)],
    "window": [("0", False), ("yes", True)],
    "checks": [("0", False), ("on", True)],
    "threads": [("3", 3), ("none", None)],
    "hf32": [("1", True), ("off", False)],
    "catalogued": [("plan", "plan"), ("launch", "launch")],
    "patience": [("2.5", 2.5)],
    "lang": [("zh", "zh"), ("en", "en")],
}
ROWS = [(name, text, value) for name, rows in ENVIRONMENT.items() for text, value in rows]


def test_a_text_of_each_option_is_read() -> None:
    """The header for C++ tests sets options by their texts, `fast` too."""
    for name, text, value in (*ROWS, ("fast", "0", False), ("fast", "on", True)):
        assert read(name, text) == value


def test_no_variable_lets_formulas_run_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """ACL_EMULATOR_NATIVE=0 turns the evaluator off; `Machine(fast=False)` is what results are compared with."""
    monkeypatch.setenv("ACL_EMULATOR_FAST", "0")
    with pytest.warns(UserWarning, match="ACL_EMULATOR_FAST is no variable of the emulator"):
        assert Machine().options.fast


@pytest.mark.parametrize(("name", "text", "value"), ROWS)
def test_the_environment_sets_defaults_and_the_program_wins(
    monkeypatch: pytest.MonkeyPatch, name: str, text: str, value: object
) -> None:
    """ACL_EMULATOR_<OPTION> sets the default of each option; a value that the program gives wins (ours)."""
    monkeypatch.setenv(f"ACL_EMULATOR_{name.upper()}", text)
    assert getattr(Machine().options, name) == value
    given = DEFAULTS.get(name, 1 << 30)
    assert getattr(Machine(**{name: given}).options, name) == given


def test_every_option_but_one_has_its_variable() -> None:
    """The table above is complete (ours)."""
    assert {*ENVIRONMENT, "fast"} == set(vars(Machine().options)) == {*DEFAULTS, "hbm_bytes"}


BAD_VALUES: list[tuple[str, Any, tuple[str, ...]]] = [
    ("soc", "Ascend9000", ("Ascend9000", "Ascend910B1", "Ascend310B4")),
    ("soc", "ascend910b1", ("Ascend910B1",)),
    ("device_count", -1, ("device_count",)),
    ("hbm_bytes", 0, ("hbm_bytes",)),
    ("host_bytes", 0, ("host_bytes",)),
    ("fill", 256, ("fill",)),
    ("fill", -1, ("fill",)),
    ("schedule", "soon", ("schedule", "soon", "late", "eager", "random")),
    ("on_undefined", "ignore", ("on_undefined", "raise", "report")),
    ("threads", 0, ("threads",)),
    ("catalogued", "never", ("catalogued", "never", "launch", "plan")),
    ("lang", "de", ("lang", "de", "en", "zh")),
    ("lang", "", ("lang", "en", "zh")),
]


@pytest.mark.parametrize(("name", "value", "words"), BAD_VALUES)
def test_a_bad_option_is_a_value_error_that_names_it(
    monkeypatch: pytest.MonkeyPatch, name: str, value: Any, words: tuple[str, ...]
) -> None:
    """The text also names the values that the option takes, and is the same for the environment (ours)."""
    with pytest.raises(ValueError) as error:  # noqa: PT011 (the words are checked below)
        Machine(**{name: value})
    monkeypatch.setenv(f"ACL_EMULATOR_{name.upper()}", str(value))
    with pytest.raises(ValueError) as from_environment:  # noqa: PT011
        Machine()
    assert str(from_environment.value).startswith(f"ACL_EMULATOR_{name.upper()}")
    for word in words:
        assert word in str(error.value)
        assert word in str(from_environment.value)


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("device_count", "two", "a whole number"),
        ("hbm_bytes", "1G", "a whole number, or none"),
        ("trace", "maybe", "0 or 1"),
        ("patience", "long", "a number"),
        ("fill", "x", "a whole number, or none"),
    ],
)
def test_an_unreadable_variable_is_a_value_error_that_names_it(
    monkeypatch: pytest.MonkeyPatch, name: str, text: str, kind: str
) -> None:
    """The text names the variable, not only the option, and the values that it takes (ours)."""
    variable = f"ACL_EMULATOR_{name.upper()}"
    monkeypatch.setenv(variable, text)
    with pytest.raises(ValueError, match=f"^{variable}='{text}' is no value for the option {name}: {kind}$"):
        Machine()


def test_a_wrong_value_for_findings_is_refused_in_python_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """A misspelt value would let each program pass (ours)."""
    for value in ("", "report", "error"):
        monkeypatch.setenv("ACL_EMULATOR_FINDINGS", value)
        Machine()
    monkeypatch.setenv("ACL_EMULATOR_FINDINGS", "errors")
    with pytest.raises(ValueError, match=r"^ACL_EMULATOR_FINDINGS='errors': report or error$"):
        Machine()


@pytest.mark.parametrize(
    ("locale", "lang"),
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh"}, "zh"),
        ({"LANG": "zh-TW"}, "zh"),
        ({"LANG": "zha_CN.UTF-8"}, "en"),
        ({"LANG": "en_US.UTF-8"}, "en"),
        ({"LC_MESSAGES": "zh_CN.UTF-8", "LANG": "en_US.UTF-8"}, "zh"),
        ({"LC_ALL": "C", "LC_MESSAGES": "zh_CN.UTF-8", "LANG": "zh_CN.UTF-8"}, "en"),
        ({"LC_ALL": "", "LANG": "zh_CN.UTF-8"}, "zh"),
        ({"ACL_EMULATOR_LANG": "en", "LC_ALL": "zh_CN.UTF-8"}, "en"),
        ({"ACL_EMULATOR_LANG": "zh", "LC_ALL": "C"}, "zh"),
    ],
    ids=lambda given: (
        " ".join(f"{name}={value}" for name, value in given.items()) if isinstance(given, dict) else given
    ),
)
def test_the_language_is_that_of_the_locale_unless_it_is_given(
    monkeypatch: pytest.MonkeyPatch, locale: dict[str, str], lang: str
) -> None:
    """The first of LC_ALL, LC_MESSAGES and LANG that is set counts, as for every program. A command, which has no
    machine, has the same language."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in locale.items():
        monkeypatch.setenv(name, value)
    assert Machine().options.lang == lang
    assert language() == lang


def test_the_environment_sets_the_options_of_the_default_machine() -> None:
    """A program that makes no machine has the default machine (ours)."""
    code = "print(aclrtSetDevice(1), aclrtResetDevice(1)); aclrtSetDevice(2); print(aclGetRecentErrMsg())"
    run = program(code, ACL_EMULATOR_DEVICE_COUNT="2", ACL_EMULATOR_SOC="Ascend310P1")
    assert run.stdout.startswith("0 0\n")
    assert "[0, 2)" in run.stdout
    assert "Ascend310P1" in run.stdout


FAMILIES = ["Ascend910B", "Ascend910_93", "Ascend310P", "Ascend310B", "Ascend910"]


@pytest.mark.fidelity("family words as `soc` (Ascend910B, ...)")
@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_name_proposes_a_chip_of_it(family: str) -> None:
    """The name of a family is a ValueError, which proposes one chip (ours)."""
    with pytest.raises(ValueError, match=family) as error:
        Machine(family)
    proposed = [name for name in SOCS if f"'{name}'" in str(error.value)]
    assert len(proposed) == 1
    assert proposed[0].startswith(family)


GIB, GB = 1 << 30, 10**9
# names: series, AI cores, vector cores, L2 MiB, device memory
PRODUCTS: dict[str, tuple[Series, int, int, int, int]] = {
    "Ascend910B1 Ascend910B2 Ascend910B2C": (Series.A2, 24, 48, 192, 64 * GIB),
    "Ascend910B3": (Series.A2, 20, 40, 192, 64 * GIB),
    "Ascend910B4": (Series.A2, 20, 40, 96, 32 * GIB),
    "Ascend910B4-1": (Series.A2, 20, 40, 168, 32 * GIB),
    "Ascend910_9391 Ascend910_9392 Ascend910_9381 Ascend910_9382": (Series.A3, 24, 48, 192, 64 * GIB),
    "Ascend910_9372": (Series.A3, 20, 40, 192, 64 * GIB),
    "Ascend910_9362": (Series.A3, 20, 40, 168, 64 * GIB),
    "Ascend910_9363": (Series.A3, 20, 40, 168, 32 * GIB),
    "Ascend950DT_9591 Ascend950DT_95A1": (Series.A950, 36, 72, 128, 144 * GIB),
    "Ascend950PR_9599": (Series.A950, 36, 72, 128, 128 * GIB),
    "Ascend950DT_9592 Ascend950DT_9595 Ascend950DT_95A2": (Series.A950, 36, 72, 128, 96 * GIB),
    "Ascend950DT_9596": (Series.A950, 36, 72, 128, 64 * GIB),
    "Ascend950DT_9581 Ascend950DT_9581x": (Series.A950, 32, 64, 128, 144 * GIB),
    "Ascend950PR_9589": (Series.A950, 32, 64, 128, 128 * GIB),
    "Ascend950DT_9583": (Series.A950, 32, 64, 112, 126 * GIB),
    "Ascend950PR_958b": (Series.A950, 32, 64, 112, 112 * GIB),
    "Ascend950DT_9582 Ascend950DT_9582x Ascend950DT_9585": (Series.A950, 32, 64, 128, 96 * GIB),
    "Ascend950DT_9584 Ascend950DT_9587": (Series.A950, 32, 64, 112, 84 * GIB),
    "Ascend950DT_9586": (Series.A950, 32, 64, 128, 64 * GIB),
    "Ascend950DT_9588": (Series.A950, 32, 64, 112, 56 * GIB),
    "Ascend950DT_9571": (Series.A950, 28, 56, 128, 144 * GIB),
    "Ascend950PR_9579": (Series.A950, 28, 56, 128, 128 * GIB),
    "Ascend950DT_9573": (Series.A950, 28, 56, 112, 135_291_569_824),
    "Ascend950PR_957b Ascend950PR_957bx": (Series.A950, 28, 56, 112, 112 * GIB),
    "Ascend950DT_9572 Ascend950DT_9575": (Series.A950, 28, 56, 128, 96 * GIB),
    "Ascend950PR_957d": (Series.A950, 28, 56, 96, 96 * GIB),
    "Ascend950DT_9574 Ascend950DT_9577 Ascend950PR_957c": (Series.A950, 28, 56, 112, 84 * GIB),
    "Ascend950DT_9576": (Series.A950, 28, 56, 128, 64 * GIB),
    "Ascend950DT_9578": (Series.A950, 28, 56, 112, 56 * GIB),
    "Ascend950DT_950x": (Series.A950, 8, 16, 32, 24 * GIB),
    "Ascend950DT_950y": (Series.A950, 8, 16, 32, 16 * GIB),
    "Ascend950PR_950z": (Series.A950, 4, 8, 16, 24 * GIB),
    "Ascend910A Ascend910ProA Ascend910PremiumA": (Series.TRAINING, 32, 0, 32, 32 * GIB),
    "Ascend910ProB": (Series.TRAINING, 30, 0, 32, 32 * GIB),
    "Ascend310P1": (Series.INFERENCE, 10, 8, 16, 24 * GB),
    "Ascend310P3 Ascend310P5 Ascend310P7": (Series.INFERENCE, 8, 7, 16, 24 * GB),
    "Ascend310B1 Ascend310B2 Ascend310B3 Ascend310B4": (Series.A200I_500_A2, 1, 1, 4, 32 * GIB),
}


@pytest.mark.fidelity("memory of 910B2C, of the training series, of 310B2 to B4")
def test_each_product_has_the_cores_and_memory_of_the_table() -> None:
    """Names, cores, L2 and memory are those of the table of products (ours)."""
    expected = {name: row for names, row in PRODUCTS.items() for name in names.split()}
    found = {
        name: (soc.series, soc.ai_cores, soc.vector_cores, soc.l2_bytes >> 20, soc.memory_bytes)
        for name, soc in ((name, Machine(name).soc) for name in SOCS)
    }
    assert found == expected
    streams = {
        "Ascend910B1": 1984,
        "Ascend950PR_9599": 1984,
        "Ascend910_9391": 1984,
        "Ascend910A": 2048,
        "Ascend310P1": 1024,
        "Ascend310B1": 512,
    }
    assert {name: SOCS[name].streams for name in streams} == streams


def test_min_workspace_is_the_least_size_that_is_reported() -> None:
    """A first phase reports at least this size, unless there is nothing to do (ours)."""
    with Machine(min_workspace=100):
        aclrtSetDevice(0)
        assert softmax()[3].workspace_size == 100
        assert softmax(0)[3].workspace_size == 0, "nothing to do"


def test_the_last_10000_calls_are_kept_or_all_with_trace() -> None:
    """machine.calls has function, arguments and result of the last 10,000 calls, or of all with trace=True (ours)."""
    for trace, kept in ((False, 10_000), (True, 10_004)):
        with Machine(trace=trace) as machine:
            assert aclrtSetDevice(0) == ACL_SUCCESS
            assert machine.calls[0] == ("aclrtSetDevice", (0,), ACL_SUCCESS)
            aclrtMalloc(None, 7, policy=ACL_MEM_MALLOC_HUGE_FIRST)
            assert machine.calls[1].function == "aclrtMalloc"
            assert machine.calls[1].arguments[1:] == (7, ACL_MEM_MALLOC_HUGE_FIRST)
            assert machine.calls[1].result == ACL_ERROR_INVALID_PARAM
            for _ in range(10_002):
                aclrtMemcpy(None, 0, None, 0, 0)
            assert len(machine.calls) == kept
            assert machine.calls[-1].function == "aclrtMemcpy"


def test_hbm_bytes_is_per_device() -> None:
    """Each device has its own memory of that size (ours)."""
    with Machine(device_count=2, hbm_bytes=128):
        for device in (0, 1):
            aclrtSetDevice(device)
            statuses = [aclrtMalloc(byref(c_void_p()), 64, ACL_MEM_MALLOC_HUGE_FIRST) for _ in range(2)]
            assert statuses == [ACL_SUCCESS, ACL_ERROR_RT_MEMORY_ALLOCATION]


PROPOSALS = {
    "A2": "names a series of products; choose one of its chips: Ascend910B1, Ascend910B2, Ascend910B2C, ",
    "inference": "names a series of products; choose one of its chips: Ascend310P1, Ascend310P3, ",
    "Atlas training series": "names a series of products; choose one of its chips: Ascend910A, ",
    "Atlas 800I A2": "names a series of products; choose one of its chips: Ascend910B1, ",
    "ascend910b1": "is unknown; did you mean 'Ascend910B1'? The names are A2: Ascend910B1, ",
    "910B3": "is unknown; did you mean 'Ascend910B3'? The names are A2: ",
    "Ascned310P1": "is unknown; did you mean 'Ascend310P1'",
    "Ascend999": "is unknown; the names are A2: Ascend910B1, ",
    "A950": "names a series of products; choose one of its chips: Ascend950DT_9591, ",
    "Ascend950": "names a family of chips; choose one, for instance 'Ascend950PR_9599'",
    "": "is unknown; the names are A2: Ascend910B1, ",
}


@pytest.mark.parametrize("name", PROPOSALS)
def test_a_wrong_product_gets_a_proposal(name: str) -> None:
    """ "Any other unknown name is a ValueError that lists the names" (ours). Series have the names that `aclnn ops`
    prints."""
    with pytest.raises(ValueError, match=r"^soc=") as raised:
        Machine(soc=name)
    assert PROPOSALS[name] in str(raised.value)
    if "unknown" in PROPOSALS[name]:
        assert all(chip in str(raised.value) for chip in SOCS)
        assert all(f"{series.name}: " in str(raised.value) for series in Series)


def test_tab_completion_of_a_machine_offers_what_its_page_lists() -> None:
    """A notebook completes with `dir`. Python's own interpreter looks at the class too."""
    page = (ROOT / "docs" / "machine.md").read_text(encoding="utf-8")
    table = page.partition("## Members")[2].partition("\n\n`machine.`")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    listed = {name for row in rows for name in re.findall(r"`machine\.(\w+)", row)}
    machine = Machine()
    assert {name for name in dir(machine) if not name.startswith("_")} == listed
    assert {name for name in dir(Machine) if not name.startswith("_")} == listed
    assert all(hasattr(machine, name) for name in listed)
    completer = rlcompleter.Completer({"machine": machine})
    found = (completer.complete("machine.", number) for number in itertools.count())
    assert {str(each).removeprefix("machine.").rstrip("()") for each in itertools.takewhile(bool, found)} == listed


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("SCHEDUEL", "SCHEDULE"),
        ("SEDE", "SEED"),
        ("FINDING", "FINDINGS"),
        ("XYZZY", ""),
        ("FOO", ""),
    ],
)
def test_an_unknown_variable_is_answered(monkeypatch: pytest.MonkeyPatch, name: str, meant: str) -> None:
    monkeypatch.setenv(f"ACL_EMULATOR_{name}", "eager")
    proposal = f"; did you mean ACL_EMULATOR_{meant}?" if meant else ""
    with pytest.warns(
        UserWarning, match=re.escape(f"ACL_EMULATOR_{name} is no variable of the emulator{proposal}") + "$"
    ):
        Machine()


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("ACLNN_EMULATOR_SOC", "SOC"),
        ("ASCEND_EMULATOR_SOC", "SOC"),
        ("ACL_EMULATER_FINDINGS", "FINDINGS"),
        ("acl_emulator_device_count", "DEVICE_COUNT"),
        ("ANDROID_EMULATOR_THREADS", ""),
        ("BIGTABLE_EMULATOR_HOST", ""),
        ("EMULATOR", ""),
    ],
)
def test_a_wrong_prefix_is_answered(monkeypatch: pytest.MonkeyPatch, name: str, meant: str) -> None:
    """Variables of other emulators are not ours."""
    monkeypatch.setenv(name, "1")
    sentence = f"{name} is no variable of the emulator; did you mean ACL_EMULATOR_{meant}?"
    assert unknown_variables() == ([sentence] if meant else [])


def test_every_variable_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that `aclnn explain` lists."""
    for name in READ:
        monkeypatch.setenv(name, "")
    assert unknown_variables() == []


@pytest.mark.parametrize("call", ["aclInit(None)", "machines = [Machine() for _ in range(3)]"])
def test_the_warning_of_an_unknown_variable_names_a_line_of_the_program(call: str) -> None:
    """Of the default machine, too, which the first call makes. A line is named once."""
    ran = program(f"{call}\n", ACL_EMULATOR_XYZZY="1")
    assert ran.stderr.count("<string>:4: UserWarning: ACL_EMULATOR_XYZZY is no variable") == 1, ran.stderr
    assert ran.stderr.count("UserWarning") == 1
