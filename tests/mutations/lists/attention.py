"""Mutations of attention: sinks, statistics, sparse keys, the gated delta rule."""

from __future__ import annotations

from typing import Final

from tests.mutations.mutation import mutations

OPS, TESTS = "aclnn/ops", "tests/aclnn/ops"
VERSIONS: Final = f"{TESTS}/attention/test_flash_versions.py"
SPARSE: Final = f"{TESTS}/sparse/test_sparse.py"
GRADIENTS: Final = f"{TESTS}/sparse/test_gradients.py"
BLOCKS: Final = f"{TESTS}/sparse/test_blocks.py"
COMPRESSOR: Final = f"{TESTS}/sparse/test_compressor.py"
LATENT: Final = f"{TESTS}/sparse/test_latent.py"
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
    *mutations(__file__, f"{OPS}/sparse/indexer_grad.py", GRADIENTS, {
        "a negative index counts": ("(ids >= 0) & (ids < seen)", "ids < seen"),
        "a product of 0 passes a gradient": ("(products > 0)", "(products >= 0)"),
    }),
    *mutations(__file__, f"{OPS}/sparse/flash_grad.py", GRADIENTS, {
        "the gradient of a null value is lost": ("dk[..., :size] += dv", "pass"),
        "the gradient of queries has no scale": ("of_queries[row] = of_query * unit", "of_queries[row] = of_query"),
    }),
    *mutations(__file__, f"{OPS}/sparse/quant_indexer.py", GRADIENTS, {
        "the scale of keys is left out": ("factors[part]) * scales\n        factors", "factors[part])\n        factors"),
    }),
    *mutations(__file__, f"{OPS}/sparse/compressor.py", COMPRESSOR, {
        "block 0 is written": ("blocks != UNWRITTEN", "blocks >= UNWRITTEN"),
        "a ring keeps all tokens": ("* ratio if ring else 0", "* ratio if False else 0"),
        "the block before is the block itself": ("before[1:] = x[:-1, :, 0]", "before[...] = x[:, :, 0]"),
        "positions begin at 0 in each call": ("(span.start + np.arange(len(rows))) % ratio", "np.arange(len(rows)) % ratio"),
    }),
    *mutations(__file__, f"{OPS}/sparse/latent.py", LATENT, {
        "a window has one key less": ("max(behind - self.left - 1, 0)", "max(behind - self.left, 0)"),
        "an open block of compressed keys is seen": ("max(behind, 0) // window.ratio", "-(-max(behind, 0) // window.ratio)"),
        "a list of positions goes on behind -1": ("min(ends[0] if ends.size else len(ids), count)", "count"),
    }),
    *mutations(__file__, f"{OPS}/sparse/_rows.py", LATENT, {
        "the first tile keeps its size": ("out * shrunk[:, None] +", "out +"),
    }),
    *mutations(__file__, f"{OPS}/sparse/selected.py", BLOCKS, {
        "a mask hides nothing": ("places[places <= row] if causal else places", "places"),
    }),
    *mutations(__file__, f"{OPS}/sparse/compressed.py", BLOCKS, {
        "a block begins a step earlier": ("m * (np.arange(count) + 1)", "m * np.arange(count)"),
    }),
    *mutations(__file__, f"{OPS}/sparse/compression.py", BLOCKS, {
        "each length completes a block": ("count >= size and (count - size) % stride == 0", "count >= size"),
    }),
    *mutations(__file__, f"{OPS}/sparse/tiles.py", BLOCKS, {
        "the logarithm of a row lacks the sum": ("top + np.log(total)", "top"),
    }),
    *mutations(__file__, f"{OPS}/attention/mla_prolog.py", f"{TESTS}/attention/test_mla_prolog.py", {
        "rotary parts of a quantised query are not scaled": ("x * (of_cache.reshape(-1)[0] / scales)", "x"),
        "a compressed query is not smoothed": ("x if smooth is None else x * smooth", "x"),
        "a row of zeros is divided by 0": ("np.where(scales == 0, np.float32(1), scales)", "scales"),
    }),
    *mutations(__file__, f"{OPS}/convolution/fused_causal.py", f"{TESTS}/convolution/test_fused_causal.py", {
        "accepted tokens do not count": ("if accepted is None else int(accepted[batch]) - 1", ""),
        "a slot that is left out is written": ("        if line == pad:", "        if False:"),
    }),
    *mutations(__file__, f"{OPS}/recurrent/gated_delta.py", DELTA, {
        "the state does not forget": ("state *= decay", "pass"),
        "a state that another batch wrote is read": ("np.array(cache[source], np.float32)", "cache[source]"),
    }),
)  # fmt: skip
