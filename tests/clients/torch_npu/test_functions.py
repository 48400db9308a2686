"""Each function npu_* of the plugin answers as its page says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clients.torch_npu.functions import CALLS, PAGE, Result, called, page, result

LISTED = [line.partition(": ")[0] for line in CALLS.read_text(encoding="utf-8").splitlines()]


def test_all_functions_are_called_and_answer_as_the_page_says(
    python: Path, user: dict[str, str], tmp_path: Path
) -> None:
    names, texts = called(python, tmp_path, user)
    assert names == LISTED == list(texts)
    assert page(texts) == PAGE.read_text(encoding="utf-8")


TEXTS = [
    ("", Result("computes")),
    ("RuntimeError: call aclnnFoo failed, error code is 561003 This emulator has no kernel for aclnnFoo with a mask: "
     "its interface", Result("no kernel", "aclnnFoo", "with a mask")),
    ("RuntimeError: call aclnnFoo failed\n error code is 161002\n AclNN_Parameter_Error(EZ1001):  Bad. (parameter: x, "
     "found: 1, allowed: 2, SoC: A) [x]", Result("refused", "aclnnFoo, 161002", "Bad. Found: 1; allowed: 2.")),
    ("RuntimeError: OPS function error: Foo, error code is 500002",
     Result("absent", "operator type Foo", "no row in operators by name")),
    ("RuntimeError: aclnnFoo or aclnnFooGetWorkspaceSize not in libopapi.so",
     Result("absent", "aclnnFoo", "no document has facts of it here")),
    ("RuntimeError: x is wrong\n[ERROR]", Result("torch_npu", "", "x is wrong")),
]  # fmt: skip


@pytest.mark.parametrize(("text", "wanted"), TEXTS)
def test_the_result_of_a_text(text: str, wanted: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    """This needs no plugin."""
    monkeypatch.setattr("tests.clients.torch_npu.functions.has_kernel", lambda name: True)
    assert result(text) == wanted
