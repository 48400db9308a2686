"""The page of the forms of calls that are not taken: `python -m tests.derived.forms` writes docs/forms-not-taken.md.

It has the calls without a kernel, which the declarations name, and the calls of public tests, examples and programs
that are refused, each with its reason.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

import aclnn
from acl_runtime.machine.current import current
from aclnn.catalogue.products import short_name
from aclnn.engine.words.lacking import lacking
from aclnn.tools.exports import operators
from aclnn.tools.pages.markdown import plain, table
from tests.aclnn.ops.case import board
from tests.derived.launching import handle
from tests.derived.public_calls import PublicCall, public_calls
from tests.helpers.builders import plan
from tests.helpers.places import ROOT

PAGE = ROOT / "docs" / "forms-not-taken.md"
TEXT: Final = """\
# Forms of calls that are not taken

Callers meet a refusal for one of three reasons: this emulator has no kernel for the form; the library refuses it too;
or no fact is known. The first two are listed here. Functions without any formula are on the page of
[the families](families/index.md), and those that PyTorch's plugin calls on the page of
[torch_npu.npu_*](clients/torch_npu_functions.md). `python -m tests.derived.forms` makes this page.

## Calls without a kernel

These functions compute, but not these calls: the first phase succeeds, and the launch returns 561003.
"""
PUBLIC: Final = """\
## Calls of public tests that are refused

Public tests of the library expect these refusals. The reason is the sentence of this emulator.
"""
EXAMPLES: Final = """\
## Examples and programs that are refused

These calls stand in public examples and programs, and contradict the document of the function.
"""
PROGRAMS: Final = (
    ("aclnnAdvanceStep", "inputTokens of shape [8, 1]", "161002", "document and library ask for one dimension"),
    ("aclnnFusedAdamw", "stateSteps of 8 elements", "161002", "the document asks for one"),
    ("aclnnInplaceCos", "INT64, as torch.hann_window(n, device='npu') without a dtype", "161002",
     "the document lists floats and complex numbers; with a dtype it computes"),
    ("aclnnMatmul", "INT64, as torch.einsum of integers", "161002", "the document lists floats"),
)  # fmt: skip


def without_kernel() -> Iterator[tuple[str, str]]:
    for name, op in sorted(operators().items()):
        yield from ((name, plain(each)) for each in lacking(op))


def refused() -> Iterator[tuple[str, ...]]:
    """A row for each sentence that refuses public calls of a function."""
    count: Counter[tuple[str, ...]] = Counter()
    for chip in dict.fromkeys(call.chip for call in public_calls()):
        with board(chip):
            series = short_name(current().soc.series)
            for call in public_calls():
                if call.chip == chip and call.status != "0" and (why := _refusal(call)):
                    count[(call.function, series, *why)] += 1
    return ((*row[:3], str(number), plain(row[3])) for row, number in sorted(count.items()))


def _refusal(call: PublicCall) -> tuple[str, str] | None:
    """Status and sentence; None if the call is accepted."""
    op = getattr(aclnn, call.function).op
    first = getattr(aclnn, f"{call.function}GetWorkspaceSize")
    answer = plan(first, *(handle(param, call.arguments[param.printed]) for param in op.params))
    if not answer.status:
        return None
    found = re.search(r"AclNN_\w+\(\w+\):\s*([^\n]*)", answer.text)
    assert found is not None, answer.text
    sentence = found[1].partition(" (parameter: ")[0].partition(" [aclnn")[0]
    sentence = re.sub(r" on Ascend\w+ \([^)]*\)", "", sentence)
    return str(int(answer.status)), re.sub(r"\[[-\d, ]+\]", "[...]", sentence)


def page() -> str:
    return "\n".join([
        TEXT, table(("function", "with"), without_kernel()), "", PUBLIC,
        table(("function", "product", "status", "calls", "reason"), refused()), "", EXAMPLES,
        table(("function", "call", "status", "reason"), (tuple(map(plain, row)) for row in PROGRAMS)), "",
    ])  # fmt: skip


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
