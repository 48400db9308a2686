"""The command `aclnn port`: a C or C++ host program becomes a Python program, line by line in the same order.

macros       the preprocessor: statement macros are expanded before the parser sees the text
reading      the parser of C++ (tree-sitter), and questions about its nodes
types        C++ types, and what Python has in their place
names        functions, enums and handles of ACL, from the declarations of this project
facts        what the whole program says about a variable: its address is taken, its memory is read
scopes       the variables of a place in the program
values       an expression in Python: text, precedence, C++ type, range; conversions
arithmetic   operators of C++ with the results of C++
formats      the formats of printf
expressions  expressions; the table of their constructs
calls        calls of ACL, of the program's functions, of `std`, of methods
statements   statements; the table of their constructs
loops        for, range for, while
jumps        switch, goto and labels
declarations variables and their initial values
definitions  functions, templates, structs, enums, unions, aliases
programs     the whole program: imports, helpers, order
helpers      small Python functions that some ports need at their start
printing     lines of Python, at most 120 columns
check        `--check`: compile, run both, compare

A construct that has no translation raises `Untranslated`. Its statement stays as a comment with the reason.
A program is translated several times: each time collects facts, until there is nothing new.
"""
