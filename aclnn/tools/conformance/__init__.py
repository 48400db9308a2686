"""Conformance: the same calls on a real device and here, compared function by function.

`recorder` runs where CANN and an NPU are: it needs the standard library of Python 3.7 alone, and is copied there in one
file, the kit. The kit also has the calls (`recorder/calls.py` has their form). `python -m tests.conformance` makes them
from the declarations of this project, and `kit.py` packs both.

A report has the calls and the answers. So `compare.py` can make the same calls against the emulator, through the same
recorder and the libraries that `aclnn toolkit` writes, and no second description of the right answers exists.

Rejected: expected answers in the kit. They would be a copy of the rules, and older than the emulator that compares.
"""
