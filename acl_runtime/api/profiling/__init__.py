"""Profiling, marks and dump. Each chapter has a module."""
