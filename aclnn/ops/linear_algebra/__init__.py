"""Linear algebra: systems of equations, inverses, determinants, factors and singular values of matrices.

Systems of equations are solved in float64 and complex128.
"""
