"""Convolutions in one to three dimensions, and their gradients.

The cube unit multiplies in the data type that cubeMathType selects, as for matrix products. The format label of a
tensor must be NCL, NCHW or NCDHW, according to its number of dimensions. `sums` has the formulas.
"""
