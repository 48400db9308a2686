"""Operators that read or write at positions that a tensor holds."""
