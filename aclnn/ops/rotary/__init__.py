"""Rotary embedding of queries and keys: pairs of elements of a vector turn by an angle of their position."""
