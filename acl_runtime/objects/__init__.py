"""Plain objects: the objects behind handles, and the options and products of a machine.

A handle is a number in the host program. `handle_table` finds the object of a number, stores destroyed objects for
findings, and gives each object an ordinal ("stream 2"). Unlike the number, the ordinal is the same in every run. The
modules with their data:

    handle_table    the table of handles; tensors, scalars, arrays and lists
    executor_life   the base of executors
    data_buffer     data buffers
    options         the options of a machine, and their environment variables
    soc, support    the products, and the functions that each product supports
    clock           simulated time
    timeouts        time limits of operators
    address_range   a reserved range of addresses that nothing can read

Design. Handles come from a window of addresses that is reserved and inaccessible. A number in this window equals no
other pointer, and a program that dereferences it gets a segmentation fault. A handle is never used again for another
object. So every misuse is detected: an unknown number, a destroyed object, an object of another kind.

Rejected. Python's `id` as the handle: Python reuses it at once. Small integers: a device number would look like a
handle.
"""
