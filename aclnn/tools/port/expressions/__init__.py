"""Expressions of C++ in Python. `expressions.py` has the table of constructs."""
