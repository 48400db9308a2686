"""Failures whose status, in Python, or whose text, in C, nobody looked at."""
