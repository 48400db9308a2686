"""Normalisation by the statistics of a tensor, forward and backward.

- A variance is divided by the number of elements. eps is added inside the root: rstd = 1 / sqrt(var + eps).
- 16-bit floats are computed in float32 and rounded once, unless the page of a function says otherwise.
- A null weight or gamma counts as 1, a null bias or beta as 0. Without elements, a mean is 0 and rstd is NaN.
- An output whose flag in a mask is false may be null. It is not checked, and not written.
"""
