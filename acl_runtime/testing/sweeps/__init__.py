"""Sweeps: a program runs once for each call that may fail, with that call failing.

The runs show whether the program cleans up."""
