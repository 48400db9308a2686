"""Random numbers, and the masks of dropout.

No operator reads or advances a generator: each call passes a seed and an offset, as numbers or as tensors of one
element that are read on the device. The same arguments give the same numbers.

The numbers are those of Philox4x32-10 (`aclnn.engine.numbers.philox`) with the seed as its key. The offset is the high
half of the counter, and the low half counts groups of four words: word i determines element i of a tensor, in row-major
order. A uniform number in [0, 1) uses as many low bits of a word as the mantissa of its data type has: 23, 10 or 7.
Ascend 950 compares other bits for masks and Bernoulli numbers.

A mask has one bit for each element, 1 to keep it, and a multiple of 16 bytes. Element i is bit i % 8 of byte i // 8,
the least significant first.
"""
