"""Profiling, marks and dump, one file for each chapter."""
