"""Numbers and texts of the C headers, without behaviour.

This package has the constants and types that a C program gets by `#include`: enums (`enums`), status numbers
(`statuses`), structs (`structs`), handle types (`handles`), element types (`dtypes`). It also has the texts for these
numbers: the meaning of a status (`meanings.MEANINGS`), its remedy (`remedies`), and the sentences of the published
error codes (`messages`).

Everything here is data or a value class, and nothing imports a machine, a device or a stream. The `repr` of a handle
needs the current machine for the name of the object, and gets the name through a hook of `acl_runtime.process`.

Design. Each fact is written once. In C the value of an enum is a bare name too, so `ACL_FLOAT` and
`aclDataType.ACL_FLOAT` are the same; the bare names and every `__all__` are derived from the classes.

Rejected. A parser that reads these tables from a file at import: the tables would be as long, and no editor or type
checker would see them.
"""
