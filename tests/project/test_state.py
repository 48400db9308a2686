"""All state outside of a machine is in `process`. The sources may also change modules of Python (such as sys and os),
but only as `OF_PYTHON` lists."""

import re
from functools import cache
from pathlib import Path

import pytest

from tests.helpers.listing import assert_listed
from tests.helpers.module_state import Sources
from tests.project.test_rooms import MODULES, ROOT

OF_PYTHON = {
    # the program asks for these: `import acl`, `aclnn run`, `aclnn.pyacl.run`
    "acl_runtime.pyacl: sys.modules": "acl_runtime.pyacl.install() makes `import acl` work",
    "acl_runtime.pyacl: sys.modules[]": "acl_runtime.pyacl.uninstall() takes it back",
    "acl_runtime.pyacl: sys.meta_path": "`import acl.prof` says why there is none, from install() to uninstall()",
    "aclnn.pyacl: ctypes.CDLL.__init__": "aclnn.pyacl.install() makes ctypes load the libraries of CANN",
    "aclnn.pyacl: sys.argv": "run() puts back what the program had",
    "aclnn.pyacl: sys.modules[]": "run() puts back `__main__`",
    "aclnn.pyacl: sys.path[]": "run() puts back what the program had",
    "aclnn.tools.python_program: builtins under another name": "a program has the builtins, like every module",
    "aclnn.tools.python_program: sys.argv": "the program gets its arguments",
    "aclnn.tools.toolkit.compile_and_run: sys.argv": "the program gets its arguments",
    "aclnn.tools.python_program: sys.modules[]": "the program is `__main__`",
    "aclnn.tools.python_program: sys.path": "the program imports from its folder",
    "aclnn.tools.python_program: sys.path[]": "the program's folder replaces that of `python -m`",
    "aclnn.tools.command.run: os.environ[]": "`aclnn run` hands its choices to a program in C",
    "aclnn.tools.command.run_python: sys.excepthook": "a Ctrl-C shows the program's own frames",
    "aclnn.tools.command.run_python: sys.last_value": "Python sets it for an uncaught error, and so do we",
    "aclnn.tools.command.run_python: faulthandler.enable(...)": "a crash at a device address shows a traceback",
    "aclnn.tools.toolkit.compile_and_run: signal.signal(...)": "Ctrl-C ends a program in C as it would without Python",
    "aclnn.tools.toolkit.entry: sys.unraisablehook": "Ctrl-C at the beginning of a call is not lost",
    "aclnn.tools.toolkit.entry: sys.path": "the library finds the packages and the user's operators",
    "aclnn.tools.command.user_modules: sys.path[]": "`aclnn run --with` finds modules beside the program",
    "acl_runtime.streams.shared.progress: gc.disable(...)": "no finalizer of the program runs on that thread",
    # the end of the process, and its children
    "acl_runtime.machine.installation: atexit.register(...)": "the report at the end",
    "acl_runtime.machine.tracebacks: sys.excepthook": "the traceback of a mistake ends at the program's call",
    "acl_runtime.machine.tracebacks: threading.excepthook": "likewise in a thread",
    "acl_runtime.machine.installation: os.register_at_fork(...)": "a forked child has no machine",
    "acl_runtime.checks.report.ending: sys.modules[]": "a program's objects are deleted before the report",
    "acl_runtime.checks.report.ending: sys.modules": "likewise: a module that another thread may drop too",
    "aclnn.tools.toolkit.entry: os.register_at_fork(...)": "a forked child does not wait for its parent's imports",
    "aclnn.tools.toolkit.session: os.register_at_fork(...)": "a forked child reports its own findings",
    "acl_runtime.checks.report.ending: sys under another name": "sys.exit notes its status, until the end",
    "acl_runtime.checks.report.ending: builtins under another name": "exit and quit likewise",
    # these are undone at the end of one call
    "acl_runtime.testing.sweeps.sweep: threading.excepthook": "exceptions in threads of a swept program stay quiet",
    "aclnn.tools.pages.findings: sys.path": "the pages run the tests' programs",
    "aclnn.tools.pages.findings: os.environ[]": "machines that a program of a page makes report in the page's language",
    "aclnn.tools.pages.findings: os.chdir(...)": "the pages run programs in a folder that they leave again",
    "aclnn.tools.pages.findings: warnings.simplefilter(...)": "inside `catch_warnings`",
    "aclnn.tools.pages.timeline: sys.path": "the pages run the samples",
    "aclnn.tools.pages.timeline: sys.modules": "the pages run the samples",
    # a cache
    "aclnn.__main__: gc.disable(...)": "a command that ends soon does not look for garbage",
    "acl_runtime.on_demand: sys.modules[].setattr": "a package keeps a name that it was asked for (PEP 562)",
}
"""allowed changes of Python's own modules, each with its reason"""


@cache
def sources() -> Sources:
    return Sources(MODULES)


def test_the_process_is_the_only_mutable_module_level_state() -> None:
    found = sources().changes()
    changes = {what: line for what, line in found.items() if what not in OF_PYTHON}
    assert changes == {}, "keep this state in the object that needs it, or in `process`: acl_runtime/process.py"
    assert set(OF_PYTHON) <= set(found), "the list has a change that no source makes any more"


