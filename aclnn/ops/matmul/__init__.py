"""Products of matrices and vectors, on the cube unit.

The cube unit multiplies FLOAT16 and BFLOAT16, from A2 on also FLOAT, and accumulates in FLOAT. cubeMathType selects the
data type in which FLOAT inputs are multiplied. HFLOAT32 needs an option of the machine; otherwise FLOAT is used, with
an advice. Products of INT8 and INT4 are accumulated exactly, then scaled in FLOAT. A weight in FRACTAL_NZ is read in
that layout if the function supports the format.
"""
