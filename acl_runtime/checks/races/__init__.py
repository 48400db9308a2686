"""Races: accesses to the same bytes without a defined order.

`happens_before` is the race detector; its docstring explains vector clocks and the order of actions. `accesses` stores,
for each piece of memory, the accesses that may race with later accesses. `unplaced` stores tasks that are queued and
cannot be ordered yet. `races` makes the findings: their ids, texts and hints. `event_reset` finds an event that is
reset while a stream may still wait for it.
"""