def test_the_page_on_the_architecture_lists_what_belongs_to_the_process() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    _, _, listed = page.partition("## State of the process")
    listed, _, _ = listed.partition("\n## ")
    owned = sources().owns()
    there = [*(name.rpartition(".")[2] for name in owned), *(f"process.{name}" for name in PORTS)]
    rows = re.findall(r"^\| `(.*?)` \|", listed, re.MULTILINE)
    assert_listed('docs/architecture.md, "State of the process"', rows, there)


PORTS = ("describe_handle", "program", "range_moved", "conditions_changed", "event_lives", "handlers")
OURS = "class Counter:\n    def up(self):\n        self.n = 1\n\n"


@pytest.mark.parametrize(
    ("source", "change"),
    [
        ("found = {}\ndef f():\n    found['a'] = 1", "p.m.found[]"),
        ("found = []\ndef f():\n    found.append(1)", "p.m.found"),
        ("import collections\nfound = collections.deque()", "found = collections.deque(...)"),
        ("import itertools\nturns = itertools.count()", "turns = itertools.count(...)"),
        ("import threading\nlock = threading.Lock()", "lock = threading.Lock(...)"),
        ("import threading\nclass Own(threading.local): ...\nown = Own()", "own = Own(...)"),
        ("n = 0\ndef f():\n    global n\n    n = 1", "global n"),
        ("def f(seen=[]): ...", "a default of a parameter: []"),
        (f"{OURS}counter = Counter()", "counter = Counter(...)"),
        (f"{OURS}counters = {{'a': (Counter(),)}}", "counters = Counter(...)"),
        (f"{OURS}class More(Counter): ...\ncounter = More()", "counter = More(...)"),
        (f"{OURS}def make() -> Counter:\n    return Counter()\ncounter = make()", "counter = make(...)"),
        (f"{OURS}class Other:\n    counter = Counter()", "counter = Counter(...)"),
        ("class Guard:\n    kept = []\n    def f(self):\n        self.kept.append(1)", "self.kept"),
        ("class Guard:\n    n = 0\n    @classmethod\n    def f(cls):\n        cls.n = 1", "cls.n"),
        ("class Guard:\n    n = 0\n    def f(self):\n        type(self).n = 1", "type(self).n"),
        ("class Guard:\n    n = 0\ndef f():\n    Guard.n = 1", "p.m.Guard.n"),
        ("from p.other import Guard\ndef f():\n    Guard.n = 1", "p.other.Guard.n"),
        ("from p import other\ndef f():\n    other.n = 1", "p.other.n"),
        ("def f():\n    from p.other import found\n    found.pop()", "p.other.found"),
        ("import ctypes\ndef f(g):\n    ctypes.CDLL.__init__ = g", "ctypes.CDLL.__init__"),
        ("import ctypes\ndef f(g):\n    setattr(ctypes.CDLL, '__init__', g)", "ctypes.CDLL.setattr"),
        ("import sys\ndef f():\n    sys.modules.pop('a')", "sys.modules"),
        ("import sys\ndef f(g):\n    for m in (sys,):\n        m.exit = g", "sys under another name"),
        ("import sys\ndef f():\n    del sys.modules['a']", "sys.modules[]"),
        ("import os\ndef f():\n    os.environ['A'] = 'b'", "os.environ[]"),
        ("import atexit\ndef f(g):\n    atexit.register(g)", "atexit.register(...)"),
        ("def f(): ...\ndef g():\n    f.n = 1", "p.m.f.n"),
    ],
)
def test_each_kind_of_change_is_seen(source: str, change: str, tmp_path: Path) -> None:
    assert set(looked_at(source, tmp_path)) == {f"p.m: {change}"}


@pytest.mark.parametrize(
    "source",
    [
        "found = {'a': 1}\ndef f():\n    found = {}\n    found['a'] = 2",
        "import re\nfound = re.compile('a')",
        "from enum import Enum\nclass E(Enum):\n    A = 1\nfound = E(1)",
        "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass D:\n    a: int\nfound = (D(1),)",
        "class D:\n    def __init__(self):\n        self.a = []\nfound = D()",
        "class D:\n    a = 1\nD.a = 2",
        f"from acl_runtime.process import process\n{OURS}counter = process.own(Counter)\ndef f():\n    counter.n = 2",
        "from acl_runtime.process import process\ndef f(g):\n    process.program = g",
    ],
)
def test_constants_and_the_process_do_not_count_as_changes(source: str, tmp_path: Path) -> None:
    assert looked_at(source, tmp_path) == {}


def looked_at(source: str, folder: Path) -> dict[str, str]:
    file, other = folder / "m.py", folder / "other.py"
    file.write_text(source, encoding="utf-8")
    other.write_text("class Guard:\n    n = 0\nfound = [1]\nn = 0\n", encoding="utf-8")
    return Sources({"p.m": file, "p.other": other, "acl_runtime.process": MODULES["acl_runtime.process"]}).changes()
