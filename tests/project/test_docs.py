"""The documentation: every block of code is of a kind, its links lead somewhere, its tests exist.

`tests/helpers/doc_blocks.py` lists the kinds, and says who runs which.
"""

from __future__ import annotations

import ast
import json
import re
import textwrap
from dataclasses import MISSING as NO_DEFAULT
from pathlib import Path

import pytest

import acl_runtime.headers.statuses as statuses
import aclnn
from acl_runtime.objects.options import Options
from aclnn.engine.help import second_statuses
from aclnn.tools.toolkit.exported_functions import declarations
from aclnn.tools.toolkit.headers import headers
from tests.helpers.doc_blocks import CPP, FENCE, KERNELS, MISSING, PAGES, bare, blocks_by_page, counts, english_page
from tests.helpers.doc_reader import run_python
from tests.helpers.listing import assert_listed
from tests.helpers.places import ROOT, home

BLOCKS = blocks_by_page()
RENDERED = [block for found in BLOCKS.values() for block in found if block.kind == "rendered"]


@pytest.mark.checkout("the list of rendered pages is made from its folders")
def test_every_block_is_of_a_kind() -> None:
    """So each is run, compared or rendered. All fences are found: none is indented or open."""
    for path in PAGES:
        found = BLOCKS[path.relative_to(ROOT).as_posix()]
        unknown = [block.where for block in found if not block.kind]
        assert unknown == [], "blocks of no kind: tests/helpers/doc_blocks.py has a table of the kinds"
        fences = re.findall(r"^ *(?:```|~~~)", path.read_text(encoding="utf-8"), re.MULTILINE)
        assert len(fences) == 2 * len(found), f"{path}: a fence is indented, or has no end"


def squeezed(code: str) -> str:
    """Code in one line, wherever its lines are broken."""
    return re.sub(r"(?<=\() | (?=\))", "", " ".join(code.split()))


@pytest.mark.parametrize("language", sorted({block.language for block in RENDERED}))
def test_a_rendered_block_is_what_other_tests_hold(language: str) -> None:
    """`.ci/run` holds that the files are not stale. Programs are those of samples/findings and samples/mistakes,
    which have their tests; a difference is that of the wrong and the right one. Calls are those of the operator of the
    page. Prototypes are those of the headers. A text is a report of a program, or the docstring of an operator."""
    programs = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "samples").glob("*/*.py"))]
    declared = squeezed("\n".join(headers(declarations()).values()))
    docstrings = [getattr(aclnn, name).op.__doc__ for name in aclnn.__all__ if hasattr(getattr(aclnn, name), "op")]
    for block in RENDERED:
        if block.language != language:
            continue
        if language == "python":
            if block.page.startswith("docs/ops/"):
                ast.parse(block.code)
                name = Path(block.page).stem
                if block.section == "What it computes":
                    assert squeezed(block.code) in squeezed(getattr(aclnn, name).op.__doc__), block.where
                    continue
                assert re.findall(r"aclnn\w+", block.code) == [f"{name}GetWorkspaceSize", name], block.where
                continue
            parts = re.split(r"\n\n+(?=def |class |@)", block.code)
            assert any(all(part.strip() in program for part in parts) for program in programs), block.where
        elif language == "c":
            assert all(each in declared for each in squeezed(block.code).split("; ")), block.where
        elif language == "diff":
            for other in "+-":
                lines = [line[1:] for line in block.code.splitlines() if line[0] != other]
                body = textwrap.indent("\n".join(lines), "    ")
                assert any(body in program for program in programs), block.where
        elif language == "text":
            words = block.code.split()
            reported = re.match(r"(error|warning|advice)\[[\w-]+\]: ", block.code)
            assert reported or any((doc or "").split() == words for doc in docstrings), block.where
        else:
            pytest.fail(f"{block.where}: a rendered block in {language or 'no language'}")


def test_the_first_test_has_ten_lines() -> None:
    (first,) = [block for block in BLOCKS["docs/testing.md"] if block.file == "test_launcher.py"]
    assert len(first.code.splitlines()) == 10
    assert first.section == "Your first test in ten lines"


