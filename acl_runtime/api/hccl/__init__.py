"""The functions of the communication library."""
