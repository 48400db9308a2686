"""The page of the engines has what the declarations say."""

from __future__ import annotations

from aclnn.catalogue.index import names
from tests.clients.engines import PAGE, calls, page
from tests.clients.torch_npu.functions import CALLS


def test_the_page_follows_the_declarations() -> None:
    assert page() == PAGE.read_text(encoding="utf-8")


def test_the_functions_exist() -> None:
    plugin = {line.partition(": ")[0] for line in CALLS.read_text(encoding="utf-8").splitlines()}
    listed = calls()
    assert {call.name for call in listed} <= set(names())
    public = {call.plugin for call in listed if not call.plugin.startswith("_")}
    assert public <= plugin, "the page of torch_npu has no private functions"
    assert [call.name for call in listed] == list(dict.fromkeys(call.name for call in listed))
