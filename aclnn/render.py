"""The command `python -m aclnn.render`. After a change of an index, a second process reads the new index."""

import subprocess
import sys

from aclnn.tools import index

if __name__ == "__main__":
    if "--check" not in sys.argv and index.write():
        sys.exit(subprocess.run([sys.executable, "-m", "aclnn.render"], check=False).returncode)
    from aclnn.tools.render import main  # late: it reads the indexes

    sys.exit(main(sys.argv[1:]))
