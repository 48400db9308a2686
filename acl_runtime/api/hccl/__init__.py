"""The communication library."""
