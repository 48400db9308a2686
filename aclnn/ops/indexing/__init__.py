"""Reading and writing by position."""
