"""Hyper-connections: several residual streams of a network, which matrices mix in each layer."""
