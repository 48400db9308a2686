"""Fourier transforms along one real dimension, and of the windows of a signal."""
