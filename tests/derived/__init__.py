"""Tests of every operator with a formula. Everything in here follows from the declarations.

    values     the arguments of a call, without a machine
    variants   changes of a call, in a fixed order
    judging    how far a call gets: the first check that refuses it, or its plan
    good       a good call
    functions  which functions a test takes
    data_types good calls with other data types
    breakers   for each check a change that this check refuses first
    launching  the arguments on a machine, and both phases

A good call is found by search: arguments are tried until the first phase accepts. Where the search finds none, the
good call stands in `tests/aclnn/ops/<family>/good_calls.py`. A check that no change reaches stands there too, with its
reason. `ACLNN_OPERATORS` names modules with operators outside of this project.
"""
