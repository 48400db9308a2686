"""Finding the line of the user's program that made a call.

A finding must name the user's line, not a line of the emulator. `site` has the two value types: `Site`, a file with a
line, and `Trail`, a chain of raw code positions, which is converted to a `Site` lazily. `frames` walks the Python stack
and finds the frames of the user.

Design. Every call makes a trail, but few trails are formatted. So a trail has code objects and instruction offsets, and
`site_of` finds the lines later. Frames of the emulator, of the standard library, and of packages that only run other
code (pytest, pluggy, IPython) are skipped. The first other frame is the user's. C programs have no Python frames: there
the toolkit passes return addresses, and `addr2line` finds their lines at the end.

Rejected. `traceback.extract_stack` reads source files on every call. `warnings.warn(stacklevel=...)` needs the depth of
each call, which callbacks change.
"""
