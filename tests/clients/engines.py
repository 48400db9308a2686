"""The functions that public engines call through torch_npu: which of them compute, and why the others do not.

`python -m tests.clients.engines` writes docs/clients/engines.md; `test_engines.py` compares it. engines.txt has the
calls that public sources show: the aclnn function, the function of torch_npu that calls it, and the engines.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from aclnn.catalogue.reasons import reason
from aclnn.tools.exports import has_kernel, operators
from aclnn.tools.pages.markdown import plain, table

HERE = Path(__file__).parent
CALLS = HERE / "engines.txt"
PAGE = HERE.parents[1] / "docs" / "clients" / "engines.md"
TEXT = """\
# Operators of inference and training engines

Engines such as vLLM, SGLang and MindSpeed reach Ascend NPUs through torch_npu. Each row is a call that their public
sources or tests show, or those of torch_npu itself; the list has no claim to be complete.
{computed} of {count} functions compute.
[torch_npu_functions.md](torch_npu_functions.md) has all functions `torch_npu.npu_*`, each called once with the plugin.
`python -m tests.clients.engines` makes this page.

- *computes*: the forms in the last column are accepted by the first phase, and their launch returns 561003.
- *no kernel*: every launch returns 561003, for the reason in the last column.
"""
HEAD = ("aclnn function", "function of torch_npu", "engines", "result", "what does not compute")


class Call(NamedTuple):
    """An aclnn function, the function of torch_npu that calls it, and the engines that call this."""

    name: str
    plugin: str
    engines: str


def calls() -> list[Call]:
    return [Call(*line.split(": ")) for line in CALLS.read_text(encoding="utf-8").splitlines()]


def rows() -> Iterator[tuple[str, ...]]:
    for name, plugin, engines in calls():
        known = has_kernel(name)
        missing = "; ".join(form.calls for form in operators()[name].lacks) if known else reason(name)
        yield f"`{name}`", f"`{plugin}`", engines, "computes" if known else "no kernel", plain(missing)


def page() -> str:
    listed = list(rows())
    computed = sum(row[3] == "computes" for row in listed)
    return "\n".join([TEXT.format(computed=computed, count=len(listed)), table(HEAD, listed), ""])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
