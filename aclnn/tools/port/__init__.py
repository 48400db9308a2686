"""The command `aclnn port`: a C or C++ host program becomes a Python program, line by line in the same order.

programs     a whole program: imports, helpers, and the definitions in their order
layout       the text of a port
check        `--check`: compile, run both, compare
cpp          the program in C++: the preprocessor, the parser, types, scopes, the names of ACL, facts about variables
expressions  expressions, by construct: names, members, casts, calls, methods, functions of `std`, output
statements   statements and definitions, by construct: variables, assignments, loops, jumps, functions, structs
python       the port in Python: values, arithmetic with the results of C++, formats of printf, helpers, lines

`expressions.expressions` and `statements.statements` have the tables of the constructs that have a translation.
`cpp.place` has the state of the translation at a place in the program.

A construct that has no translation raises `Untranslated`. Its statement stays as a comment with the reason.
A program is translated several times: each translation collects facts, until there are no new facts.
"""
