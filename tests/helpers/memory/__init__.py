"""Helpers for tests about memory.

kinds_of_memory     memory of every kind
shared_allocations  several tensors in one allocation
virtual_memory      reserved addresses, and what is mapped to them
ways_to_copy        copies of every kind
"""
