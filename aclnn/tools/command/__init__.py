"""The command `aclnn`: a module for each of its subcommands, all made from the declarations.

ops explain          list the operators; explain a number or a name
run run_python       run a ported program, or one in C or C++, with options for its machine
port                 print a C++ program as a Python program
samples              run or copy the programs of samples/
doctor               show what is installed, what is missing, and the purpose of each
toolkit              write headers and libraries for C and C++

    explained_names  the names that `explain` can explain
    explained_forms  the text of the facts, by the kind of the name
    help_index       the help of each function, from files that are made beforehand
    declared         the same from the declarations, for modules of the user
    header_values    types and values of the C headers
    subjects         codes of error texts, words and lines of logs
    user_modules     imports modules of the user with further operators
    text             paragraphs and tables of 80 columns

The subcommands with `--json` have two functions: `facts` returns the value that is printed as JSON, and `text` makes
the text for people from that value alone.
"""
