"""Elementwise predicates and bit operations: comparisons, logic, shifts, tests for infinity.

Results are computed as BOOL, or in the data type that both operands promote to, and cast to the data type of out. So
out may have any data type that the function lists; in INT8 the values are 0 and 1.
"""
