"""ggml's own test of operations, test-backend-ops, on the emulated device.

    pytest tests/clients/ggml/test_cases.py                     a share of the cases: at most five minutes
    ACLNN_SEED=7 pytest tests/clients/ggml/test_cases.py        another share
    ACLNN_EXHAUSTIVE=1 pytest -s tests/clients/ggml/test_cases.py   all cases: before a release
    ACLNN_GGML_OPS=ADD,ROPE ACLNN_EXHAUSTIVE=1 pytest ...       all cases of some operations

Each operation has a process of its own; two run at the same time. `cases-BUILD.txt` in the folder of the build has the
text of all cases that were not right.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.clients.ggml.cases import Case, Program, Ran, Report, by_operation, share
from tests.clients.ggml.expected import Expected
from tests.helpers.patience import PATIENCE

pytest.importorskip("tomllib", reason="Python 3.10 cannot read TOML")
EXHAUSTIVE = os.environ.get("ACLNN_EXHAUSTIVE") == "1"
SEED = int(os.environ.get("ACLNN_SEED", "1"))
OPS = [op for op in os.environ.get("ACLNN_GGML_OPS", "").split(",") if op]
GRAPHS = "910B1 with graphs"
MOST = {"910B1": 2, "310P3": 1, GRAPHS: 1}
"""by build: cases of each operation in a share"""
SECONDS = 4 * 3600 if EXHAUSTIVE else 300
ALLOWED = {"ACL_EMULATOR_ALLOWANCES": "ggml-0.3.36"}
SLOW = (
    "GET_ROWS(type=f32,n=256,m=5,r=4,be1=700,be2=100,v=0,vs0=0,offset_cols=0)",
    "GATED_LINEAR_ATTN(type=f32,head_count=32,head_size=64,n_seq_tokens=128,n_seqs=4)",
)
"""cases that are in no share: about 80,000 launches each"""


@pytest.fixture(scope="module", params=MOST)
def build(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def chip(build: str) -> str:
    return build.partition(" ")[0]


@pytest.fixture(scope="module")
def expected(chip: str) -> Expected:
    return Expected(chip)


@pytest.fixture(scope="module")
def program(build: str, built: Path, variables: Mapping[str, str], request: pytest.FixtureRequest) -> Program:
    fixture = {"310P3": "on_310p", GRAPHS: "with_graphs"}.get(build)
    own: dict[str, str] = request.getfixturevalue(fixture) if fixture else {}
    return Program(built, {**variables, **ALLOWED, **own})


@pytest.fixture(scope="module")
def accepted(program: Program) -> list[Case]:
    return program.accepted()


def test_the_backend_accepts_the_cases_that_it_did(accepted: list[Case], expected: Expected) -> None:
    """Its own code decides that, and asks the runtime for the chip. Fewer cases would be a weaker test."""
    assert Counter(case.op for case in accepted) == expected.accepted


def test_all_accepted_cases_are_right_but_those_of_the_table(
    accepted: list[Case], program: Program, expected: Expected, build: str, chip: str
) -> None:
    chosen = accepted if EXHAUSTIVE else share([case for case in accepted if str(case) not in SLOW], SEED, MOST[build])
    groups = {op: cases for op, cases in by_operation(chosen).items() if not OPS or op in OPS}
    largest = sorted(groups.values(), key=len, reverse=True)
    until = time.monotonic() + SECONDS

    def run(cases: list[Case]) -> Report:
        report = program.run(cases, until=until)
        print(report, flush=True)
        return report

    with ThreadPoolExecutor(2) as pool:
        reports = list(pool.map(run, largest))
    ran = [each for report in reports for each in report.cases]
    unexpected = expected.unexpected(ran)
    shown = "\n\n".join(text(each) for each in ran if each.outcome != "right")
    (program.folder / f"cases-{build.replace(' ', '-')}.txt").write_text(shown)
    assert not unexpected, "\n\n".join(map(text, unexpected[:20]))
    assert not [line for report in reports for line in report.other if line.startswith(("error[", "warning["))]
    assert len(ran) == sum(map(len, largest)), f"out of time after {SECONDS} s"
    if EXHAUSTIVE and not OPS and build != GRAPHS:
        assert not [row.cases for row in expected.rows if not row.met and (row.chip or chip == "910B1")]


@pytest.mark.parametrize("build", ["910B1"], indirect=True)
def test_a_cache_of_the_rotary_embedding_is_too_small_for_a_second_case(
    built: Path, variables: Mapping[str, str], accepted: list[Case]
) -> None:
    """It grows with the positions, and the second case has as many positions and more dimensions. This is why cases of
    ROPE have a process of their own."""
    rotary = iter([case for case in accepted if case.parameters.startswith("type=f32") and case.op == "ROPE"])
    fewer, more = (next(case for case in rotary if f"n_dims={dims}," in case.parameters) for dims in (20, 128))
    process = Program(built, variables).start("test", "-o", f"{fewer},{more}")
    said, _ = process.communicate(timeout=PATIENCE)
    assert "error[storage-exceeds-alloc]: the output `out` of aclnnRepeat" in said


def text(ran: Ran) -> str:
    """A case, and the last lines of what was said in it."""
    return "\n".join([f"{ran.case}: {ran.outcome} {ran.findings}", *ran.said[-20:]])
