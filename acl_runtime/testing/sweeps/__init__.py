"""Sweeps: a program runs once for each call that may fail, and that call fails in the run.

The runs show whether the program cleans up after an error."""
