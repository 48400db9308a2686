"""Numbers and words of acl's headers. No behaviour.

This room holds what a C program gets from `#include`: enum groups (`enums`), status numbers (`statuses`), structs
(`structs`), handle types (`handles`), element types (`dtypes`). Beside them stand the words that belong to these
numbers: what a status means and what to do about it (`statuses.MEANINGS`, `remedies`), and the texts of the published
error codes (`messages`).

Everything here is data or a value class. Nothing here knows a machine, a device or a stream. The one exception is the
`repr` of a handle, which asks the process's current machine for the object's name; it does so through a port of
`acl_runtime.process`.

Design. Each fact stands once. In C the value of an enum is a bare name too, so `ACL_FLOAT` and
`aclDataType.ACL_FLOAT` are the same; the bare names and every `__all__` are derived from the classes. An earlier
version spelled each name three times, which made 1,300 lines that nobody could check by eye.

Rejected. A parser that reads these tables from a file at import: the tables would be as long, and no editor or type
checker would see them.
"""
