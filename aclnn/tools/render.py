"""Writes the committed files that follow from declarations: pages of operators and findings, stubs for editors.

python -m aclnn.render            writes docs/ops/*.md, docs/families/*.md, docs/findings/*.md,
                                  the tables of docs/findings.md and docs/zh/findings.md, docs/mistakes.md and
                                  docs/zh/mistakes.md, docs/operators-by-name.md and docs/zh/operators-by-name.md, the
                                  lists of docs/fidelity.md, docs/pyacl.md and docs/zh/pyacl.md, the tables and lists
                                  of docs/zh/fidelity.md, docs/timeline*.svg,
                                  docs/mistake.svg, the table of the READMEs,
                                  acl_runtime/__init__.pyi, aclnn/__init__.pyi, aclnn/stubs/*.pyi,
                                  acl_runtime/generated_index.py, aclnn/ops/generated_index.py,
                                  aclnn/tools/command/help_index/generated_*.txt
python -m aclnn.render --check    lists the stale ones, and fails if there are any

Both list the texts that have no Chinese translation yet.
"""

from aclnn.tools import help_files, index
from aclnn.tools.pages import (
    absent,
    families,
    fidelity,
    findings,
    first_picture,
    mistakes,
    named_operators,
    operators,
    readme,
    timeline,
    untranslated,
)
from aclnn.tools.pages.markdown import ROOT, Files
from aclnn.tools.stubs import operator_stubs, runtime_stub


def files() -> Files:
    """Functions that return the text of each rendered file, by its path in the project."""
    stubs = {"acl_runtime/__init__.pyi": runtime_stub, **operator_stubs()}
    return {
        **index.files(),
        **help_files.files(),
        **operators.files(),
        **findings.files(),
        **mistakes.files(),
        **named_operators.files(),
        **timeline.files(),
        **fidelity.files(),
        **absent.files(),
        **families.files(),
        **first_picture.files(),
        **readme.files(),
        **stubs,
    }


def main(arguments: list[str]) -> int:
    """Write the stale files, or only list them with --check. Texts without a translation are listed, and are no
    failure."""
    check = "--check" in arguments
    texts = {path: make() for path, make in files().items()}
    stale = [
        path
        for path, text in texts.items()
        if not (ROOT / path).is_file() or (ROOT / path).read_text(encoding="utf-8") != text
    ]
    for path in stale:
        if not check:
            (ROOT / path).parent.mkdir(exist_ok=True)
            (ROOT / path).write_text(texts[path], encoding="utf-8")
        print(f"{'stale' if check else 'wrote'} {path}")
    for text in untranslated.untranslated():
        print(f"no Chinese text yet: {text}")
    return 1 if stale and check else 0
