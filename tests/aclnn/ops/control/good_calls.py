"""A good call that a search does not find: see `tests.aclnn.ops.good_calls`."""

from tests.derived.values import Values

GOOD = {"aclnnSleep": {"cycles": Values((1650,))}}
LAID_OUT = {"aclnnSleep": "it has no tensor and writes nothing"}
