"""The recorder: makes calls of C functions with ctypes, and writes down statuses, texts of errors and numbers.

It needs Python 3.8 and the standard library. Its modules import each other by relative names, as the kit has them
outside of the package aclnn.
"""
