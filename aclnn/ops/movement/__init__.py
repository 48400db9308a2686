"""Movement: copies, layouts and formats."""
