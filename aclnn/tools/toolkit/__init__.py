"""The C toolkit: headers and libraries with which unmodified C and C++ host programs run on this emulator.

python -m aclnn.tools.toolkit DIR      writes one (build)

functions headers stubs          the declarations of the Python API as C: prototypes, types, one stub per function
bridge.c                         finds or starts Python at the first call, keeps threads attached, survives fork
entry control                    the Python end: a callback for each function; what only aclnn_emulator.h offers
lines                            `file:line` of a C++ caller, from its return address
build layout                     compile, and lay the directory out as existing build files expect
run                              compile a C++ file and run it in this process
"""
