"""Mutations of the checks of lifetime, of unwritten memory, and of accesses by the host's own code."""

from __future__ import annotations

from typing import Final

from tests.mutations.mutation import mutations

CHECKS: Final = "tests/acl_runtime/checks"

MUTATIONS: Final = (
    *mutations(__file__, "acl_runtime/checks/lifetime/leaks.py", f"{CHECKS}/lifetime {CHECKS}/test_virtual_memory.py {CHECKS}/test_findings_twins.py", {
        "members of a list leak beside it": ("if thing.number not in members and not", "if not"),
        "one missing reset is none": ("if device.references and not", "if device.references > 1 and not"),
        "a default stream leaks": (
            'return "" if thing.default else "stream-leaked"', 'return "stream-leaked"',
        ),
        "a repeatable executor leaks like any other": (
            'return "repeat-not-destroyed" if thing.repeatable else "exec-leaked"', 'return "exec-leaked"',
        ),
        "memory of the host in a reservation leaks as pinned": ("if memory.shows is None and not", "if not"),
        "all memory of one size is one leak": (
            "(piece.made, piece.size, piece.words)", '("", piece.size, piece.words)',
        ),
    }),
    *mutations(__file__, "acl_runtime/checks/lifetime/teardown_order.py", f"{CHECKS}/lifetime {CHECKS}/test_findings_that_follow.py", {
        "each late object of a reset is reported": ('self._machine.consequences.taint(reset, "order-teardown")', "pass"),
    }),
    *mutations(__file__, "acl_runtime/checks/lifetime/churn.py", f"{CHECKS}/lifetime/test_churn.py", {
        "a hundred times is not often": ("self.times >= OFTEN", "self.times > OFTEN"),
        "a loop without launches is a habit": ("if launches > habit.last:", "if launches >= habit.last:"),
        "waits without launches in between count": ("if launches > self._waited_at:", "if launches >= self._waited_at:"),
        "two launches each time are too many": ("PER_OPERATOR * (self.times - 1)", "PER_OPERATOR * (self.times - 2)"),
    }),
    *mutations(__file__, "acl_runtime/checks/lifetime/executor_calls.py", "tests/aclnn/engine/test_executor_threads.py", {
        "calls with any executor meet": ("if call[0] == number and", "if"),
    }),
    *mutations(__file__, "acl_runtime/checks/uninitialised/unwritten.py", f"{CHECKS}/uninitialised", {
        "a copy is blamed for the byte behind it": ("if low <= first < high][-1:]", "if low <= first <= high][-1:]"),
        "a copy without any written byte is not reported": ("_size(missing) < _size(pieces)", "_size(missing) <= _size(pieces)"),
        "holes of a copied source count as written": ("        low = end\n", "        pass\n"),
        "a strided read is not judged": ("if pattern in record.patterns:", "if pattern is not None:"),
        "one write writes all of an allocation": ("record.complete = record.bytes.covers(0, piece.size)", "record.complete = True"),
        "an operator copies unwritten bytes as written ones": ("unwritten.append((begin + shift, end + shift))", "pass"),
        "a repeated copy copies the same": ("used.copying, True", "used.copying, False"),
        "a sum does not read what it adds to": ("if access.use not in READS or", "if access.use is not Use.READ or"),
    }),
    *mutations(__file__, "acl_runtime/checks/host_access/watches.py", f"{CHECKS}/host_access {CHECKS}/races/test_races.py", {
        "pages that hold other bytes are guarded": ("else self.high - self.high % PAGE", "else round_up(self.high, PAGE)"),
        "a write to the target is an early read": ("elif not watch.touched or watch.wrote:", "elif not watch.touched:"),
        "the copy's own write is a change": ("self.sum = self.now()\n\n\nGuarded", "pass\n\n\nGuarded"),
    }),
)  # fmt: skip
