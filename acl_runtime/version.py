"""The name of the project, and its version.

The version is written only here; the build, `aclnn --version`, reports and toolkits read it from here.
`X.Y.Z.dev0` is a state of the sources before the release X.Y.Z (`aclnn docs releasing`).
"""

from typing import Final

PROJECT: Final = "aclnn-emulator"
__version__: Final = "0.1.0.dev0"
