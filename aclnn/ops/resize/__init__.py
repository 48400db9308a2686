"""Resizing of images by nearest neighbours and interpolation, in one to three dimensions, and the gradients; and
sampling at arbitrary positions.

`taps` has the formulas for resizing: the elements of a dimension that contribute to an element of the result, and their
weights.
"""
