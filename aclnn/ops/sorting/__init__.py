"""Sorting, and searching in sorted values."""
