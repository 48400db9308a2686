"""Reductions over dimensions."""
