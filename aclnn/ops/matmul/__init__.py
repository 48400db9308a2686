"""Products of matrices and vectors, on the cube unit."""
