"""Ranks of several processes."""
