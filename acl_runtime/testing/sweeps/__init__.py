"""Sweeps: a program runs once for each call that may fail, with a failure of that call.

The runs show whether the program cleans up."""
