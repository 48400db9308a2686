"""Checks of the arguments of copies: a wrong kind, pageable memory, numpy's default types."""
