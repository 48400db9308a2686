"""Each function `torch_npu.npu_*`, called once with its optional arguments left out, and what came of it.

`python -m tests.clients.torch_npu.functions` writes docs/clients/torch_npu_functions.md; `test_functions.py` compares
it. functions.txt has the calls: arguments that the schemas ask for, and those optional ones without which the plugin
itself refuses the call.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from aclnn.catalogue.reasons import reason
from aclnn.tools.exports import has_kernel
from aclnn.tools.pages.markdown import plain, table
from tests.clients.torch_npu.environment import HERE, ROOT, environment, installed

PAGE = ROOT / "docs" / "clients" / "torch_npu_functions.md"
CALLS = HERE / "functions.txt"
PATIENCE = 300
TEXT = """\
# The functions npu_* of torch_npu

torch_npu 2.13.0 has {count} functions `torch_npu.npu_*`. Each is called once on Ascend910B1, without the optional
arguments, unless the plugin itself requires them.
{counts}.
Collectives (`hcom`, `group_ep`) get the name of a group that does not exist, so those that compute refuse it here; they
run [under torchrun](../hccl.md#operators-that-communicate).
`python -m tests.clients.torch_npu.functions` makes this page.

- *no kernel*: the emulator knows the interface of the aclnn function, but has no formula; the reason is on the page of
  [the families](../families/index.md).
- *refused*: the first phase returns the status, for the given reason.
- *absent*: the plugin uses an operator type without a row in
  [operators by name](../operators-by-name.md), or a function without facts.
- *torch_npu*: the plugin itself refuses the call.
"""
COMPUTES, KERNEL, REFUSED, ABSENT, PLUGIN = "computes", "no kernel", "refused", "absent", "torch_npu"


class Result(NamedTuple):
    """The end of a call: its kind, what ended it, and why."""

    outcome: str
    what: str = ""
    why: str = ""


def called(python: Path, folder: Path, given: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """The names of the plugin's functions, and the text of the exception of each call; empty if there is none."""
    program = HERE / "programs" / "functions.py"
    ran = subprocess.run(
        [str(python), "-m", "aclnn", "run", "--npu", "--soc", "Ascend910B1", str(program), str(CALLS)], cwd=folder,
        env=environment(dict(given)), capture_output=True, encoding="utf-8", check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr
    names, texts = json.loads(next(line for line in ran.stdout.splitlines() if line.startswith("[[")))
    return names, texts


def result(text: str) -> Result:
    """The result of a call, by the text of its exception."""
    if not text:
        return Result(COMPUTES)
    if found := re.search(r"no kernel for (aclnn\w+)(?: with ([^:]+))?", text):
        name, calls = found.groups()
        return Result(KERNEL, name, f"with {calls}" if has_kernel(name) else reason(name))
    if found := re.search(r"call (aclnn\w+) failed.*?error code is (\d+)", text, re.DOTALL):
        return Result(REFUSED, f"{found[1]}, {found[2]}", _sentence(text))
    if found := re.search(r"OPS function error: (\w+)", text):
        return Result(ABSENT, f"operator type {found[1]}", "no row in operators by name")
    if found := re.search(
        r"(?:Failed to find function )?(acl\w+) or \w+ not in|Failed to find function (acl\w+)", text
    ):
        return Result(ABSENT, found[1] or found[2], "no document has facts of it here")
    return Result(PLUGIN, "", text.partition(": ")[2].split("[ERROR]")[0].split("\n")[0].strip())


def _sentence(text: str) -> str:
    """The library's sentence, with what was found and what is allowed."""
    found = re.search(r"AclNN_\w+\(\w+\):\s*([^\n]*)", text)
    assert found is not None, text
    sentence, _, facts = re.sub(r" on Ascend910B1 \([^)]*\)", " on A2", found[1]).partition(" (parameter: ")
    pair = re.search(r"found: (.*), allowed: (.*?), SoC", facts)
    if pair and pair[2] == "[]":
        return f"no data type of {facts.partition(',')[0]} is listed for A2"
    return f"{sentence} Found: {pair[1]}; allowed: {pair[2]}." if pair else sentence.partition(" [aclnn")[0]


def page(texts: Mapping[str, str]) -> str:
    """The page, from the texts by function."""
    results = {name: result(text) for name, text in sorted(texts.items())}
    count = Counter(each.outcome for each in results.values())
    counts = ", ".join(f"{count[each]} {words}" for each, words in (
        (COMPUTES, "compute"), (KERNEL, "have no kernel"), (REFUSED, "are refused"), (ABSENT, "are absent"),
        (PLUGIN, "are refused by the plugin"),
    ))  # fmt: skip
    return "\n".join([TEXT.format(count=len(results), counts=counts), table(HEAD, rows(results)), ""])


HEAD = ("function", "result", "what", "why")


def rows(results: Mapping[str, Result]) -> Iterator[tuple[str, ...]]:
    for name, found in results.items():
        yield f"`{name}`", found.outcome, found.what, plain(found.why)


if __name__ == "__main__":
    PAGE.write_text(page(called(installed(), ROOT, {})[1]), encoding="utf-8")
