"""Call operators with PyTorch's samples on the emulated device and on the CPU. Started by `__main__`."""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any

import torch
import torch_npu  # pyright: ignore[reportMissingImports]  # noqa: F401  # registers the device
from torch.testing._internal.common_device_type import toleranceOverride
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils._pytree import tree_leaves, tree_map

from tests.clients.torch_npu.samples.outcomes import Outcome, Result, of_exception, of_stderr, short

DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16, "int64": torch.int64,
          "bool": torch.bool}  # fmt: skip
DEVICE_LOST = 3
"""the exit code after a task that failed: the worker is started again behind this operator"""
COMPARED = ("TestCommon", "test_compare_cpu")
"""PyTorch's test that compares a device with the CPU: it has exceptions and tolerances by operator"""


class Stderr:
    """The text that this process writes on stderr, also from C++."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile("w+b")  # noqa: SIM115  # it is open as long as the process runs
        self.real = os.dup(2)
        os.dup2(self._file.fileno(), 2)

    def taken(self) -> str:
        """The text that was written since the last time."""
        sys.stderr.flush()
        size = self._file.seek(0, os.SEEK_END)
        if not size:
            return ""
        self._file.seek(0)
        text = self._file.read().decode(errors="replace")
        self._file.truncate(0)
        self._file.seek(0)
        os.write(self.real, text.encode())
        return text


def on(device: str, value: Any) -> Any:
    """The argument, with its tensors and devices on a device. Views stay views: strides are kept."""

    def moved(each: Any) -> Any:
        if isinstance(each, torch.Tensor):
            if device == "cpu" or each.device.type == device:
                return each.detach().cpu() if device == "cpu" else each
            if each.layout is not torch.strided or each.is_contiguous() or not each.numel():
                return each.to(device)
            span = sum((size - 1) * step for size, step in zip(each.shape, each.stride(), strict=True)) + 1
            dense = each.as_strided((span,), (1,)).to(device)
            return dense.as_strided(each.shape, each.stride())
        if isinstance(each, torch.device) or (isinstance(each, str) and each == "cpu"):
            return torch.device(device)
        return each

    return tree_map(moved, value)


def copied(value: Any) -> Any:
    """The argument, with tensors of its own, so that an operator in place does not change it."""
    return tree_map(lambda each: each.detach().clone() if isinstance(each, torch.Tensor) else each, value)


def widened(value: Any) -> Any:
    """The argument, with 16-bit tensors in float32."""
    narrow = (torch.float16, torch.bfloat16)
    return tree_map(
        lambda each: torch.float32 if isinstance(each, torch.dtype) and each in narrow
        else each.float() if isinstance(each, torch.Tensor) and each.dtype in narrow else each, value,
    )  # fmt: skip


def decorated(op: Any, dtype: torch.dtype) -> tuple[bool, tuple[float, float] | None]:
    """Does PyTorch's own test compare the values of this operator, and the tolerances that it has for it."""
    compared, tolerance = True, None
    for each in op.decorators:
        if getattr(each, "cls_name", None) is None or not each.is_active(*COMPARED, "cpu", dtype, {}):
            continue
        for decorator in each.decorators:
            if isinstance(decorator, toleranceOverride):
                found = decorator.d.get(dtype)
                tolerance = (found.rtol, found.atol) if found else tolerance
            else:
                compared = False
    return compared, tolerance


def compare(found: Any, wanted: Any, rule: tuple[bool, tuple[float, float] | None]) -> Result:
    """Compare by PyTorch's tolerances for a data type, or the operator's own where these are wider. Where PyTorch's own
    test does not compare the values, equal ones are right, and others are not judged."""
    compared, tolerance = rule
    if isinstance(wanted, torch.Tensor) and (found.shape, found.dtype) != (wanted.shape, wanted.dtype):
        return Result(Outcome.DIFFERS, f"{found.dtype} {list(found.shape)}, not {wanted.dtype} {list(wanted.shape)}")
    different = Outcome.DIFFERS if compared else Outcome.NOT_COMPARED
    more = {} if tolerance is None else {"rtol": tolerance[0], "atol": tolerance[1]}
    try:
        torch.testing.assert_close(on("cpu", found), wanted, equal_nan=True, check_stride=False)
    except AssertionError as error:
        try:
            if not more:
                raise
            torch.testing.assert_close(on("cpu", found), wanted, equal_nan=True, check_stride=False, **more)
        except AssertionError:
            return Result(different, short(error))
    return Result(Outcome.RIGHT)


def in_float32(op: Any, sample: Any, found: Any, rule: Any) -> Result:
    """Compare with the CPU in float32, rounded once. On the CPU, some operators round 16-bit intermediates."""
    wide = widened(copied((sample.input, sample.args, sample.kwargs)))
    torch.manual_seed(0)
    try:
        wanted = sample.output_process_fn_grad(op(wide[0], *wide[1], **wide[2]))
    except Exception:
        return Result(Outcome.DIFFERS)
    types = iter([each.dtype for each in tree_leaves(found) if isinstance(each, torch.Tensor)])
    rounded = tree_map(lambda each: each.to(next(types)) if isinstance(each, torch.Tensor) else each, wanted)
    return compare(found, rounded, rule)


