"""Reductions: sums, products, extremes, variances, norms; also cumulative operators and distances.

Each dimension may occur once, and an empty list means all dimensions, unless the page of an operator says otherwise.
There are two rules for the shape of an output: exactly the remaining shape; or, for one element, any shape.
"""
