"""Calls each function of a list once, as `name: arguments`, and prints the text of its exception as JSON; an empty text
is a call that the stream ran. The names of all functions of the plugin come first."""

import json
import sys

import torch
import torch_npu

torch.npu.config.allow_internal_format = True


def whole(dtype):
    """Tensors of integers: from a list, or zeros of some sizes."""

    def made(*sizes):
        listed = bool(sizes) and isinstance(sizes[0], list)
        return (torch.tensor(sizes[0], dtype=dtype) if listed else torch.zeros(*sizes, dtype=dtype)).npu()

    return made


def real(dtype):
    return lambda *sizes: torch.full(sizes, 0.5, dtype=dtype).npu()


def boxes(count):
    return torch.tensor([[0.0, 1, 4, 5]] * count).T.contiguous().npu()


words = {
    "torch": torch, "boxes": boxes, "nz": lambda x: torch_npu.npu_format_cast(x, 29),
    "bools": lambda *sizes: torch.ones(*sizes, dtype=torch.bool).npu(),
    "i": whole(torch.int32), "l": whole(torch.int64), "b": whole(torch.int8), "u": whole(torch.uint8),
    "h": real(torch.float16), "f": real(torch.float32), "bf": real(torch.bfloat16),
}  # fmt: skip
found = {}
with open(sys.argv[1], encoding="utf-8") as calls:
    for line in calls:
        name, _, arguments = line.strip().partition(": ")
        try:
            eval(f"call({arguments})", {**words, "call": getattr(torch_npu, name)})
            torch.npu.synchronize()
            found[name] = ""
        except Exception as error:
            found[name] = f"{type(error).__name__}: {error}"
print(json.dumps([[name for name in dir(torch_npu) if name.startswith("npu_")], found]))
