"""Sparse attention: an indexer chooses keys for each query, and attention reads these keys alone.

Queries and keys are padded (BSND), packed (TND) or, for keys, in the blocks of a cache (PA_BSND). Lengths and block
tables are in device memory, so a kernel reads them when it runs (`_sequences`). All checks of shapes and values belong
to the tiling (561002, `_rules`).
"""
