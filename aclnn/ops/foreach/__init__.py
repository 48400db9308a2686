"""One operation on each tensor of a list.

`_family.foreach` makes most operators, from a formula of one tensor of each list and a number. `_numbers` has the four
ways to pass the number. Two groups of functions differ in their statuses: for lists and shapes that do not match, the
handwritten functions of the library return 161002, the generated ones 561002.
"""
