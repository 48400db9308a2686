"""Finds the line of the user's program at which something happened.

A finding must name the user's line, not one of the emulator. `site` holds the two value types: `Site`, a file with a
line, and `Trail`, a chain of raw code positions, which becomes a `Site` lazily. `frames` walks the Python stack and
decides which frame belongs to the user.

Design. A trail is taken at every call, and formatted almost never. So it keeps code objects and instruction offsets,
and `site_of` finds the lines later. Some frames are skipped: those of the emulator, of the standard library, and of
packages that only run the code of others (pytest, pluggy, IPython). The first other frame is the user's. C programs
have no Python frames: there the toolkit passes return addresses, and `addr2line` finds their lines at the end.

Rejected. `traceback.extract_stack` reads source files on every call. `warnings.warn(stacklevel=...)` needs to know
how deep each call is nested, and callbacks break that.
"""
