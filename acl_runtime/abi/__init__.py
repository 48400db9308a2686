"""The C types of the API in Python, and the declaration of a C function.

A function of the API is written once, as a Python `def` whose annotations are names of `c`. The C prototype, the help
text, the typed stub, the C header, the pyACL function and the page on the site are derived from it.

    c             the names of the C types, for annotations
    conversions   for each C type, the Python values that are accepted, and the value that the body receives
    pointers      the kinds of pointers that a program passes: an output to write, memory to use, an array to read
    unrolled      all arguments of a function converted, and recorded, by one expression
    function      the declaration of one C function
    declarations  finds a declaration by name
    printf        formats C's format strings
    arguments     the types of arguments in stubs

Design. A conversion returns a value, or raises `TypeError` with words that complete "expected ...". A conversion does
the type check of a C compiler: an argument that a compiler would refuse is a `TypeError`, never a status. All writes
through pointers use `Out.store`, so null pointers, wrong widths and read-only buffers are handled in one place.

Rejected. ctypes `argtypes`: they reject arguments that Python programs need (numpy arrays, `bytes` for `char *`), and
their error texts name no parameter. Prototypes as strings in a decorator: each would repeat the annotations.
"""
