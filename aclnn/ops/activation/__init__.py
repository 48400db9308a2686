"""Activations of single elements, and the softmax family along one dimension.

Scalars are read as FLOAT. 16-bit floats are computed in FLOAT and rounded once, unless the page of a function says
otherwise. Comparisons with NaN are false. A gated unit splits a tensor into halves along a dimension of even size.
"""