@pytest.mark.parametrize("kind", ["port", "compiled"])
def test_what_is_held_for_the_readme_stands_in_its_translations_as_it_is(kind: str) -> None:
    of_the_readme = [bare(block) for block in BLOCKS["README.md"] if block.kind == kind]
    assert len(of_the_readme) == 1
    for page, found in BLOCKS.items():
        if english_page(page) not in (CPP, MISSING, KERNELS):
            same = [bare(block) for block in found if block.kind == kind] in (of_the_readme, [])
            assert same, f"{page}: copy the block of the kind {kind} from README.md"


# the port in the README


def port() -> tuple[list[str], str]:
    """Its column of Python: imports, and statements."""
    (block,) = [block for block in BLOCKS["README.md"] if block.kind == "port"]
    lines = [line.partition(" // ")[2] for line in block.code.splitlines() if line]
    assert lines[1].endswith(", ...")
    lines[1] = lines[1].replace("...", "aclnnSoftmaxBackwardGetWorkspaceSize")
    return lines[:2], ast.unparse(ast.parse("\n".join(lines[2:])))  # a statement a line


def calls(program: str) -> dict[str, tuple[str, int]]:
    """The function that each assignment calls, and the number of arguments."""
    assigned = [node for node in ast.walk(ast.parse(program)) if isinstance(node, ast.Assign)]
    return {
        ast.unparse(node): (ast.unparse(node.value.func), len(node.value.args))
        if isinstance(node.value, ast.Call)
        else ("", 0)
        for node in assigned
    }


def test_the_port_in_the_readme_is_that_of_the_sample() -> None:
    """Line by line, except for the lines that CreateAclTensor has in the sample, with names of its own. They call the
    same functions."""
    sample = calls((ROOT / "samples" / "aclnn_softmax_backward.py").read_text(encoding="utf-8"))
    shown = calls(port()[1])
    assert len(shown) == 8
    for statement, called in shown.items():
        if statement not in sample:
            assert called[0] in ("aclrtMalloc", "aclCreateTensor")
            assert called in sample.values(), statement


GIVEN_TO_PORT = """
from ctypes import byref, c_uint64, c_void_p
import numpy as np
from aclnn.testing import device_tensor
policy, shape, strides, dim, stream, workspaceAddr = ACL_MEM_MALLOC_HUGE_FIRST, [4, 2], [2, 1], 0, None, None
held = [device_tensor(np.ones((4, 2), np.float32)) for _ in range(2)]
gradOutput, output = (each.handle for each in held)
"""


def test_the_port_in_the_readme_runs() -> None:
    """Every call of it succeeds. (Its column of C is compiled by tests/cpp.)"""
    imports, statements = port()
    checked = re.sub(r"^(ret = .*)$", r"\1; assert ret == ACL_SUCCESS", statements, flags=re.MULTILINE)
    assert checked.count("assert") == 4
    run_python("\n".join([*imports, GIVEN_TO_PORT, checked]))


# counts


def test_the_readme_counts_what_there_is() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    there = counts()
    words = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
    for count in (f"{words[there.documents]} operator documents", f"{words[there.samples]} more"):
        assert count in readme, "README.md counts the samples: correct it there and in README.zh.md"


def test_the_problem_matcher_reads_the_reports() -> None:
    """An editor gets level, id, text, file and line of each report on the pages of real mistakes, in both languages."""
    (tasks,) = [block.code for block in BLOCKS["docs/how-to.md"] if block.file == ".vscode/tasks.json"]
    first, second = (re.compile(each["regexp"]) for each in json.loads(tasks)["tasks"][0]["problemMatcher"]["pattern"])
    pages = ("docs/mistakes.md", "docs/zh/mistakes.md")
    reports = [block.code for page in pages for block in BLOCKS[page] if block.language == "text"]
    assert len(reports) == 2 * 6
    for report in reports:
        head, place, *_ = report.splitlines()
        assert first.search(head), head
        file, line = second.search(place).groups()  # type: ignore[union-attr]
        assert (ROOT / file).is_file()
        assert int(line) > 0


# links, and what pages state


