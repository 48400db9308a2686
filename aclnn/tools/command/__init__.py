"""The command `aclnn`: a module for each of its subcommands, all made from the declarations.

ops explain          what there is, and what a number or a name means
run run_python       a ported program, or one in C or C++, under a machine of one's choice
samples              the programs of samples/
doctor               what is installed, and what is missing and for what
toolkit              headers and libraries for C and C++

    names            what there is to explain, by its names
    values           types and values of the headers among it
    text             paragraphs and tables of 80 columns

Those that a program may read have two functions: `facts` gives a value for JSON, `text` makes its answer for people
of just that value.
"""
