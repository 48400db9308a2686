"""The words of an operator's contract: relations between its parameters, by the names of the C prototype.

    types    which data types are accepted, promoted, cast
    shapes   ranks, shapes, dimensions
    values   values of attributes, empty tensors, formats, and demands that have no word of their own

An operator lists its relations in the order in which the library makes the checks. Every word returns a `Relation`.
"""
