"""Attention, and paged caches of keys and values.

Scores are computed in float32 panels (`_panels`, `_scores`). All layouts are converted to views of one layout first
(`_layouts`). A mask value of 1 hides a position. Checks that belong to the tiling of a kernel return 561002.
"""
