"""Relations between the parameters of an operator, which are named as in the C prototype.

    types    which data types are accepted, promoted, cast
    shapes   ranks, shapes, dimensions
    values   values of attributes, empty tensors, formats, and demands of single operators

An operator lists its relations in the order in which the library makes the checks. Every function returns a `Relation`.
"""