def anchors(path: Path) -> set[str]:
    """The fragments that a page's headings can be linked to by."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", path.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_link_leads_somewhere() -> None:
    for page in PAGES:
        text = FENCE.sub("", page.read_text(encoding="utf-8"))
        for target, fragment in re.findall(r"\]\(([^)#]*)#?([^)]*)\)", text):
            if "://" not in target:
                path = page.parent / target if target else page
                assert path.exists(), f"{page.name} links to {target}"
                assert not fragment or fragment in anchors(path), f"{page.name} links to {target}#{fragment}"


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/releasing.md"])
def test_every_path_that_is_named_exists(page: str) -> None:
    named = re.findall(
        r"(?<![\w/-])((?:acl_runtime|aclnn|docs|samples|tests|\.ci|\.github)/[\w./-]*\w)",
        (ROOT / page).read_text(encoding="utf-8"),
    )
    assert named
    for path in named:
        assert home(path).exists(), f"{page} names {path}"


def test_the_test_command_is_run_by_ci() -> None:
    """`.ci/run` takes the command from the README, the first line that ends with `pytest -n auto`."""
    commands = [
        line
        for line in (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
        if line.endswith("pytest -n auto")
    ]
    assert len(commands) == 1
    assert "grep -m1 'pytest -n auto$' README.md" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_every_option_of_a_machine_is_documented() -> None:
    """With its default; a None that stands for something, and a default that depends on the host, are described in
    words."""
    page = (ROOT / "docs" / "machine.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", page, re.MULTILINE))
    assert_listed("docs/machine.md, the table of options", listed, Options.__dataclass_fields__)
    assert list(listed) == list(Options.__dataclass_fields__), "docs/machine.md: the options stand in another order"
    for name, default in vars(Options()).items():
        depends = Options.__dataclass_fields__[name].default is NO_DEFAULT
        if (default is not None and not depends) or name == "seed":
            assert ast.literal_eval(listed[name].strip("`")) == default, f"docs/machine.md: the default of {name}"


def test_a_number_beside_the_name_of_a_status_is_its_own() -> None:
    """`107002 ACL_ERROR_RT_CONTEXT_NULL`, `ACL_ERROR_RT_CONTEXT_NULL (107002)`, in text and in blocks."""
    pairs: list[tuple[str, str]] = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        pairs += re.findall(r"\b(\d{6}) +(ACL(?:NN)?_E\w+)", text)
        pairs += [(value, name) for name, value in re.findall(r"\b(ACL(?:NN)?_E\w+)`? \(?(\d{6})\b", text)]
    assert len(pairs) > 40
    wrong = [(value, name) for value, name in pairs if value != str(getattr(statuses, name, None))]
    assert wrong == [], "pages have these numbers; acl_runtime/headers/statuses.py has others"


def test_the_contract_tells_the_statuses_of_both_phases() -> None:
    """The statuses that the operators declare."""
    ops = [getattr(aclnn, name) for name in aclnn.__all__ if hasattr(getattr(aclnn, name), "op")]
    first = {value for each in ops for value in getattr(aclnn, f"{each.op.c_name()}GetWorkspaceSize").c.statuses}
    second = {value for each in ops for value, _ in second_statuses(each.op)}
    sections = dict(re.findall(r"^## (.*)\n((?:(?!## ).*\n)*)", CONTRACT, re.MULTILINE))
    for title, expected in (("The first phase, in order", first), ("The second phase", second)):
        rows = "".join(re.findall(r"^\|.*$", sections[title], re.MULTILINE))
        listed = {int(value) for value in re.findall(r"\b(\d{6}|0)\b", rows)} - {0}
        assert_listed(f'docs/contract.md, "{title}", and docs/zh/contract.md', listed, expected - {0})


def names_of_tests(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


FIDELITY = (ROOT / "docs" / "fidelity.md").read_text(encoding="utf-8")
CONTRACT = (ROOT / "docs" / "contract.md").read_text(encoding="utf-8")


def test_every_test_that_a_page_cites_exists() -> None:
    cited = set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", FIDELITY + CONTRACT))
    for file in {file for file, _ in cited}:
        gone = {test for where, test in cited if where == file} - names_of_tests(ROOT / file)
        assert gone == set(), f"docs/fidelity.md or docs/contract.md cites these tests, which {file} does not have"
