"""Operators that meet other ranks.

groups     the communicators that arguments name
meeting    the task of an operator that computes and communicates
"""
