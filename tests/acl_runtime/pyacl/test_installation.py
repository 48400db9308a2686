"""`import acl` works after an explicit installation only, and never beside a real one."""

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import aclnn.pyacl
from acl_runtime import Machine, pyacl
from tests.helpers.places import ROOT

PLUGIN = ("-p", "acl_runtime.pytest_plugin")


def test_without_an_act_there_is_no_acl() -> None:
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("acl")


@pytest.mark.parametrize("installed", [pyacl.installed, aclnn.pyacl.installed])
def test_acl_can_be_imported_until_the_block_ends(installed) -> None:  # type: ignore[no-untyped-def]
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
        _ = pyacl.prof


@pytest.mark.parametrize("installed", [pyacl.installed, aclnn.pyacl.installed])
def test_another_acl_that_is_imported_already(installed, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    other = ModuleType("acl")
    other.__file__ = "/usr/local/acl.so"
    monkeypatch.setitem(sys.modules, "acl", other)
    with pytest.raises(RuntimeError, match=r"another acl is imported already, /usr/local/acl\.so: .*mix"), installed():
        pass
    assert sys.modules["acl"] is other


@pytest.mark.fidelity("a real `acl` beside it")
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


@pytest.mark.fidelity("`import acl.prof`, `from acl import media` and the like")
@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("import acl.prof", "acl.prof is not emulated: profiling; `aclnn docs pyacl`"),
        ("from acl import media", "acl.media is not emulated: images, video"),
        ("from acl import rt, prof", "acl.prof is not emulated: profiling"),
        ("from acl.rt import set_memcpy_desc", "acl.rt.set_memcpy_desc is not emulated: copy descriptors"),
        ("from acl import ACL_FLOAT", "define it yourself: ACL_FLOAT = 0"),
        ("import acl.nothing", "pyACL has no acl.nothing"),
    ],
)
def test_an_import_of_what_is_absent_says_so(statement: str, says: str) -> None:
    with pyacl.installed(), pytest.raises(ModuleNotFoundError, match=re.escape(says)):
        exec(statement)
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'acl'$"):
        exec(statement)


def test_another_acl_beside_the_program(tmp_path: Path) -> None:
    (tmp_path / "acl.py").write_text("")
    (tmp_path / "program.py").write_text("import acl\n")
    with pytest.raises(RuntimeError, match=r"a real acl is installed, .*acl\.py"):
        aclnn.pyacl.run(tmp_path / "program.py")
    assert str(tmp_path) not in sys.path


HELD_BY_GLOBALS = """\
import acl
class Device:
    def __init__(self):
        acl.init()
        assert acl.rt.set_device(0) == 0
        self.itself = self
    def __del__(self):
        assert acl.rt.reset_device(0) == 0
        acl.finalize()
held = [Device()]
"""


def test_what_the_globals_of_a_program_hold_ends_with_it(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(HELD_BY_GLOBALS)
    with Machine() as machine:
        aclnn.pyacl.run(tmp_path / "program.py")
        assert [each.function for each in machine.calls[-2:]] == ["aclrtResetDevice", "aclFinalize"]
    assert not machine.findings


def test_what_modules_hold_ends_before_the_report_of_the_default_machine(tmp_path: Path) -> None:
    (tmp_path / "held.py").write_text(HELD_BY_GLOBALS)
    program = "import aclnn.pyacl; aclnn.pyacl.install(); import held"
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(tmp_path)))},
    )  # fmt: skip
    assert (run.stdout, run.stderr) == ("", "")


def test_a_finding_of_a_program_names_its_lines_only(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("import acl\nacl.rt.set_device(0)\nacl.rt.malloc(64, 0)\n")
    with Machine() as machine:
        aclnn.pyacl.run(tmp_path / "program.py")
    (finding,) = [each for each in machine.findings if each.id == "mem-leaked"]
    assert finding.history[0].site == f"{tmp_path / 'program.py'}:3"
    assert finding.history[0].site.callers == []  # type: ignore[attr-defined]


def test_the_fixture_makes_acl_importable(pytester: pytest.Pytester) -> None:
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

        def test_cycle(pyacl):
            class Device:
                def __init__(self):
                    pyacl.init(), pyacl.rt.set_device(0)
                    self.itself = self
                def __del__(self):
                    pyacl.rt.reset_device(0), pyacl.finalize()
            Device()

        def test_gone():
            assert "acl" not in sys.modules
        """
    )
    result = pytester.runpytest_inprocess(*PLUGIN)
    result.assert_outcomes(passed=4, errors=1)
    result.stdout.fnmatch_lines(["*the machine found: device-not-reset*"])
