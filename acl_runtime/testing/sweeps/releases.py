"""What a program released twice, and was told by a status: a look at it makes nothing good in a clean-up."""

from collections.abc import Iterator

from acl_runtime.checks.catalogue import CHECKS
from acl_runtime.errors import Finding, Past
from acl_runtime.testing.sweeps.places import releases
from acl_runtime.trace.records import Call, Calls


def released_again(calls: Calls) -> Iterator[Finding]:
    """The releases that were refused as an earlier one had succeeded. (Objects of aclnn have findings of their own.)"""
    gone: dict[object, Call] = {}
    for call in calls:
        for made in call.outputs.values():  # addresses come back, handles do not
            gone.pop(made, None)
        if not releases(call.function) or not call.arguments or not _pointer(call):
            continue
        thing = call.arguments[0]
        if not call.failed:
            gone[thing] = call
        elif thing in gone and call.status is not None:
            yield _told(call, gone[thing])


def _pointer(call: Call) -> bool:
    """Is it given an address, or a stream, an event or a context, and no number of a device?"""
    spelling = call.declared.parameters[0][1].spelling
    return spelling in ("void *", "aclrtStream", "aclrtEvent", "aclrtContext")


def _told(call: Call, before: Call) -> Finding:
    check = CHECKS["bad-free" if "Free" in call.function else "dead-handle"]
    what = f"{call}: it was released already."
    past = Past(f"it was released with {before.function}", before.site)
    return Finding(check.id, "warning", what, call.function, call.site, (past,), check.fix)
