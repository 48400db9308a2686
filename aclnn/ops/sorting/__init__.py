"""Sorting, positions of extremes, k-th elements, and search in sorted values.

Positions count from 0 along the dimension. NaN is the largest value; in ArgMin and MinDim it is the smallest. Equal
values keep their order.
"""
