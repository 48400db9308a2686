"""Checks of private formats: memory that is in FRACTAL_NZ, and operators that read it."""
