"""`python -m aclnn.tools.toolkit DIR`."""

import sys

from aclnn.__main__ import main

sys.exit(main(["toolkit", *sys.argv[1:]]))
