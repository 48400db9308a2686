"""Elementwise operators, with broadcasting.

An operator on two tensors computes in the data type that they promote to, and casts the result to the data type of out.
For a scalar there are several promotion rules (`aclnn.engine.numbers.promotion`). 16-bit floats are computed in FLOAT
and rounded once for each step of the library. Integers wrap in their own width.
"""
