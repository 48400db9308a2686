"""Numbers: what operators need of arithmetic, whatever the operator.

- `rounding`: widen inputs, sum, and round once into the outputs' bytes (`halves`: the quick way for float16);
- `promotion`: the data type that two types are computed in, and which type a result can be cast to;
- `casting`: the internal cast, from any data type to any other (`truncation`: floats to integers);
- `scalars`: the value that an operator reads from an aclScalar;
- `special`: erf, erfc, erfinv, lgamma and digamma in float64 (`chebyshev`: their coefficients).

Nothing in here knows an operator, a tensor object or a machine.
"""
