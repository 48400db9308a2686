"""Double releases that a status reported.

A machine does not report them as findings, as the program gets a status. In the clean-up after a failure a double
release is a mistake, even if the program looks at the status.
"""

from collections.abc import Iterator

from acl_runtime.checks.catalogue import CHECKS
from acl_runtime.errors import Finding, Past
from acl_runtime.testing.sweeps.injection_points import releases
from acl_runtime.trace.records import Call, Calls


def released_again(calls: Calls) -> Iterator[Finding]:
    """Findings for releases that were refused because an earlier release of the same object had succeeded. Objects of
    aclnn are left out: the machine has findings for them."""
    gone: dict[object, Call] = {}
    for call in calls:
        for made in call.outputs.values():  # an address may be given out again
            gone.pop(made, None)
        if not releases(call.function) or not call.arguments or not _pointer(call):
            continue
        thing = call.arguments[0]
        if not call.failed:
            gone[thing] = call
        elif thing in gone and call.status is not None:
            yield _finding(call, gone[thing])


def _pointer(call: Call) -> bool:
    """Is the first argument an address, a stream, an event or a context, and not the number of a device?"""
    spelling = call.declared.parameters[0][1].spelling
    return spelling in ("void *", "aclrtStream", "aclrtEvent", "aclrtContext")


def _finding(call: Call, before: Call) -> Finding:
    check = CHECKS["bad-free" if "Free" in call.function else "dead-handle"]
    what = f"{call}: it was released already."
    past = Past(f"it was released with {before.function}", before.site)
    return Finding(check.id, "warning", what, call.function, call.site, (past,), check.fix)
