"""Reads of device memory that nothing was ever written to."""