def one(op: Any, dtype: torch.dtype, sample: Any, rule: Any, stderr: Stderr) -> Result | None:
    """Call an operator on both devices; None if the CPU refuses the sample."""
    given = (sample.input, sample.args, sample.kwargs)
    mine, theirs = copied(given), on("npu", given)
    torch.manual_seed(0)
    try:
        wanted = sample.output_process_fn_grad(op(mine[0], *mine[1], **mine[2]))
    except Exception:
        return None
    stderr.taken()
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            found = sample.output_process_fn_grad(op(theirs[0], *theirs[1], **theirs[2]))
            torch.npu.synchronize()  # pyright: ignore[reportAttributeAccessIssue]
            result = compare(found, wanted, rule)
            if result.outcome in (Outcome.DIFFERS, Outcome.NOT_COMPARED) and dtype in (torch.float16, torch.bfloat16):
                again = in_float32(op, sample, found, rule)
                result = again if again.outcome is Outcome.RIGHT else result
        except Exception as error:
            result = of_exception(error)
    written = stderr.taken() + "\n".join(str(each.message) for each in warned)
    if result.outcome is Outcome.RIGHT or "fall back" in written:
        return of_stderr(written) or result
    return result


def alive() -> bool:
    """Does the device still compute? After a task that failed, it does not."""
    try:
        torch.ones(1, device="npu").add_(1)
        torch.npu.synchronize()  # pyright: ignore[reportAttributeAccessIssue]
    except RuntimeError:
        return False
    return True


def chosen(op: Any, dtype: torch.dtype, most: int, seed: int) -> Iterator[Any]:
    """The samples of an operator, or a seeded choice of them."""
    name = f"{op.formatted_name} {dtype}"
    torch.manual_seed(seed)
    random.seed(seed)
    samples = list(op.sample_inputs("cpu", dtype))
    if most and len(samples) > most:
        samples = random.Random(f"{seed} {name}").sample(samples, most)
    yield from samples


def pairs(asked: argparse.Namespace) -> Iterator[tuple[Any, str]]:
    """The operators and data types of this worker."""
    part, parts = map(int, asked.part.split("/"))
    share: float = asked.share
    done = set(asked.done.split(",")) if asked.done else set()
    both = [(op, name) for op in op_db for name in asked.dtypes.split(",")]
    for at, (op, name) in enumerate(both):
        key = f"{op.formatted_name} {name}"
        mine = at % parts == part and key not in done and re.fullmatch(asked.ops, op.formatted_name)
        if (
            mine
            and DTYPES[name] in op.supported_dtypes("cpu")
            and random.Random(f"{asked.seed} {key}").random() < share
        ):
            yield op, name


def main() -> int:
    parser = argparse.ArgumentParser()
    for option, default in {"out": "", "part": "0/1", "ops": ".*", "dtypes": ",".join(DTYPES), "done": ""}.items():
        parser.add_argument(f"--{option}", default=default)
    parser.add_argument("--most", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--share", type=float, default=1)
    asked = parser.parse_args()
    torch.set_warn_always(True)
    torch.npu.set_device(0)  # pyright: ignore[reportAttributeAccessIssue]
    torch.ones(1).npu()  # pyright: ignore[reportAttributeAccessIssue]
    stderr = Stderr()
    with open(asked.out, "a", encoding="utf-8", buffering=1) as out:
        for op, name in pairs(asked):
            key = f"{op.formatted_name} {name}"
            out.write(json.dumps({"begin": key}) + "\n")
            counts, reasons, since, lost = Counter[str](), {}, time.monotonic(), False
            rule = decorated(op, DTYPES[name])
            for sample in chosen(op, DTYPES[name], asked.most, asked.seed):
                try:
                    result = one(op, DTYPES[name], sample, rule, stderr)
                except Exception as error:  # arguments that cannot be copied to the device
                    result = of_exception(error)
                if result is None:
                    continue
                lost = result.outcome in (Outcome.FAILED, Outcome.REFUSED) and not alive()
                result = Result(Outcome.FAILED, result.reason) if lost else result
                counts[result.outcome.value] += 1
                if result.reason:
                    reasons.setdefault(result.outcome.value, Counter())[result.reason] += 1
                if lost:
                    break
            out.write(json.dumps({
                "pair": key, "counts": counts, "seconds": round(time.monotonic() - since, 3),
                "reasons": {kind: dict(found.most_common(3)) for kind, found in reasons.items()},
            }) + "\n")  # fmt: skip
            if lost:
                return DEVICE_LOST
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
