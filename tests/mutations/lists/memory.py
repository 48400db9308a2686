"""Mutations of copies and of device memory."""

from __future__ import annotations

from typing import Final

from tests.mutations.mutation import mutations

API: Final = "tests/acl_runtime/api/memory"
ROOM: Final = "tests/acl_runtime/memory"

MUTATIONS: Final = (
    *mutations(__file__, "acl_runtime/memory/copies.py", f"{API} tests/acl_runtime/checks/races", {
        "two rows use the gap between them": ("if width < pitch and height > 1 else None", "if width < pitch and height > 2 else None"),
        "rows use the gap behind the last one": ("pitch * (height - 1) + width\n        layout", "pitch * height\n        layout"),
        "an allocation is as large from every address on": (
            "available = allocation.size - offset", "available = allocation.size",
        ),
        "a copy of exactly what is left is too large": (
            "if count > available and not already_reported and", "if count >= available and not already_reported and",
        ),
        "unwritten bytes of a source are not filled": (
            "        source.allocation.touch(low, low + copied)", "        pass",
        ),
        "a queued copy writes memory that was freed": ("    if not target.alive:\n        return", "    if False:\n        return"),
        "a copy reads past the end of its source": ("in_both = max(0, min(available, source.available))", "in_both = max(0, available)"),
        "a copy writes past the end of its target": (
            "available = min(count, target.available) if target.alive else 0", "available = count if target.alive else 0",
        ),
    }),
    *mutations(__file__, "acl_runtime/memory/row_copies.py", f"{API}/test_memcpy_2d.py", {
        "a last row that is partly there is dropped": ("-(-target.available // dpitch)", "target.available // dpitch"),
        "the gap between rows counts as written": ("if width == dpitch:", "if width <= dpitch:"),
        "each row has as many bytes left as the first": ("max(side.available - offset, 0)", "side.available"),
    }),
    *mutations(__file__, "acl_runtime/memory/intervals.py", f"{ROOM}/test_intervals.py", {
        "intervals that touch stay apart": ("bisect_left(bounds, low), bisect_right(bounds, high)", "bisect_right(bounds, low), bisect_right(bounds, high)"),
        "the end of an interval is removed with its middle": ("[high] * (last % 2)", "[]"),
        "an interval that begins later is not met": ("index < len(self._bounds) and self._bounds[index] < high", "False"),
        "an interval does not cover itself": ("self._bounds[index] >= high)", "self._bounds[index] > high)"),
        "intervals in an empty part are added though one is there": (
            "if first % 2 == 0 and first == bisect_right(bounds, intervals[-1][1]):", "if first % 2 == 0:",
        ),
    }),
    *mutations(__file__, "acl_runtime/memory/device_memory.py", f"{API} {ROOM}", {
        "the address behind freed memory lies inside of it": ("dead.address <= address < dead.end", "dead.address <= address <= dead.end"),
        "the last bytes of a device cannot be allocated": ("if self.used + real > self.capacity:", "if self.used + real >= self.capacity:"),
        "freed memory stays in use": ("self._occupy(allocation, -allocation.real)", "pass"),
        "pages of one size do not borrow": ("max(total - used - max(used_rest - rest, 0), 0)", "max(total - used, 0)"),
        "addresses do not come back": ("self._free.add(address, extent)", "pass"),
    }),
    *mutations(__file__, "acl_runtime/memory/freed.py", f"{ROOM}/test_freed.py", {
        "a range of exactly this size is too small": ("(self._tree[2 * node] < extent)", "(self._tree[2 * node] <= extent)"),
        "a merged range is as old as its first part": ("max(previous, freed), start", "min(previous, freed), start"),
        "the rest of a range is lost": ("self.add(address + extent, size - extent)", "pass"),
    }),
    *mutations(__file__, "acl_runtime/memory/pieces.py", f"{ROOM}/test_pieces.py", {
        "the address behind a piece lies in it": ("address >= piece.end", "address > piece.end"),
        "a piece touches the range behind it": ("if piece.end > low]", "if piece.end >= low]"),
    }),
    *mutations(__file__, "acl_runtime/memory/layout.py", f"{ROOM}/test_layout.py", {
        "the last element has no bytes": ("            high += self.itemsize", "            pass"),
        "neighbours are no run": ("if not merged and step <= run:", "if not merged and step < run:"),
        "elements that overlap a little do not overlap": ("if step < reached:", "if step < layout.itemsize:"),
        "runs that overlap are listed twice": ("if start <= pieces[-1][1]:", "if start < pieces[-1][0]:"),
    }),
    *mutations(__file__, "acl_runtime/api/memory/virtual_memory.py", f"{API}/test_virtual_memory.py", {
        "twice as many descriptions are read": ("<= MOST_DESCRIPTIONS", "<= 2 * MOST_DESCRIPTIONS"),
        "the most descriptions are too many": ("<= MOST_DESCRIPTIONS", "< MOST_DESCRIPTIONS"),
    }),
)  # fmt: skip
