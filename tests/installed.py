"""Runs tests with the packages of a wheel, as users have them.

    python -m tests.installed [ARGUMENTS OF PYTEST]

Without arguments it runs the whole suite. The wheel is built from the files of this checkout, and installed in a new
environment with links to the other packages of this one. Pytest runs in a copy of the project that has no packages, so
`import aclnn` is that of the wheel. The builds stay in `build/tests` until a file changes that is no test.

Tests of the checkout itself are skipped (`pytest.mark.checkout`). The command needs `pip install '.[release]'`, and a
package index, from which builds take setuptools.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from hashlib import sha256
from pathlib import Path

from tests.helpers.installation import BUILT, Built, build, built, copy, environment, install, others, run, sources
from tests.helpers.places import ROOT

BUILDS = ROOT / "build" / "tests"
PACKAGES = ("acl_runtime/", "aclnn/")
WHERE = "import acl_runtime, aclnn; print(acl_runtime.__file__, aclnn.__file__)"


def builds(names: set[str]) -> tuple[Path, Built]:
    """The folder of the builds of these files, and what is in it. The wheel has no tests."""
    content = sha256()
    for name in sorted(name for name in names if not name.startswith("tests/")):
        content.update(f"{name}\0".encode() + sha256((ROOT / name).read_bytes()).digest())
    place = BUILDS / content.hexdigest()[:16]
    if (place / "sources.txt").is_file():
        return place, built(place)
    shutil.rmtree(BUILDS, ignore_errors=True)
    place.mkdir(parents=True)
    return place, build(place)


def main(arguments: list[str]) -> int:
    """Run pytest, and return its exit status."""
    names = sources()
    folder, wheel_and_sdist = builds(names)
    with tempfile.TemporaryDirectory(prefix="installed") as temporary:
        place = Path(temporary).resolve()
        project = place / "project"
        python = install(str(wheel_and_sdist.wheel), place, others()).bin / "python"
        copy((name for name in names if not name.startswith(PACKAGES)), project)
        imported = run(python, "-c", WHERE, cwd=project).split()
        assert all(path.startswith(str(place / "venv")) for path in imported), imported
        command = [str(python), "-m", "pytest", *arguments]
        return subprocess.run(command, cwd=project, env=environment(**{BUILT: str(folder)}), check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
