"""Reductions: sums, products, extremes, variances, norms; also cumulative operators and distances.

Each dimension may occur once, and an empty list means all dimensions, unless the page of an operator says otherwise. An
output has exactly the shape that remains. Some operators accept any shape for an output of one element.
"""
