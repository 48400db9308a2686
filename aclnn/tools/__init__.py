"""The command `aclnn`, and everything that is generated from the declarations.

`command` is the command `aclnn` (ops, explain, run, samples, doctor, toolkit); `toolkit` writes headers, libraries
and CMake files so that unmodified C and C++ programs link against the emulator; `pages` makes the reference pages;
`render`, `stubs` and `exports` write the committed files that follow from declarations (docs/ops, docs/findings, the
typed stubs); `python_program` runs a Python file as `python FILE` does.

Design. This package states no fact about a function, an operator, a status or a finding. It reads the declarations of
the other packages, so that a page, a header and a help text cannot disagree. A test compares the committed files with
the declarations. Pages that exist only on the site are made when the site is built.

Rejected. The autodoc of a documentation tool, which reads docstrings: it would show Python signatures where users look
for C prototypes.
"""
