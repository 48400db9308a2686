"""Races: accesses to the same bytes that nothing orders.

`happens_before` is the race detector; it opens with a page about vector clocks and what orders what. `accesses` keeps,
for each piece of memory, the accesses that may still matter. `unplaced` keeps tasks that are queued and cannot be
ordered yet. `races` makes the findings: their ids, texts and hints. `event_reset` finds an event that is reset while a
stream may still wait for it.
"""
