"""Shared by the steps of plans.

private_formats  between ND and FRACTAL_NZ, as functions of a plan builder
indices          positions that have to be in range
softmax          softmax and its logarithm
windows          windows that slide over dimensions
casts            between data types
parts            large steps in parts
units            the status of a task whose kernel failed
"""
