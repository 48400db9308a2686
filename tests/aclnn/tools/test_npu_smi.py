"""`npu-smi` answers build scripts with the chip of the next machine, in the places where they look."""

from __future__ import annotations

import subprocess
import sys

import pytest

from acl_runtime import Machine, aclrtGetSocName
from acl_runtime.objects.soc import SOCS
from aclnn.tools import npu_smi


def asked(capsys: pytest.CaptureFixture[str], question: str) -> list[str]:
    assert npu_smi.main(question.split()) == 0
    return capsys.readouterr().out.splitlines()


def values(lines: list[str]) -> dict[str, str]:
    return {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}


@pytest.mark.fidelity("npu-smi")
@pytest.mark.parametrize("soc", SOCS)
def test_type_name_and_number_make_the_name_of_the_chip(
    soc: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As aclrtGetSocName returns it: a setup script joins type and name, or name and number with `_`."""
    monkeypatch.setenv("ACL_EMULATOR_SOC", soc)
    found = values(asked(capsys, "info -t board -i 0 -c 0"))
    with Machine():
        assert aclrtGetSocName() == soc
    if "Chip Type" in found:
        assert found["Chip Type"] + found["Chip Name"] == soc
    else:
        assert f"{found['Chip Name']}_{found['NPU Name']}" == soc


@pytest.mark.fidelity("npu-smi")
def test_the_table_has_the_name_in_the_seventh_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """CMake files cut it out with `awk 'NF > 0 && NR==7 {print $3}'`."""
    monkeypatch.setenv("ACL_EMULATOR_SOC", "Ascend310P3")
    monkeypatch.setenv("ACL_EMULATOR_DEVICE_COUNT", "3")
    lines = asked(capsys, "info")
    assert lines[6].split()[:3] == ["|", "0", "310P3"]
    assert [line.split()[1] for line in lines if "310P3" in line] == ["0", "1", "2"]
    assert {len(line) for line in lines} == {98}


def test_the_table_shows_the_memory_of_the_chip(capsys: pytest.CaptureFixture[str]) -> None:
    assert asked(capsys, "info")[7].split()[-4:] == ["0", "/", "65536", "|"]


@pytest.mark.parametrize("count", [0, 1, 4])
def test_the_list_has_each_device(
    count: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The number of the first device is in the third line of the text without the blanks around it."""
    monkeypatch.setenv("ACL_EMULATOR_DEVICE_COUNT", str(count))
    lines = asked(capsys, "info -l")
    assert values(lines[:1]) == {"Total Count": str(count)}
    assert [line.split()[-1] for line in lines if "NPU ID" in line] == [str(each) for each in range(count)]
    assert not count or lines[2].split(":")[1].strip() == "0"
    assert len(asked(capsys, "info -m")) == 1 + count
    assert len([line for line in asked(capsys, "info") if " OK " in line]) == count


@pytest.mark.parametrize(
    "question",
    ["", "info -x", "set -t reset -i 0", "info -t board", "info -t board -i 1", "info -t board -i -1",
     "info -t board -i 0 -c 1", "info -t temp -i 0"],
)  # fmt: skip
def test_other_questions_are_refused(question: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The figures of a real device that the simulated one does not have, and every command that changes a device."""
    assert npu_smi.main(question.split()) == npu_smi.FAILED
    said = capsys.readouterr()
    assert said.out == ""
    assert "npu-smi info -t board -i ID" in said.err


def test_an_unknown_chip_is_named(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACL_EMULATOR_SOC", "Ascend911")
    assert npu_smi.main(["info"]) == npu_smi.FAILED
    assert "Ascend911" in capsys.readouterr().err


def test_it_is_a_program_of_its_own() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "aclnn.tools.npu_smi", "info", "-l"], capture_output=True, text=True, check=True
    )
    assert "Total Count" in done.stdout
