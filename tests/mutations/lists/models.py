"""Mutations of offline models."""

from __future__ import annotations

from typing import Final

from tests.mutations.mutation import mutations

API: Final = "tests/acl_runtime/api/mdl"

MUTATIONS: Final = (
    *mutations(__file__, "acl_runtime/api/mdl/requests.py", API, {
        "a buffer that is 65 bytes too short is accepted": ("TOLERATED: Final = 64", "TOLERATED: Final = 65"),
        "a buffer that is 64 bytes too short is refused": ("TOLERATED: Final = 64", "TOLERATED: Final = 63"),
        "sizes are compared although a gear was set": ("judged = not gear and shapes is None", "judged = shapes is None"),
        "neighbours overlap": (
            "slot.address < output.address + output.size and", "slot.address <= output.address + output.size and",
        ),
        "sizes out of their range are accepted": ("        if not inside:", "        if False:"),
    }),
    *mutations(__file__, "acl_runtime/api/mdl/launching.py", API, {
        "the work memory is shared by executions": ("(model.work, WORK, Use.SCRATCH)", "(model.work, WORK, Use.READ)"),
        "a gear that was never set is read as unwritten memory": (
            "if slot.name == GEAR_INPUT and not request.gear", "if False",
        ),
        "a gear is read from 4 bytes alone": ("for kind in (np.int64, np.int32):", "for kind in (np.int32,):"),
        "the last execution is forgotten": ("            model.last[self.stream] = task", "            pass"),
        "outputs keep their old descriptors": ("if self.model.model.unknown:", "if False:"),
    }),
    *mutations(__file__, "acl_runtime/api/mdl/gears.py", API, {
        "a value takes 4 bytes where there is room for 8": ("buffer.size >= len(gear) * LONG", "False"),
        "any batch size is a gear": ("or gear not in gears.values:", "or False:"),
        "the queries do not hear of a gear": ("data_set.gear = model.gear = gear", "data_set.gear = gear"),
    }),
    *mutations(__file__, "acl_runtime/models/described.py", API, {
        "an open dimension has its least size": ("else 0\n\n\ndef work_size", "else 1\n\n\ndef work_size"),
    }),
    *mutations(__file__, "acl_runtime/models/registry.py", f"{API} tests/acl_runtime/models", {
        "ids are used again": ("len(self.loaded) + len(self.unloaded) + 1", "len(self.loaded) + 1"),
    }),
    *mutations(__file__, "acl_runtime/models/files.py", f"{API} tests/acl_runtime/models", {
        "the last part of a path is no name": ("for stated in (path, name):", "for stated in (path,):"),
    }),
)  # fmt: skip
