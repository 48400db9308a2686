"""What is odd about the arguments of a copy: its kind, pageable memory, numpy's default types."""
