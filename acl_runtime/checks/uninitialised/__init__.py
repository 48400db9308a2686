"""Reads of device memory that was never written."""
