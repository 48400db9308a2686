"""Losses, which compare the result of a network with a target."""
