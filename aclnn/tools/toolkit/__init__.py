"""The C toolkit: headers and libraries with which unmodified C and C++ host programs run on this emulator.

python -m aclnn.tools.toolkit DIR      writes a toolkit, like `aclnn toolkit DIR`

exported_functions headers c_stubs   declarations of the Python API as C: prototypes, types, a stub for each function.
                                     Functions of the catalogue are declared from its facts, without Python functions
bridge.c                             finds or starts Python at the first call; threads, fork, SIGSEGV, the end
descriptors.c native_objects         descriptors that are created and destroyed without Python, and their Python side
events.c late_destructions           destructions of events that C accepts and Python makes later
first_phases.c                       first phases that a program repeats, without Python
joins.c                              a thread that joins another one releases Python's lock
entry control session                the Python side: a ctypes callback for each function, the functions of
                                     aclnn_emulator.h, the machine of the program
walk.c native_lines                  the callers of a call in C++ by their return addresses, and `file:line` of each
library                              compile the library, or copy the library of the wheel
build directory                      arrange library and files as existing build scripts expect them
user_cache                           a toolkit in the cache of the user, for `aclnn run --npu`
compile_and_run                      compile a C or C++ file and run it in this process

Purpose. A host program for Ascend is C++ that includes acl/acl.h and links against libascendcl.so. It must run here
without a change, in its own process, under its own test framework and sanitizers. The emulator itself is Python.

Design. The headers and the library are generated from the declarations of the Python API, so no prototype is written
twice. The library consists of generated stubs, bridge.c, descriptors.c, events.c, first_phases.c, joins.c and
walk.c. A call takes three steps from C to Python:

1. The stub (c_stubs) stores its return address, and those of its callers, in a thread-local variable. It jumps through
   a table of pointers.
2. An empty entry of the table leads to `aclnn_resolve` in bridge.c. At the first call of the process, `aclnn_resolve`
   starts Python, or joins the interpreter of the process, and imports `entry`. Then `entry` makes the ctypes callback
   of the function and stores it in the table. Later calls jump to the callback directly.
3. The callback runs the same function that a Python program calls. Its arguments are the raw values of C.

The libraries with other names (libopapi.so, libnnopbase.so, ...) are links to the same file, so a program loads only
one library. A callback never raises into C: it returns 500000 or null, and the traceback goes to stderr.

A process of Python may load the library, too: PyTorch does, through its plugin torch_npu. The library joins the
interpreter of the process, and reports when the interpreter ends (entry).

The process belongs to the program. Python keeps no signal handler, is never finalised, and runs no thread of its own.
The program may call from any thread, from static destructors and after a fork. Reports are written by the destructor of
the library, which runs after those of the program.

Rejected:

- A library that is built with Python.h: it would serve one version of Python only, and a compiler on the user's host
  would need the headers of Python. bridge.c looks up the functions of the stable ABI by name.
- An emulator process beside the program, with messages between the two. Host pointers, pinned memory and callbacks of
  the program would need copies or tricks. A crash of the program could not be traced to its call.
- A second implementation of the runtime in C++: each rule would be written twice.

Known limits:

- Linux with glibc. Elsewhere the exit status of the program is not known when the report is written.
- One thread at a time runs inside the emulator, because it holds the interpreter lock of Python.
- A program that installs its own handler for SIGSEGV after its first call replaces the handler of the bridge. It then
  dies without the text that explains the address.
- An exception that leaves a callback of the program ends the process, as in a thread of a real driver.
- `file:line` of a caller needs addr2line, and a program with debug information (`-g`).
- In a process of Python, a thread that is inside a call for more than a second after the report is killed by Python.
- The leak and thread sanitizers need the suppressions that set_env.sh sets, because Python is not finalised.
"""
