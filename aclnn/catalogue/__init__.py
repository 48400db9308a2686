"""Facts of the documented functions of the operator library, as data files. (Empty until the catalogue is filled.)

Each documented function will be one object in a data file of its category: names, types, numbers and relations, read
lazily. A declaration in `aclnn.ops` adds the relations and the formula that data cannot hold. The facts stand apart
from the code so that a thousand functions can exist (prototype, header, help, null checks) before each has a kernel,
and so that one search for a function's name finds its facts, its declaration and its formula.

Rejected. Facts inside the declaring classes: a class per documented function would be 20,000 lines of Python that
only hold tables, all imported to list the functions. Facts in one large file: nobody can review a change of it.
"""
