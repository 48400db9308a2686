"""`import acl` is there by an explicit act only, and never beside a real one."""

import importlib
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import aclnn.pyacl
from acl_runtime import Machine, pyacl

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = ("-p", "acl_runtime.pytest_plugin")


def test_without_an_act_there_is_no_acl() -> None:
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("acl")


@pytest.mark.parametrize("installed", [pyacl.installed, aclnn.pyacl.installed])
def test_until_the_block_ends(installed) -> None:  # type: ignore[no-untyped-def]
    with installed() as module:
        with installed() as again:
            assert again is module
        import acl
        import acl.rt
        from acl import util

        assert acl is module
        assert (acl.rt, acl.util) == (sys.modules["acl.rt"], util)
    assert not {"acl", "acl.rt", "acl.util"} & set(sys.modules)
    with installed() as module:
        assert module is acl


def test_without_import_it_is_an_attribute() -> None:
    with Machine():
        assert pyacl.rt.get_device_count() == (1, 0)
        assert pyacl.init() == 0
        from acl_runtime.pyacl import util

        assert util.bytes_to_ptr(b"x") > 0
    assert {"rt", "util", "init", "installed"} <= set(dir(pyacl))
    with pytest.raises(AttributeError, match="not emulated"):
        _ = pyacl.mdl


@pytest.mark.parametrize("installed", [pyacl.installed, aclnn.pyacl.installed])
def test_another_acl_that_is_imported_already(installed, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    other = ModuleType("acl")
    other.__file__ = "/usr/local/acl.so"
    monkeypatch.setitem(sys.modules, "acl", other)
    with pytest.raises(RuntimeError, match=r"another acl is imported already, /usr/local/acl\.so: .*mix"), installed():
        pass
    assert sys.modules["acl"] is other


@pytest.mark.parametrize("installed", [pyacl.installed, aclnn.pyacl.installed])
def test_a_real_acl_that_is_installed(installed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "acl.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(RuntimeError, match=r"a real acl is installed, .*acl\.py: .*must not mix"), installed():
        pass
    assert "acl" not in sys.modules


def test_a_folder_called_acl_is_no_real_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "acl").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    with pyacl.installed() as acl:
        assert acl.rt


def test_for_the_rest_of_the_process(tmp_path: Path) -> None:
    program = (
        "import aclnn.pyacl; aclnn.pyacl.install(); aclnn.pyacl.install(); import acl; print(acl.rt.get_device_count())"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=False)
    assert (run.stdout, run.stderr) == ("(1, 0)\n", "")


def test_a_program_gets_its_arguments_and_its_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "beside.py").write_text("import acl\n")
    (tmp_path / "program.py").write_text(
        "import sys, acl, beside\nassert __name__ == '__main__' and beside.acl is acl\n"
        "print(sys.argv[1:], acl.rt.get_device_count())\nsys.exit(3)\n"
    )
    before = sys.argv, sys.path[:]
    with Machine(device_count=2), pytest.raises(SystemExit, match="3"):
        aclnn.pyacl.run(tmp_path / "program.py", ["a", "b"])
    del sys.modules["beside"]
    assert capsys.readouterr().out == "['a', 'b'] (2, 0)\n"
    assert (sys.argv, sys.path) == before


def test_a_finding_of_a_program_names_its_lines_only(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("import acl\nacl.rt.set_device(0)\nacl.rt.malloc(64, 0)\n")
    with Machine() as machine:
        aclnn.pyacl.run(tmp_path / "program.py")
    (finding,) = [each for each in machine.findings if each.id == "mem-leaked"]
    assert finding.history[0].site == f"{tmp_path / 'program.py'}:3"
    assert finding.history[0].site.callers == []  # type: ignore[attr-defined]


def test_the_fixture(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import sys

        def test_clean(pyacl, machine):
            import acl
            assert acl is pyacl
            assert acl.rt.set_device(0) == 0
            assert acl.rt.reset_device(0) == 0
            assert machine.calls[-1].function == "aclrtResetDevice"
            assert acl.init() == acl.finalize() == 0

        def test_leak(pyacl):
            import ctypes
            pyacl.init()
            pyacl.rt.set_device(0)
            ctypes.CDLL("libopapi.so")

        def test_gone():
            assert "acl" not in sys.modules
        """
    )
    result = pytester.runpytest_inprocess(*PLUGIN)
    result.assert_outcomes(passed=3, errors=1)
    result.stdout.fnmatch_lines(["*the machine found: device-not-reset*"])
