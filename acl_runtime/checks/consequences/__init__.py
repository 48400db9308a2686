"""Consequences of earlier findings, which no check reports.

**The problem.** One mistake must be one finding. A program that forgets one wait makes further mistakes: it copies
bytes that may be wrong, frees memory that is in use, and leaves behind objects that a failed call should have released.
Each of these is wrong by itself, and a check would report each. The user would not know which one is the mistake.

**The design.** A finding taints its subject with `Consequences.taint(subject, finding)`. A check that finds a later
mistake calls `Consequences.of(subject)`, and suppresses its finding if the result is True. The class of the subject
gives the meaning:

    subject         is tainted when                                             suppressed then
    Access          its bytes raced, were freed or changed too early, or were   by `Read`: wrong indices in these bytes
                    written by a tainted access
    Read            the task reads tainted bytes, or was launched before the    wrong indices
                    program could know of a failure
    Lost            memory is freed while tasks may use it                      by `Read`: wrong indices in these bytes
    MissingWait     a race shows that a wait is missing                         other races that the wait would prevent
    PastEnd         memory was used past its end, up to the same address        the same use again
    Executor        a finding ended its launch                                  its leak
    Release         a finding ended the call that would have released it        the leak of the object or memory
    an object, id   this finding was reported for this object                   the same finding for the object
    lines, id       these lines of the program have shown this finding          its repetition in a loop (`first`)
    Deadlock        these tasks were reported to be stuck                       the next wait for these tasks
    DroppedWork     tasks of a stream were reported to be dropped               a wait for an event record among them
    AclError        a call returns the error because of a finding               `ignored-ret`, the last error text
    Task            the task was queued when a failure surfaced                 by `Read`: wrong indices

**Where taint is stored.** Taint that moves with a value is an attribute `taint` of that value: of an `Action`, a task,
an object, a piece of memory, an error. Lower packages only pass the attribute on: a copy of a tensor has the taint of
its original, a call that returns the failure of a task has the taint of that failure. All other taint is stored in
`Consequences`. A lower package that calls `of` or `taint` has a small protocol in its module `ports`.

Tainted bytes are not stored as addresses. The taint of an action is the set of the roles of the tainted bytes that it
reads. `spread` adds the taint to each access to bytes that a tainted action wrote, and removes it where the bytes are
overwritten. The taint of a task is the set of the roles that were wrong at its launch. These bytes are not checked
again, so a read of unwritten bytes among them is not reported. Taint that is added later affects the next use.

**Allowed and raised findings.** A finding that the user allows is not in the report, and an allowed race taints no
bytes. The error that a call returns after an allowed finding is a consequence. The report shows its text at the end,
because no finding explains it. With `on_undefined="raise"`, each finding of level error ended a call, so an error of
the same lines is new each time.

**Related rules elsewhere.** An exception runs `finally` blocks, which then free memory too early. `CLEAN_UP` lists
these findings; `Findings.add` suppresses them while `Findings.travelling` is true. For `uninit-read`, the outputs of a
rejected call count as written (`Uninitialised.rejected`), and so do bytes that were reported as unwritten.
`Written.copies` only adds history to the text of a finding. `Findings.shown` only shortens the report at exit.

**Rejected.** A set of tainted addresses: each write would have to search it. A link from each finding to its cause,
shown as a tree: the order in which mistakes are found is not the order of cause. A separate flag for each class of
subject: a new check could not know which of the many flags to read.

**Known limits.** Taint is stored for each role of a task, but all bytes that a task writes get the same taint: one
tainted input taints all outputs. Mistakes in work that was launched before a failure surfaced are found only after the
first mistake is corrected."""

from acl_runtime.checks.consequences.ledger import Consequences
from acl_runtime.checks.consequences.subjects import CLEAN_UP, LostMemory, MissingWait, Read, Release

__all__ = ["CLEAN_UP", "Consequences", "LostMemory", "MissingWait", "Read", "Release"]
