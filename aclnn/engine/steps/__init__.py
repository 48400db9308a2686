"""Steps of plans that several operators share, as functions of a plan builder.

private_formats  between ND and FRACTAL_NZ
"""
