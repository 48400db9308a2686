"""The operators: one file each, or one file for each family.

An operator's file reads like its document. The class is the declaration: parameters with their data types by product,
and the checks in the order in which the library makes them. `plan` says which steps the operator takes. The kernel is
a plain function of numpy arrays, and states the formula as the document does. Two names come out of it, the two C
functions.

Design. The five operators here have contracts of their own, sentence by sentence, with their own statuses and
roundings. Nothing in here is repeated that the engine can derive: help, prototype, stub, header, page and most tests
follow from the class. `grep -rn aclnnSoftmaxBackward aclnn/ops` finds the declaration and the formula at once.

Rejected. A decorator that registers an operator when its module is imported: which operators there are would depend
on what was imported. A folder for each operator: its parts would have to be read in four files.
"""
