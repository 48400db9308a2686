"""Failures that a program ignored: in Python the statuses, in C the error texts."""
