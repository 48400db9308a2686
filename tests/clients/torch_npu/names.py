"""The functions that the plugin asks for by name and that have no facts here, and what it does then.

`python -m tests.clients.torch_npu.names` writes docs/clients/torch_npu_names.md: names out of the plugin's library, and
the outcome of an expression for each that has one.
"""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from aclnn.tools.exports import names
from tests.clients.torch_npu.environment import ROOT, environment, installed

PAGE = ROOT / "docs" / "clients" / "torch_npu_names.md"
WANTED = re.compile(rb"\0(aclnn[A-Za-z0-9]+)GetWorkspaceSize(?=\0)")
EXPRESSIONS = {
    "aclnnCoalesceSparse": "torch.sparse_coo_tensor([[0, 0]], [1.0, 2.0], (2,)).npu().coalesce()",
    "aclnnDropoutV3Tensor": "torch.nn.functional.dropout(x, 0.5)",
    "aclnnFusedAdam": "torch.optim.Adam([weight], fused=True).step()",
    "aclnnLessScalar": "x < 2",
    "aclnnROIAlign": "torch_npu.npu_roi_align(picture, torch.zeros(1, 5).npu(), 1.0, 2, 2, 2, 0)",
    "aclnnStatelessExponentialTensor": "x.exponential_()",
    "aclnnTopkV2": "torch.topk(x, 2)",
}
PROGRAM = """\
import json, sys
import torch, torch_npu
x, picture = torch.ones(3).npu(), torch.ones(1, 1, 4, 4).npu()
weight = torch.nn.Parameter(torch.ones(3).npu())
weight.grad = torch.ones(3).npu()
found = {}
for name, expression in json.loads(sys.argv[1]).items():
    try:
        eval(expression)
        torch.npu.synchronize()
        found[name] = ""
    except Exception as error:
        found[name] = str(error)
print(json.dumps(found))
"""
INTRODUCTION = """\
# Functions torch_npu looks up that the emulator does not provide

torch_npu 2.13.0 looks up {asked} pairs of functions `aclnnX`, `aclnnXGetWorkspaceSize` by name, when an operator needs
them. The emulator provides all but these {count}, for which the catalogue has no facts. The libraries do not export
them, as may be the case with another version of CANN. `python -m tests.clients.torch_npu.names` makes this page.

| function | expression | behaviour of the plugin |
|---|---|---|
"""


def wanted(python: Path) -> set[str]:
    """The names in the plugin's library."""
    library = next(python.parents[1].glob("lib/*/site-packages/torch_npu/lib/libtorch_npu.so"))
    return {name.decode() for name in WANTED.findall(library.read_bytes())}


def tried(python: Path, expressions: Mapping[str, str]) -> dict[str, str]:
    """The text of the exception of each expression; empty if there is none."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "program.py")
        program.write_text(PROGRAM, encoding="utf-8")
        command = [str(python), "-m", "aclnn", "run", "--npu", str(program), json.dumps(expressions)]
        ran = subprocess.run(command, env=environment({}), capture_output=True, check=True, encoding="utf-8")
    return json.loads(ran.stdout.splitlines()[-1])


def outcome(text: str) -> str:
    """Say in words how the plugin went on, by the text of its exception."""
    if not text:
        return "it uses another function, and computes"
    if found := re.search(r"OPS function error: (\w+)", text):
        return f"it takes the older operator {found[1]}, which is absent too: a RuntimeError names it"
    if re.search(r"GetWorkspaceSize not in libopapi", text):
        return "a RuntimeError: the function is not in libopapi.so"
    return f"an exception: {text.split('[ERROR]', maxsplit=1)[0].strip()[:100]}"


def page(asked: set[str], outcomes: Mapping[str, str]) -> str:
    missing = sorted(asked - set(names()))
    rows = [
        f"| {name} | `{EXPRESSIONS[name]}` | {outcome(outcomes[name])} |" if name in EXPRESSIONS
        else f"| {name} | not tested | in general: an older function if the plugin has one, else a RuntimeError |"
        for name in missing
    ]  # fmt: skip
    return INTRODUCTION.format(asked=len(asked), count=len(missing)) + "\n".join(rows) + "\n"


def made(python: Path) -> str:
    """The page, from the installed plugin."""
    asked = wanted(python)
    lacking = asked - set(names())
    return page(asked, tried(python, {name: text for name, text in EXPRESSIONS.items() if name in lacking}))


if __name__ == "__main__":
    PAGE.write_text(made(installed()), encoding="utf-8")
