"""The relation between a tensor and its storage format. (`words.values` compares the formats of two tensors.)"""

from collections.abc import Sequence

from acl_runtime.headers.dtype_names import format_name
from aclnn.engine.arguments import Arguments
from aclnn.engine.relation import Bad, Relation, all_of
from aclnn.engine.words.values import demand


def stored_in(formats: Sequence[int], *names: str) -> Relation:
    """The storage format of each tensor is in `formats`."""
    allowed = " or ".join(map(format_name, formats))

    def stored(name: str) -> Relation:
        def bad(a: Arguments) -> Bad:
            format_ = a[name].storage_format
            return None if format_ in formats else (format_name(format_), allowed)

        return demand(f"{{0}} is stored as {allowed}", name, bad=bad)

    return all_of(*map(stored, names))
