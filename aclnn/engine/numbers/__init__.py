"""Arithmetic that operators share.

- `rounding`: widening of inputs, sums, and the one rounding into the bytes of outputs (`halves`: fast float16);
- `promotion`: the data type of a computation with two types, and the types that a result can be cast to;
- `casting`: the cast inside operators, from any data type to any other (`truncation`: floats to integers);
- `scalars`: the value that an operator reads from an aclScalar;
- `special`: erf, erfc, erfinv, lgamma and digamma in float64 (`chebyshev`: their coefficients);
- `philox`: random words.

These modules do not depend on operators, tensor objects or machines.
"""
