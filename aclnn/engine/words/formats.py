"""Words for the formats of tensors. (Those that compare two tensors are beside the other values.)"""

from collections.abc import Sequence

from acl_runtime.headers.dtypes import format_name
from aclnn.engine.arguments import Arguments
from aclnn.engine.relation import Bad, Relation, all_of
from aclnn.engine.words.values import demand


def stored_in(formats: Sequence[int], *names: str) -> Relation:
    """The storage format of each is one of these."""
    allowed = " or ".join(map(format_name, formats))

    def one(name: str) -> Relation:
        def bad(a: Arguments) -> Bad:
            found = a[name].storage_format
            return None if found in formats else (format_name(found), allowed)

        return demand(f"{{0}} is stored as {allowed}", name, bad=bad)

    return all_of(*map(one, names))
