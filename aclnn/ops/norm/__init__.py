"""Normalisation by the statistics of a tensor, forward and backward."""
