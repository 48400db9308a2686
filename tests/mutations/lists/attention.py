"""Mutations of attention: sinks, statistics, sparse keys, the gated delta rule."""

from __future__ import annotations

from typing import Final

from tests.mutations.mutation import mutations

OPS, TESTS = "aclnn/ops", "tests/aclnn/ops"
VERSIONS: Final = f"{TESTS}/attention/test_flash_versions.py"
SPARSE: Final = f"{TESTS}/sparse/test_sparse.py"
DELTA: Final = f"{TESTS}/recurrent/test_gated_delta.py"

MUTATIONS: Final = (
    *mutations(__file__, f"{OPS}/attention/_panels.py", VERSIONS, {
        "a sink takes no share": ("total += np.exp(sink - top)", "pass"),
        "a sink is no largest score": ("top = np.maximum(top, sink)", "pass"),
    }),
    *mutations(__file__, f"{OPS}/attention/_flash_versions.py", VERSIONS, {
        "statistics of a batch have their tokens first": ("(0, count * EIGHT, EIGHT, 1)", "(0, EIGHT, heads * EIGHT, 1)"),
        "the text for the order counts on Ascend 950": ("and not ignored and", "and"),
    }),
    *mutations(__file__, f"{OPS}/attention/_flash_back.py", VERSIONS, {
        "the gradient of a sink has the other sign": ("result[0, head] -=", "result[0, head] +="),
    }),
    *mutations(__file__, f"{OPS}/attention/_infer_options.py", f"{TESTS}/attention/test_fused_infer_v5.py", {
        "a sink may have any data type": (" or a.dtype(name) != a.dtype(\"query\"):\n            return name, f\"{a.type_name(name)}", ":\n            return name, f\"{a.type_name(name)}"),
    }),
    *mutations(__file__, f"{OPS}/sparse/indexer.py", SPARSE, {
        "the indices behind the last key are those of hidden keys": ("np.where(beyond, -1, order)", "order"),
        "scores are rounded half to even": ("np.where(tie, away, wide)", "wide"),
    }),
    *mutations(__file__, f"{OPS}/sparse/flash.py", SPARSE, {
        "a list goes on behind -1": ("ids[: ends[0]] if ends.size else ids", "np.abs(ids)"),
        "a row without keys has a sum of 0 beside a sink": ("tops[...], sums[...] = sinks, 1", "tops[...], sums[...] = sinks, 0"),
    }),
    *mutations(__file__, f"{OPS}/sparse/_sequences.py", SPARSE, {
        "a block that does not exist is read": ("    if wrong.size:", "    if False:"),
    }),
    *mutations(__file__, f"{OPS}/recurrent/gated_delta.py", DELTA, {
        "the state does not forget": ("state *= decay", "pass"),
        "a state that another batch wrote is read": ("np.array(cache[source], np.float32)", "cache[source]"),
    }),
)  # fmt: skip
