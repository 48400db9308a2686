"""Objects that are left behind, destroyed in a wrong order, or used by two threads at once."""
