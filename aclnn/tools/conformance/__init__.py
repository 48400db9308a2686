"""Conformance: the same calls on a real device and on this emulator, compared function by function.

`recorder` runs on a host with CANN and an NPU. It needs only the standard library of Python 3.7. It is copied to that
host in one file, the kit, together with the calls (`recorder/calls.py` has their form). `python -m tests.conformance`
makes the calls from the declarations of this project, and `kit.py` packs recorder and calls.

A report has the calls and the answers. So `compare.py` can make the same calls on the emulator, through the same
recorder and the libraries that `aclnn toolkit` writes. No second description of the right answers exists.

Rejected: expected answers in the kit. They would be a copy of the rules, and older than the emulator that compares.
"""
