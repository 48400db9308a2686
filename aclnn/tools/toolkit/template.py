"""Files of the toolkit that are not generated from declarations: their templates are in templates/.

`@NAME@` in a template is replaced by a value, as in files that CMake configures. `$` keeps its meaning in shell and
CMake.
"""

import re
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).with_name("templates")


def filled(name: str, **values: str) -> str:
    """The text of a template with these values. KeyError if it needs a value that is not given."""
    text = (FOLDER / name).read_text(encoding="utf-8")
    return re.sub(r"@(\w+)@", lambda match: values[match[1]], text)
