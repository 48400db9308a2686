"""Operators that move elements, and operators that create tensors from scalars.

Elements are moved bit for bit, also NaN. Most operators copy from a view of the input (`_family`): a slice, a
transposition, an expansion. A negative dimension counts from the end. A null out of Stack, Range, Linspace, LogSpace
and DiagFlat returns 561103, as the library checks it late.
"""
