"""Failures that a program ignored: in Python their statuses, in C their texts."""
