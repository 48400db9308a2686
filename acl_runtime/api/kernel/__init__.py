"""Binaries with device kernels, and their launch."""
