"""Quantisation of floats to 8-bit or 4-bit integers, or to 8-bit floats, with a scale; and dequantisation.

All computations are in FLOAT. Integers are rounded according to the mode, by default half to even, and saturate. 8-bit
floats are rounded half to even and saturate as well. INT4 packs two elements into a byte. An INT32 output carries eight
INT4 elements in each word, the first one in the lowest bits (`_family`).
"""
