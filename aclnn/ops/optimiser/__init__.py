"""Optimisers, which change the weights of a network in place.

Floats of 16 bits are computed in FLOAT, and each tensor is rounded once for each step. The bias corrections
1 - beta^t are computed in float64. Numbers that are passed as tensors have one element.
"""
