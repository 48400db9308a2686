"""Operators that read or write at the positions in a tensor.

No status depends on the values of an index tensor. The task reads them: an index out of range is the finding
`index-range` (`_family`). Reads move elements bit for bit. If a position occurs twice, the last one in row-major order
counts, or all are added. Outputs whose size depends on values have their shape after the run.
"""
