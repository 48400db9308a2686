"""Mutations of the conversions of arguments."""

from __future__ import annotations

from typing import Final

from tests.mutations.mutation import mutations

ROOM: Final = "tests/acl_runtime/abi"

MUTATIONS: Final = (
    *mutations(__file__, "acl_runtime/abi/conversions.py", ROOM, {
        "a signed number wraps to an unsigned one": (
            "return (number - self.low & self.mask) + self.low", "return number & self.mask",
        ),
        "a signed number goes up to the most of an unsigned one": ("self.high = self.low + self.mask", "self.high = self.mask"),
        "a text goes on behind its NUL": ('return value and value.split("\\0", 1)[0]', "return value"),
        "an array may have gaps": (
            "if value.dtype != self.dtype or not value.flags.c_contiguous:", "if value.dtype != self.dtype:",
        ),
        "an output of a refused class is taken": (
            "if isinstance(target, self.accepted) and not isinstance(target, self.refused):",
            "if isinstance(target, self.accepted):",
        ),
        "the number of a handle has more than 64 bits": ("return value & 0xFFFF_FFFF_FFFF_FFFF", "return value"),
        "a null function pointer is a function": ("return Given(None if null else value)", "return Given(value)"),
        "an array of structs may be of another kind": ("(target is not None and kind is not self.kind)", "False"),
    }),
    *mutations(__file__, "acl_runtime/abi/pointers.py", f"{ROOM} tests/acl_runtime/api/memory", {
        "a read-only array is written": ("if target and readonly:", "if False:"),
        "a read-only buffer is written": ("if target and view.readonly:", "if False:"),
        "an offset into an object makes it no smaller": ("size = max(0, size - (start - ctypes.addressof(obj)))", "pass"),
        "every ctypes object owns its memory": ("return bool(value._b_needsfree_ or value._objects)", "return True"),
        "an address has more than 64 bits": ("return Address(int(value) & 0xFFFF_FFFF_FFFF_FFFF)", "return Address(int(value))"),
    }),
    *mutations(__file__, "acl_runtime/abi/unrolled.py", ROOM, {
        "a null handle is None": ('f"a{i}.value or 0 if type(a{i})', 'f"a{i}.value if type(a{i})'),
        "a number is not compared with its least": (
            "is int and l{i} <= a{i} <= m{i} else", "is int and a{i} <= m{i} else",
        ),
    }),
    *mutations(__file__, "acl_runtime/abi/function.py", f"{ROOM} tests/acl_runtime/test_on_demand.py tests/acl_runtime/api/test_edges.py", {
        "an unknown keyword is ignored": ("if rest or len(taken) != len(names):", "if len(taken) != len(names):"),
    }),
    *mutations(__file__, "acl_runtime/abi/printf.py", "tests/acl_runtime/api/system", {
        "an unsigned number is negative": ('if conversion in "di" and number >> bits - 1:', "if number >> bits - 1:"),
        "the sign stands behind the zeros": ('head = re.match(r"[-+ ]?', 'head = re.match(r"'),
    }),
)  # fmt: skip
