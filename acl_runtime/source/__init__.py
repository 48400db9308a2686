"""Where in the user's program something happened.

A finding must name the user's line, not ours. `site` holds the two value types: `Site`, a file with a line, and
`Trail`, a raw chain of code positions that becomes a `Site` only when somebody prints it. `frames` walks the Python
stack and decides which frame belongs to the user.

Design. Taking a trail happens on every call, formatting almost never. So a trail keeps code objects and instruction
offsets, and `site_of` resolves lines later. A frame belongs to a package when its module is ours, the standard
library's, or an installed package's that only runs other people's code (pytest, pluggy, IPython). The first frame
that belongs to nobody else is the user's. C programs have no Python frames: there the toolkit passes the return
addresses, and `addr2line` resolves them at the end.

Rejected. `traceback.extract_stack` reads source files on every call. `warnings.warn(stacklevel=...)` needs to know
how deep each call is nested, and callbacks break that.
"""
