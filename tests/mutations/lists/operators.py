"""Mutations of operators that inference engines call: places of experts, fused products, caches of heads."""

from __future__ import annotations

from typing import Final

from tests.mutations.mutation import mutations

OPS, TESTS = "aclnn/ops", "tests/aclnn/ops"

MUTATIONS: Final = (
    *mutations(__file__, f"{OPS}/moe/update_expert.py", f"{TESTS}/moe/test_update_expert.py", {
        "the share of a place is rounded down": ("rank // -(-world // counts)", "rank // max(world // 2, 1)"),
        "the column of counts is a place": ("numbers[..., None] + 1", "numbers[..., None]"),
        "a scale at the threshold is pruned": ("below = scales < scales.sum", "below = scales <= scales.sum"),
        "tokens that are not active stay": ("~below & active[0][:, None] if active else", "~below if active else"),
    }),
    *mutations(__file__, f"{OPS}/matmul/fused.py", f"{TESTS}/matmul/test_fused.py", {
        "the sum is rounded before the operation": ("(in_type, T.ACL_FLOAT), T.ACL_FLOAT, *bias", "(in_type, T.ACL_FLOAT), p.dtype(\"y\"), *bias"),
        "a null x3 is accepted": ("missing = with_third(a) and", "missing = False and"),
        "the forms of gelu are exchanged": ("\"gelu_tanh\": gelu_by_tanh, \"gelu_erf\": gelu_by_erf", "\"gelu_tanh\": gelu_by_erf, \"gelu_erf\": gelu_by_tanh"),
    }),
    *mutations(__file__, f"{OPS}/attention/qkv_cache.py", f"{TESTS}/attention/test_qkv_cache.py", {
        "queries are rotated the other way": ("[-x[..., SIZE // 2 :], x[..., : SIZE // 2]]", "[x[..., SIZE // 2 :], -x[..., : SIZE // 2]]"),
        "a scale is a factor": ("divides=True", "divides=False"),
        "values are the first heads": ("qkv[:, qkv.shape[1] - count :]", "qkv[:, :count]"),
    }),
    *mutations(__file__, f"{OPS}/blocks/rotated.py", f"{TESTS}/blocks/test_rotated.py", {
        "alpha clamps whole rows": ("-1).reshape(-1, BLOCK)", "-1)"),
        "the rotation has the other sign": ("matmul(x.reshape(-1, len(rotation)), rotation)", "matmul(x.reshape(-1, len(rotation)), -rotation)"),
        "INT4 has the limits of INT8": ("**grid(dtype)", "**grid(T.ACL_INT8)"),
    }),
    *mutations(__file__, f"{OPS}/control/sleep.py", f"{TESTS}/control/test_sleep.py", {
        "several numbers are accepted": ("len(values) == 1 and values[0] > 0", "values[0] > 0"),
        "cycles are microseconds": ("/ CYCLES_PER_US", "/ 1"),
    }),
    *mutations(__file__, f"{OPS}/attention/caches.py", f"{TESTS}/attention/test_qkv_cache.py", {
        "a cache in blocks needs a token with a slot": ("(len(tokens), out.shape[1], out.shape[3])", "(len(tokens), -1, out.shape[3])"),
    }),
)  # fmt: skip
