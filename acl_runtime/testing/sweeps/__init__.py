"""Sweeps: a program runs once for each call that may fail, with that call failing. Does it clean up?"""
