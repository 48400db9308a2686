"""Texts of the toolkit that no declaration is made into: they lie beside this module, in templates/.

`@NAME@` in one of them stands for what is given, as in files that CMake configures; `$` is the shell's and CMake's own.
"""

import re
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).with_name("templates")


def filled(name: str, **values: str) -> str:
    """The text of a file, with these values in it. KeyError if it wants one that is not given."""
    text = (FOLDER / name).read_text(encoding="utf-8")
    return re.sub(r"@(\w+)@", lambda wanted: values[wanted[1]], text)
