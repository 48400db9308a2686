"""What is made of the declarations, and the commands that people type.

`command` is the command `aclnn` (ops, explain, run, samples, doctor, toolkit); `toolkit` writes headers, libraries
and CMake files so that unmodified C and C++ programs link against the emulator; `pages` makes the reference pages;
`render`, `stubs` and `exports` write the committed files that follow from declarations (docs/ops, docs/findings, the
typed stubs); `program` runs a Python file as `python FILE` does.

Design. Nothing here states a fact about a function, an operator, a status or a finding. It reads the declarations of
the rooms before it, so that a page, a header and a help text cannot disagree. What is committed is compared with the
declarations by a test; what is only on the site is made when the site is built.

Rejected. Docstrings parsed by a documentation tool's autodoc: it would show Python signatures where users look for C
prototypes.
"""
