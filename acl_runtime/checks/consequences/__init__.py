"""The consequences of earlier findings, which no check reports again.

**The problem.** One mistake must be one finding. A program that forgets one wait makes further mistakes: it copies
bytes that may be wrong, frees memory that is in use, and leaves behind what a failed call should have released. Each of
these is wrong by itself, and each check would report it. A user would have to guess which of ten findings is the
mistake.

**The design.** A finding taints what it is about. A check that finds something later asks `Consequences.of(subject)`,
and suppresses its finding where the answer is yes. `Consequences.taint(subject, finding)` is the way to mark. The
subject says what is meant:

    subject         is tainted when                                             suppressed then
    Access          its bytes raced, went away, changed too early, or were      by `Read`: wrong indices in these bytes
                    written by a tainted use
    Read            bytes that the task reads are tainted, or it was launched   wrong indices
                    before the program could know of a failure
    Lost            memory goes away while tasks may use it                     as for Access
    MissingWait     a race shows that a wait is missing                         the other races that the wait would end
    PastEnd         memory was used as far past its end                         the same use again
    Executor        a finding ended its launch                                  its leak
    Release         a finding ended the call that would have released it        the leak of what has this number
    an object, id   this finding was reported of this object                    the same finding of the object
    lines, id       these lines of the program have shown this finding          the same again, as in a loop (`first`)
    Deadlock        these tasks were reported to be stuck                       the next wait for them
    DroppedWork     tasks of a stream never run, which was reported             a wait for an event record among them
    AclError        a call answers it because of a finding                      `ignored-ret`, the last error text
    Task            it was queued when a failure surfaced                       by `Read`: wrong indices

**Where taint is kept.** Taint that has to travel with a value is kept on that value, in an attribute `taint`: of the
`Action` of a use, of a task, an object, a piece of memory, an error. Lower rooms only carry it: a copy of a tensor has
the taint of its original, a call that returns the failure of a task has the taint of that failure. Everything else is
kept in `Consequences`. A lower room that asks or marks has a small protocol in its `ports`.

Tainted bytes are not a set of addresses. An action has the roles of the tainted bytes that it reads. `spread` gives the
taint to each access that touches bytes which a tainted action wrote, and takes it away where they are written over. A
task has the roles that were wrong at its launch. These bytes are not judged again, so a read of unwritten bytes among
them is not reported either. Taint that is added later works from the next use on.

**What the report has.** A finding that the user allows is not in the report. A race that is allowed taints no bytes.
The error that a call answers after an allowed finding is a consequence. Its text is still shown at the end, because
nothing else in the report explains it. Where errors are raised (`on_undefined="raise"`), each of them ended a call, so
an error of the same lines is new each time.

**Related rules elsewhere.** An exception that leaves a block runs `finally` blocks, which then free too early.
`CLEAN_UP` has these findings; `Findings.add` suppresses them while `Findings.travelling` holds. For `uninit-read`, the
outputs of a rejected call count as written (`Uninitialised.rejected`), and so do bytes that were reported as unwritten.
`Written.copies` suppresses nothing: it is history for the text of a finding.
`Findings.shown` only shortens the report at exit.

**Rejected.** A set of tainted addresses: each write would have to search it. A link from each finding to its cause,
shown as a tree: the order in which mistakes are found is not the order of cause. A flag of its own for each noun: there
were a dozen of them, and it was unclear which of them a new check has to ask.

**Known limits.** Taint is kept for each role of a task, but all bytes that a task writes are tainted alike: one tainted
input taints all outputs. Work that was launched before a failure surfaced may be wrong by itself; that is found only
when the first mistake is mended."""

from acl_runtime.checks.consequences.ledger import Consequences
from acl_runtime.checks.consequences.subjects import CLEAN_UP, Lost, MissingWait, Read, Release

__all__ = ["CLEAN_UP", "Consequences", "Lost", "MissingWait", "Read", "Release"]
