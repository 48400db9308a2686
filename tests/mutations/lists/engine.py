"""Mutations of the two phases of operators: plans, caches, the memory of a launch."""

from __future__ import annotations

from typing import Final

from tests.mutations.mutation import mutations

TESTS: Final = "tests/aclnn/engine"
DOCUMENTS: Final = "tests/derived/documents"

MUTATIONS: Final = (
    *mutations(__file__, "aclnn/engine/launch_memory.py", f"{TESTS}/test_places.py {TESTS}/test_executor_life.py tests/derived/test_own_operators.py {DOCUMENTS}/test_launches.py {TESTS}/test_kernels.py", {
        "a view up to the end of its storage exceeds it": ("if low < 0 or high > needed:", "if low < 0 or high >= needed:"),
        "storage up to the end of its memory exceeds it": ("tensor.address) < needed:", "tensor.address) <= needed:"),
        "a workspace of exactly the size is small": ("if size >= needed and room >= needed:", "if size >= needed and room > needed:"),
        "a destroyed tensor is launched": ("        if tensor.ended:", "        if False:"),
        "a tensor that is there twice is reported twice": ("machine, first = current(), tensor not in seen", "machine, first = current(), True"),
    }),
    *mutations(__file__, "acl_runtime/machine/missed.py", f"{TESTS}/test_places.py {TESTS}/test_executor_life.py tests/derived/test_own_operators.py {DOCUMENTS}/test_launches.py {TESTS}/test_kernels.py", {
        "freed memory is reported for each tensor in it": ("elif piece is None or piece not in seen:", "else:"),
    }),
    *mutations(__file__, "aclnn/engine/aliases.py", f"{TESTS}/test_aliases.py {TESTS}/test_alignment.py", {
        "one tensor as two outputs overlaps": (" or (other.output and output.tensor is other.tensor):", ":"),
        "outputs may overlap each other": ("inputs + outputs[i + 1 :]", "inputs"),
        "a view of smaller elements is the same view": ("if written.address != read.address or written.itemsize != read.itemsize:", "if written.address != read.address:"),
        "strides of one element matter": ("if size != 1]", "]"),
        "half a block is aligned": ("BLOCK: Final = 32", "BLOCK: Final = 16"),
        "a workspace may overlap tensors": ("    _check_workspace(placed, workspace, device)", "    pass"),
    }),
    *mutations(__file__, "acl_runtime/streams/host_thread.py", "tests/cpp/test_served_calls.py", {
        "another context keeps the plans of first phases": ("            process.change_conditions()", "            pass"),
    }),
    *mutations(__file__, "acl_runtime/api/rt/ending.py", "tests/cpp/test_served_calls.py", {
        "first phases are served without a context": ("    process.change_conditions()", "    pass"),
    }),
    *mutations(__file__, "aclnn/engine/second_phase.py", f"{TESTS}/test_executor.py {TESTS}/test_executor_life.py tests/derived/test_own_operators.py {DOCUMENTS}/test_launches.py", {
        "a workspace without room for copies is enough": ("short = size < executor.plan.copies or (workspace", "short = (workspace"),
        "an executor is launched twice": ("machine.handles.remove(executor, USED_UP, where)", "pass"),
        "an aborted stream takes a launch": ("            or stream.aborted\n", ""),
        "a stream of another context takes a launch": ("            or stream.context is not context\n", ""),
        "the executor of another operator is launched": ("elif executor.operator != op.c_name() or not", "elif not"),
    }),
    *mutations(__file__, "aclnn/engine/memo.py", f"{TESTS}/test_memo.py {TESTS}/test_alike_calls.py {TESTS}/test_executor_life.py {TESTS}/test_alignment.py", {
        "an entry outlives its tensors": (" and not any(map(_gone, before.objects)):", ":"),
        "a plan that looks at a scalar is kept for all values": ("by_value if dependent else key", "key"),
        "a scalar is a null handle": ("key.append(~thing.dtype)", "key.append(0)"),
        "zeros of both signs are one value": ("return value.hex() if type(value) is float else value", "return value"),
        "one tensor twice is like two tensors": ("if len(set(tensors)) < len(tensors):", "if False:"),
        "a binding outlives its memory": (" and not any(map(_gone, before.ranges.pieces)):", ":"),
        "a binding outlives its tensors": ("alive = not any(map(_gone, executor.users))", "alive = True"),
        "a binding keeps the scalars of its first launch": ("if executor.plan.has_placeholders and before.passed !=", "if False and before.passed !="),
        "a misaligned launch is judged once": ("if workspace % BLOCK or any(tensor.address % BLOCK for _, tensor in executor.used):", "if False:"),
        "a call with a finding is kept": ("if key is None or machine.findings.attempts != attempts:", "if key is None:"),
    }),
    *mutations(__file__, "aclnn/engine/plan_builder.py", f"{TESTS}/test_places.py {TESTS}/test_alike_calls.py tests/derived/test_own_operators.py {DOCUMENTS}/test_launches.py", {
        "a view one element behind its storage is planned": ("tensor.offset + high >= room:", "tensor.offset + high > room:"),
        "a tensor is made contiguous twice": ("if tensor in self._made_contiguous:", "if False:"),
        "the least workspace is asked for by every plan": ("workspace_size=max(size, min_workspace) if steps else size", "workspace_size=max(size, min_workspace)"),
    }),
    *mutations(__file__, "aclnn/engine/workspace.py", f"{TESTS}/test_executor.py", {
        "a slot is used again while it is read": ("if bucket[-1].last < slot.first]", "if bucket[-1].last <= slot.first]"),
        "a bucket is as large as its first slot": ("total += max(aligned(slot.nbytes) for slot in bucket)", "total += aligned(bucket[0].nbytes)"),
    }),
)  # fmt: skip
