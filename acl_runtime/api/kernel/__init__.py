"""Binaries with device kernels, and the launch of kernels."""
