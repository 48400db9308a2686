"""Operators that read or write elements at the positions that an index tensor contains.

No status depends on the values of an index tensor, because only the task reads them. An index out of range is the
finding `index-range` (`_family`). Reads copy elements bit for bit. If a position occurs twice, its last value in
row-major order is written, or all values are added. The task sets the shape of an output whose size depends on values.
"""
