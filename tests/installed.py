"""Runs tests with the packages of a wheel, as users have them.

    python -m tests.installed [ARGUMENTS OF PYTEST]

Without arguments it runs the whole suite. The wheel is built from the files of this checkout, and installed in a new
environment with links to the other packages of this one. Pytest runs in a copy of the project that has no packages, so
`import aclnn` is that of the wheel. The builds stay in `build/tests`, until a file of them changes.

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


def builds() -> tuple[Path, Built]:
    """The folder of the builds of the files that the checkout has now, and what is in it."""
    content = sha256()
    for name in sorted(sources()):
        content.update(f"{name}\0".encode() + sha256((ROOT / name).read_bytes()).digest())
    place = BUILDS / content.hexdigest()[:16]
    if (place / "sources.txt").is_file():
        return place, built(place)
    shutil.rmtree(BUILDS, ignore_errors=True)
    place.mkdir(parents=True)
    return place, build(place)


def main(arguments: list[str]) -> int:
    """Run pytest, and return its exit status."""
    kept, found = builds()
    with tempfile.TemporaryDirectory(prefix="installed") as folder:
        place = Path(folder).resolve()
        python = install(str(found.wheel), place, others()).bin / "python"
        copy((name for name in found.sources if not name.startswith(PACKAGES)), place / "project")
        imported = run(python, "-c", WHERE, cwd=place / "project").split()
        assert all(each.startswith(str(place / "venv")) for each in imported), imported
        command = [str(python), "-m", "pytest", *arguments]
        return subprocess.run(
            command, cwd=place / "project", env=environment(**{BUILT: str(kept)}), check=False
        ).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
