"""Mixtures of experts: tokens are routed to experts, sorted by expert, and combined again.

Each token is routed to k experts. The sort by expert is stable. In column order, position i + j * rows belongs to
expert j of token i; in row order it is position i * k + j. Positions are read when the task runs. Checks of shapes and
values belong to the tiling and return 561002.
"""
