"""Mutations of the race detector."""

from __future__ import annotations

from typing import Final

from tests.mutations.mutation import mutations

RACES: Final = "tests/acl_runtime/checks/races"

MUTATIONS: Final = (
    *mutations(__file__, "acl_runtime/checks/races/accesses.py", RACES, {
        "a longer access counts as one of the same bytes": ("start == low and end == high", "start == low and end >= high"),
        "an access covers one of other columns": (
            "return stronger and (self.layout is None or self.layout == other.layout)", "return stronger",
        ),
        "a read covers a write": (
            "stronger = self.use is other.use or (self.use in (Use.WRITE, Use.UPDATE, Use.SCRATCH))", "stronger = True",
        ),
        "a sum and a maximum commute": (
            "(self.use is Use.ACCUMULATE and self.role == other.role)", "self.use is Use.ACCUMULATE",
        ),
        "two writes do not clash": ("(self.use is Use.READ or", "(self.use in (Use.READ, Use.WRITE) or"),
        "the end of an older access is forgotten": ("new.append((high, end, accesses))", "pass"),
        "the begin of an older access is forgotten": ("new.append((start, low, accesses))", "pass"),
        "bytes between two older accesses are forgotten": ("new.append((low, start, (access,)))", "pass"),
        "bytes behind all older accesses are forgotten": ("            _join(new, (low, high, (access,)))", "            pass"),
        "the access before touches its neighbour": ("self._segments[first - 1][1] > low", "self._segments[first - 1][1] >= low"),
        "the access behind touches its neighbour": ("bisect_left(self._starts, high)", "bisect_right(self._starts, high)"),
        "the latest access counts as the only one": ("self.only = access if alone else None", "self.only = access"),
        "the latest agent counts as the only one": (
            "self.agent = access.action.agent if alone else None", "self.agent = access.action.agent",
        ),
        "a repeated launch is not stored": (
            "self.only = None\n        self._again.add(access)", "self.only = None\n        pass",
        ),
        "repeated launches are stored in the wrong order": ("key=_number)", "key=_number, reverse=True)"),
        "an executed model has no accesses after a wait": ("self._again.add(access)\n        return True", "pass\n        return True"),
        "a host that waited for an event knows what came later": ("if access.action.number <= upto and", "if"),
        "the access of a tainted action is dropped": (" and not access.action.taint}", "}"),
        "a later taint of an access is not seen": ("if self._untainted != taints:", "if False:"),
    }),
    *mutations(__file__, "acl_runtime/checks/races/happens_before.py", RACES, {
        "the last action of an agent is over too early": (
            "agent.knows(before.agent, before.number):", "agent.knows(before.agent, before.number - 1):",
        ),
        "a stream does not learn the record that it waits for": ("            agent.learn(clock)", "            pass"),
        "a stream does not learn what its launcher knows": ("agent.merge(me)\n        tables", "pass\n        tables"),
        "a stream does not learn what its host code learnt": ("stream.agent.learn(task.host_clock)", "pass"),
        "a record has what its stream does later": (
            "if task.publishes:\n            task.clock = dict(agent.clock)", "if task.publishes:\n            task.clock = agent.clock",
        ),
        "a value has what its stream does later": ("action.clock = dict(agent.clock)", "action.clock = agent.clock"),
        "accesses are forgotten while tasks cannot be ordered": (
            "if before.over or (not unsure and self.host.knows(before, number)):",
            "if before.over or self.host.knows(before, number):",
        ),
        "an access that is not ordered after another one covers it": (
            "return not (agent.knows(before, number) and access.covers(old))", "return not access.covers(old)",
        ),
        "the host's accesses are never remembered": ("if agent is self.host and not unsure:", "if agent is self.host:"),
        "a launch repeats one of another stream": ("accesses.only is access and before.agent is agent", "accesses.only is access"),
        "a launch continues after tainted accesses": ("if before.taint:", "if False:"),
        "a launch continues in memory of another stream": ("if accesses.agent is not agent or", "if"),
        "a launch continues where a check watches": (" or not watched.isdisjoint(piece.notes)", ""),
        "the work of a destroyed stream is never over": ("old.over = True", "pass"),
        "tasks that cannot be ordered do not hold memory": ("yield from self._unplaced(place)", "pass"),
        "host code does not know what its stream did before": ("agent.learn(task.clock or {})", "pass"),
        "a dropped wait is never over": ("if task.action is not None else not task.queued", "if task.action is not None else False"),
    }),
    *mutations(__file__, "acl_runtime/checks/races/unplaced.py", RACES, {
        "the latest task is ordered first": ("self._tasks.popleft()", "self._tasks.pop()"),
        "the access of the latest task is removed first": ("pending.popleft()", "pending.pop()"),
    }),
    *mutations(__file__, "acl_runtime/memory/located_ranges.py", f"{RACES} tests/acl_runtime/checks/test_virtual_memory.py", {
        "rows in registered memory stay at the address of the device": (
            "Layout(layout.address + shift,", "Layout(layout.address,",
        ),
    }),
    *mutations(__file__, "acl_runtime/checks/races/races.py", f"{RACES} tests/acl_runtime/checks/test_virtual_memory.py", {
        "a write of the host counts as a read": ("if on_host[0].use is Use.READ:", "if on_host:"),
        "an access by another mapping holds this one": (
            "if access.used.meets(mapping.address, mapping.end):", "if True:",
        ),
    }),
    *mutations(__file__, "acl_runtime/checks/races/event_reset.py", RACES, {
        "a wait that is over is reset too early": (" and not over(agent, waiting))", ")"),
    }),
    *mutations(__file__, "acl_runtime/streams/vector_clock.py", f"{RACES} tests/acl_runtime/streams/test_scheduling.py", {
        "the latest known action is not over": ("self.clock.get(agent, 0) >= number", "self.clock.get(agent, 0) > number"),
        "of many agents, the one that speaks is missed": ("            clock[other] = other.now", "            pass"),
    }),
)  # fmt: skip
