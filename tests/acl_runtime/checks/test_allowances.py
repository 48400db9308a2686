"""Allowances of a file: they let findings of a client pass that its authors know, and count them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from acl_runtime.checks.allowances import Allowances, read
from acl_runtime.errors import Finding, Past

pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 cannot read TOML")

LEAK = Finding(
    "mem-leaked", "warning", "64 bytes are not freed", "", "", (Past("it was allocated", "/lib/pool.cpp:7"),)
)
SHARED = Finding("alias-overlap", "error", "two outputs share bytes", "aclnnGroupNorm", "/lib/norm.cpp:12")


def allowances(folder: Path, *rows: str, client: str = 'client = "a program"', name: str = "some") -> Allowances:
    file = folder / f"{name}.toml"
    file.write_text("\n".join([client, *(f"[[allow]]\n{row}" for row in rows)]), encoding="utf-8")
    return read(file)


LEAKS = 'id = "mem-leaked"\norigin = "pool.cpp"\nmost = 2\nreason = "The pool lives as long as the process."'
OVERLAPS = """id = "alias-overlap"
function = "aclnn*Norm"
most = 1
reason = "Its buffer is too small."
explanation = "a.md#norm"
"""


def test_a_row_allows_so_many_findings_at_its_place(tmp_path: Path) -> None:
    given = allowances(tmp_path, LEAKS, OVERLAPS)
    assert [bool(given.allow(each)) for each in (LEAK, SHARED, LEAK, LEAK, SHARED)] == [True, True, True, False, False]


@pytest.mark.parametrize(
    "row",
    [
        LEAKS.replace("pool.cpp", "other.cpp"),
        LEAKS.replace("mem-leaked", "stream-leaked"),
        f'{LEAKS}\nfunction = "aclrtFree"',
    ],
    ids=["another origin", "another id", "another function"],
)
def test_a_row_allows_nothing_elsewhere(row: str, tmp_path: Path) -> None:
    assert allowances(tmp_path, row).allow(LEAK) is None


def test_one_of_several_origins_is_enough(tmp_path: Path) -> None:
    row = LEAKS.replace('"pool.cpp"', '["without_debug_information()", "pool.cpp:7"]')
    assert allowances(tmp_path, row).allow(LEAK) is not None


def test_the_summary_counts_used_rows_and_names_unused_ones(tmp_path: Path) -> None:
    given = allowances(tmp_path, LEAKS, OVERLAPS)
    given.allow(LEAK)
    given.allow(LEAK)
    given.advice = 3
    assert given.summary() == (
        "allowances of a program: allowed mem-leaked (pool.cpp) 2x; unused alias-overlap (aclnn*Norm); 3 advice"
    )
    given.from_package = True
    assert "unused" not in given.summary(), "the user cannot delete the rows of a file of this package"


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (LEAKS.replace("mem-leaked", "mem-leakt"), "'mem-leakt' is no finding"),
        (LEAKS.replace("most = 2", "most = 0"), "most=0: a number from 1"),
        (LEAKS.replace("most = 2", 'most = "all"'), "most='all': a number from 1"),
        (LEAKS.replace("The pool lives as long as the process.", " "), "the reason is missing"),
        (LEAKS.replace('origin = "pool.cpp"\n', ""), "function or origin"),
        (OVERLAPS.replace('explanation = "a.md#norm"', ""), "is an error: explanation has to be a link"),
        (f"{LEAKS}\ntimes = 3", "'times' is none of"),
        (f"{LEAKS}\nmost = 3", "some.toml"),
    ],
)
def test_a_row_that_does_not_say_what_where_and_why_is_refused(row: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"some\.toml") as refused:
        allowances(tmp_path, row)
    assert reason in str(refused.value)


@pytest.mark.parametrize("client", ["", "client = 3", 'client = "a"\nrows = 1'])
def test_a_file_names_its_client(client: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"some\.toml"):
        allowances(tmp_path, client=client)


def test_a_file_has_the_rows_of_another_one_behind_its_own(tmp_path: Path) -> None:
    allowances(tmp_path, LEAKS)
    both = allowances(tmp_path, OVERLAPS, client='client = "b"\nlike = "some"', name="other")
    assert (both.client, [row.id for row in both.rows]) == ("b", ["alias-overlap", "mem-leaked"])
    for like in ("absent", "some"):
        with pytest.raises(ValueError, match=r"some\.toml"):
            allowances(tmp_path, client=f'client = "b"\nlike = "{like}"')


def test_a_file_that_is_absent_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="No such file"):
        read(tmp_path / "absent.toml")
