"""Quantisation in blocks: elements that lie together share a scale.

The MX formats have floats of 8 or 4 bits, and a FLOAT8_E8M0 scale, a power of two, for each block of 32 elements or
more. Tiles of rows and columns have a FLOAT scale. Results are rounded in FLOAT and saturate; NaN becomes 0. Floats of
4 bits are computed as FLOAT, and written as bits: two elements share a byte, and the even one has the low bits
(`_grids`).
"""
