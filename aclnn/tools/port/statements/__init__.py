"""Statements and definitions of C++ in Python. `statements.py` has the table of constructs."""
