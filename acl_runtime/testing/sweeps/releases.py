"""Double releases that a call refused with a status.

A machine does not report them as findings, as the program gets a status. In the clean-up after a failure a double
release is a mistake, even if the program checks the status.
"""

from collections.abc import Iterator

from acl_runtime.checks.catalogue import CHECKS
from acl_runtime.errors import Finding, Past
from acl_runtime.testing.sweeps.injection_points import releases
from acl_runtime.text import Text
from acl_runtime.trace.records import Call, Calls


def released_again(calls: Calls) -> Iterator[Finding]:
    """Findings for releases that were refused because an earlier release of the same object had succeeded. Objects of
    aclnn are omitted, as the machine makes findings for them."""
    released: dict[object, Call] = {}
    for call in calls:
        for value in call.outputs.values():  # an address may be used again
            released.pop(value, None)
        if not releases(call.function) or not call.arguments or not _pointer(call):
            continue
        subject = call.arguments[0]
        if not call.failed:
            released[subject] = call
        elif subject in released and call.status is not None:
            yield _finding(call, released[subject])


def _pointer(call: Call) -> bool:
    """True if the first argument is an address, a stream, an event or a context, not the number of a device."""
    spelling = call.declared.parameters[0][1].spelling
    return spelling in ("void *", "aclrtStream", "aclrtEvent", "aclrtContext")


def _finding(call: Call, release: Call) -> Finding:
    check = CHECKS["bad-free" if "Free" in call.function else "dead-handle"]
    sentence = Text("{call}: it was released already.", call=call)
    past = Past(Text("it was released with {function}", function=release.function), release.site)
    return Finding(check.id, "warning", sentence, call.function, call.site, (past,), check.fix)
