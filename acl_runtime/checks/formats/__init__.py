"""Checks of private formats: memory in FRACTAL_NZ, and the operators that read such memory."""
