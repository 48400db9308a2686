"""The version, in the one place where it is written: the build, `aclnn --version`, reports and toolkits read it here.

`X.Y.Z.dev0` is on its way to the release X.Y.Z (docs/releasing.md).
"""

from typing import Final

__version__: Final = "0.1.0.dev0"
