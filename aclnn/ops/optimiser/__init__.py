"""Optimisers, which change the weights of a network in place."""
