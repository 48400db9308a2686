"""The name of the project, and its version.

The build, `aclnn --version`, reports and toolkits read the version from this module. `X.Y.Z.dev0` is a state of the
sources before the release X.Y.Z (`aclnn docs releasing`).
"""

from typing import Final

PROJECT: Final = "aclnn-emulator"
__version__: Final = "0.1.0.dev0"
