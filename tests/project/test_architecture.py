"""docs/architecture.md and docs/call-flow.md agree with the sources: rooms, paths, the order of a launch."""

from __future__ import annotations

import re

from tests.helpers.listing import assert_listed
from tests.helpers.places import ROOT, home, module_files
from tests.project.test_rooms import MOST_FILES, ROOMS

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## Where does it go?")[0]


def test_the_table_has_the_rooms_in_their_order() -> None:
    table = [
        tuple(re.findall(r"`([\w.]+)`", names)) for names in re.findall(r"^\| (`acl.*?) \|", SECTION, re.MULTILINE)
    ]
    assert_listed("docs/architecture.md, the table of rooms", table, ROOMS)
    assert table == ROOMS, "docs/architecture.md: the rows stand in the order of ROOMS in tests/project/test_rooms.py"


def test_the_picture_has_every_room() -> None:
    picture = SECTION.partition("```text")[2].partition("```")[0]
    named = {name.rpartition(".")[2] for row in ROOMS for name in row}
    left_out = {"on_demand", "generated_index", "version", "process", "render", "__main__", "acl_runtime", "aclnn"}
    shown = {word.removesuffix("/").removesuffix(".py") for word in picture.split()}
    assert named - left_out - shown == set(), "docs/architecture.md: the picture lacks these rooms"


def test_every_path_is_there() -> None:
    paths = re.findall(r"`((?:acl_runtime|aclnn|tests|docs|samples|\.ci)/[\w./]*)`", PAGE)
    assert len(paths) > 50
    assert [path for path in paths if not home(path).exists()] == [], "docs/architecture.md names these"


def test_the_story_of_a_launch_names_what_is_there() -> None:
    """docs/call-flow.md: its paths, and its parts in their order."""
    story = (ROOT / "docs" / "call-flow.md").read_text(encoding="utf-8")
    paths = re.findall(r"`((?:acl_runtime|aclnn)/[\w./]*)`", story)
    assert len(paths) > 15
    assert [path for path in paths if not home(path).exists()] == [], "docs/call-flow.md names these"
    assert re.findall(r"^## \d\. (\w+)$", story, re.MULTILINE) == ["Check", "Bind", "Enqueue", "Run", "Wait"]


def test_the_functions_of_a_copy_and_of_an_end_are_there() -> None:
    """docs/call-flow.md: the second column of the chain, and the functions below the table of ends."""
    story = (ROOT / "docs" / "call-flow.md").read_text(encoding="utf-8")
    copy, _, ends = story.partition("\n## A copy, ")[2].partition("\n## A call from C++")[0].partition("\n## When ")
    cells = [row.split(" | ")[1] for row in re.findall(r"^\| [a-z]+ \| .*$", copy, re.MULTILINE)]
    named = {name for cell in cells for name in re.findall(r"`([\w.]+)`", cell)}
    named |= set(re.findall(r"^- `([\w.]+)`", ends, re.MULTILINE))
    assert len(named) > 12
    sources = [path.read_text(encoding="utf-8") for path in module_files("acl_runtime")]
    unknown = [name for name in sorted(named) if not any(defines(source, name) for source in sources)]
    assert unknown == [], "docs/call-flow.md names these functions; no module of acl_runtime defines them"


def defines(source: str, name: str) -> bool:
    """Is there a function of this name, or a method `Class.name`?"""
    owner, _, function = name.rpartition(".")
    return (
        re.search(rf"^ *def {function}\(", source, re.MULTILINE) is not None
        and f"class {owner}" * bool(owner) in source
    )


def test_every_folder_of_tests_is_there() -> None:
    tests = ROOT / "tests"
    folders = {f"tests/{path.parent.name}/" for path in tests.glob("*/__init__.py")}
    unnamed = {folder for folder in folders if f"`{folder}`" not in PAGE}
    assert unnamed == set(), "docs/architecture.md: the table of tests lacks these folders"


def test_the_folders_of_tests_mirror_those_of_the_packages() -> None:
    tests = ROOT / "tests"
    for package in ("acl_runtime", "aclnn"):
        folders = {path.parent.relative_to(tests) for path in (tests / package).rglob("test_*.py")}
        assert len(folders) > 3
        alone = {str(folder) for folder in folders if not home(f"{folder}/__init__.py").exists()}
        assert alone == set(), "no package has these folders: move their tests to the folder of what they test"
        crowded = {str(folder) for folder in folders if len([*(tests / folder).glob("*.py")]) > MOST_FILES}
        assert crowded == set(), f"more than {MOST_FILES} files: make a folder for a part of them"
