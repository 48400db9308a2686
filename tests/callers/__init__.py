"""Callers that look for strange answers: `python -m tests.callers attributes`, `... named` and `... damaged`.

    attributes   every operator's good call, with one extreme argument at a time, through both phases
    named        a good call of every operator by name, likewise
    damaged      all functions: legal programs and good calls, in which a share of the arguments is damaged

An answer is strange if it is a status that the function's help does not list, an exception other than
UndefinedBehaviour (and TypeError where a C compiler would refuse the argument), a warning of numpy, a second of the
processor, or a gigabyte of memory. `judge.py` decides this for all of them.
"""
