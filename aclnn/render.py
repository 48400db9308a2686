"""`python -m aclnn.render` runs `aclnn.tools.render`."""

import sys

from aclnn.tools.render import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
