"""Dump: arguments are judged, a state is kept, and nothing is dumped."""

from pathlib import Path

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.outcomes import assert_status, ok


def write(folder: Path, text: str) -> str:
    path = folder / "dump.json"
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.fidelity("dump (aclmdlInitDump, acldump and the like)")
def test_a_dump_is_accepted_and_writes_nothing(machine: Machine, tmp_path: Path) -> None:
    ok(aclInit(None))
    ok(aclmdlInitDump())
    text = '{"dump": {"dump_mode": "all", "dump_path": "/tmp"}}'
    ok(aclmdlSetDump(write(tmp_path, text)))
    assert machine.dump.configuration == text
    ok(aclmdlSetDump(write(tmp_path, "")))
    ok(aclmdlFinalizeDump())
    ok(aclmdlInitDump())
    assert [path.name for path in tmp_path.iterdir()] == ["dump.json"]


def test_the_order_of_the_calls(machine: Machine) -> None:
    """ "before aclInit 100001; before InitDump 100045; twice 100002"."""
    for early in (aclmdlInitDump(), aclmdlSetDump(None), aclmdlFinalizeDump()):
        assert early == ACL_ERROR_UNINITIALIZE
    assert "(EP0008)" in (aclGetRecentErrMsg() or "")
    ok(aclInit(None))
    assert_status(aclmdlSetDump(None), ACL_ERROR_DUMP_NOT_RUN)
    assert_status(aclmdlFinalizeDump(), ACL_ERROR_DUMP_NOT_RUN)
    ok(aclmdlInitDump())
    assert_status(aclmdlInitDump(), ACL_ERROR_REPEAT_INITIALIZE, "(EP0008)")
    assert_status(aclmdlSetDump(None), ACL_ERROR_INVALID_PARAM, "dumpCfgPath")


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("not json", ACL_ERROR_PARSE_FILE),
        ("{" * 11 + "}" * 11, ACL_ERROR_PARSE_FILE),
        ('{"dump": []}', ACL_ERROR_INVALID_DUMP_CONFIG),
        ('{"dump": {"dump_mode": "some"}}', ACL_ERROR_INVALID_DUMP_CONFIG),
    ],
)
def test_a_faulty_file_has_the_codes_of_aclinit(machine: Machine, tmp_path: Path, text: str, status: int) -> None:
    ok(aclInit(None))
    ok(aclmdlInitDump())
    assert_status(aclmdlSetDump(write(tmp_path, text)), status)
    assert_status(aclmdlSetDump(str(tmp_path / "absent")), ACL_ERROR_INVALID_FILE)


@pytest.mark.fidelity("dump (aclmdlInitDump, acldump and the like)")
def test_a_callback_is_kept_and_never_called(machine: Machine) -> None:
    """ "cb null or flag not 0: 500001 (not 100000)"."""
    called: list[object] = []
    ok(acldumpRegCallback(lambda *given: called.append(given), 0))
    assert machine.dump.callback is not None
    assert_status(acldumpRegCallback(None, 0), ACL_ERROR_FAILURE)
    assert_status(acldumpRegCallback(print, 1), ACL_ERROR_FAILURE)
    acldumpUnregCallback()
    assert machine.dump.callback is None
    assert not called
    assert acldumpGetPath(acldumpType.AIC_ERR_BRIEF_DUMP) is acldumpGetPath(99) is None


def test_arguments_of_operators(machine: Machine) -> None:
    """ "Start: path null or bit 1 missing in dumpType: 500001. Stop: bit missing: 0 and nothing"."""
    ok(aclopStartDumpArgs(ACL_OP_DUMP_OP_AICORE_ARGS, "/tmp"))
    ok(aclopStartDumpArgs(3, ""))
    assert_status(aclopStartDumpArgs(1, None), ACL_ERROR_FAILURE)
    assert_status(aclopStartDumpArgs(2, "/tmp"), ACL_ERROR_FAILURE)
    ok(aclopStopDumpArgs(1))
    ok(aclopStopDumpArgs(0))


@pytest.mark.parametrize("soc", ["Ascend310P3", "Ascend310B1"])
def test_other_products_get_advice(soc: str) -> None:
    with Machine(soc=soc) as machine:
        aclrtSetDevice(0)
        ok(aclopStartDumpArgs(1, "/tmp"))
        assert acldumpGetPath(1) is None
        assert [finding.id for finding in machine.findings] == ["unsupported-product"] * 2
