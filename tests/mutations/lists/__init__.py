"""The mutations, a module for each group of rooms."""
