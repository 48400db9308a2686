"""Sorting, positions of extremes, k-th elements, and search in sorted values.

Positions count from 0 along the dimension. NaN is the largest value, and equal values keep their order.
"""
