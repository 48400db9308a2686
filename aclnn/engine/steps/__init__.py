"""Steps that the plans of several operators share, and functions for kernels.

casts            the cast between data types
channel_blocks   conversion of the private formats of images
element_copies   operators that only copy elements, and with them unwritten bytes
indices          positions in tensors, and the check that they are in range
parts            large steps that are run part by part
private_formats  conversion between ND and FRACTAL_NZ, as functions of a plan builder
softmax          softmax and its logarithm
units            the status of a task whose kernel failed
windows          windows that slide over dimensions
"""
