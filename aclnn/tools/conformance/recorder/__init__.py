"""The recorder: makes calls of C functions with ctypes, and writes down statuses, texts of errors and numbers.

The recorder needs Python 3.7 and the standard library. Its modules import each other by relative names, because the kit
contains them without the package aclnn.
"""
