"""Operators that reduce dimensions: sums and means."""
