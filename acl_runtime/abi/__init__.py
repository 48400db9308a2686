"""The C types of the API in Python, and what a declaration is.

A function of the API is written once, as a Python `def` whose annotations are names of `c`. From this one statement
come the C prototype, the help text, the typed stub, the C header, the pyACL function and the page on the site.
`conversions` says for each C type which Python values are accepted and what the body receives; `pointers` holds the
three kinds of pointers that a program passes (an output to write, memory to use, an array to read); `function` is the
declaration of one C function; `declarations` finds it by name; `printf` formats C's format strings; `arguments` names
the types for stubs.

Design. A conversion either returns a value or raises `TypeError` with words that complete "expected ...". This is the
place of the C compiler: what a compiler would refuse is a `TypeError`, never a status. All writing through pointers
goes through `Out.store`, so that a null pointer, a wrong width and a read-only buffer have one answer each.

Rejected. ctypes `argtypes`: it accepts less than ports need (no arrays of numpy, no `bytes` for `char *`), and its
error texts name no parameter. Decorator strings with a mini language: they would be a second statement beside the
annotations.
"""
