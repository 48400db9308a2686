"""Activations, and the softmax family: elementwise functions, or one dimension at a time."""
