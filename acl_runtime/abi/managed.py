"""The C types of managed memory."""

from typing import Annotated

import acl_runtime.headers.structs as s
from acl_runtime.abi.conversions import Enum, Pointer, StructByValue, Structs
from acl_runtime.abi.pointers import Address

aclrtMemManagedAdviseType = Annotated[int, Enum("aclrtMemManagedAdviseType")]
aclrtMemManagedRangeAttribute = Annotated[int, Enum("aclrtMemManagedRangeAttribute")]
aclrtMemManagedRangeAttribute_p = Annotated[Address, Pointer("aclrtMemManagedRangeAttribute *", target=False)]
aclrtMemManagedLocation = Annotated[
    s.aclrtMemManagedLocation, StructByValue("aclrtMemManagedLocation", s.aclrtMemManagedLocation)
]
aclrtMemManagedLocation_p = Annotated[Address, Structs("aclrtMemManagedLocation *", s.aclrtMemManagedLocation)]
const_void_pp = Annotated[Address, Pointer("const void **", target=False)]
void_pp_source = Annotated[Address, Pointer("void **", target=False)]
size_t_p = Annotated[Address, Pointer("size_t *", target=False)]
