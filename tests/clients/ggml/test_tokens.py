"""llama.cpp answers with the same tokens on the emulated device as on ggml's backend for the CPU.

The model is tiny and random; `samples/clients/llama_cpp` makes it. ACLNN_EXHAUSTIVE=1 runs all combinations.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from tests.clients.ggml.conftest import SAMPLE, InToolkit, Ran

TYPES = ("f32", "f16", "q8_0", "q4_0")
SCHEDULES = ("late", "eager", "threads", "random")
COUNT = 6
LAYERS = "9"
"""more than the model has: all of it is on the devices"""
NMSE = 5e-4
"""normalised mean squared error of the logits; ggml's own bound for products of matrices"""
SLOWEST = 0.1
"""seconds of the CPU for a token, but those with the first launches of an operator"""
STEP = re.compile(r"^step \d+: .* s, ([\d.]+) s of the CPU$", re.MULTILINE)
Tokens = Callable[..., Ran]
Reference = Callable[[str, bool], tuple[str, np.ndarray]]
"""tokens and logits, by type and flash attention"""
EVERY = list(product(TYPES, (False, True), (1, 2), SCHEDULES))
SOME = [(type, flash, 1, "late") for type in TYPES for flash in (False, True)] + [
    ("f16", True, 2, "late"), ("f16", True, 1, "eager"), ("f16", False, 2, "threads"), ("f16", True, 1, "random"),
    ("f32", True, 2, "random"),
]  # fmt: skip
CHOSEN = EVERY if os.environ.get("ACLNN_EXHAUSTIVE") == "1" else SOME


@pytest.fixture(scope="session")
def tokens(built: Path, in_toolkit: InToolkit) -> Tokens:
    """Run the program `tokens` with a model of a type. Its logits are in the file `logits`."""
    in_toolkit("cmake", "--build", "build", "-j", "2", "--target", "tokens").check_returncode()

    @cache
    def model(type: str) -> Path:
        path = built / f"tiny-{type}.gguf"
        in_toolkit("python", str(SAMPLE / "tiny_model.py"), str(path), type).check_returncode()
        return path

    def run(type: str, layers: str, *, flash: bool, logits: Path, **environment: str) -> Ran:
        given = {"GGML_NO_BACKTRACE": "1", "ACL_EMULATOR_ALLOWANCES": "ggml-0.3.36", **environment}
        return in_toolkit(
            "build/bin/tokens", str(model(type)), layers, str(COUNT), str(int(flash)), str(logits), **given
        )

    return run


@pytest.fixture(scope="session")
def on_the_cpu(tokens: Tokens, tmp_path_factory: pytest.TempPathFactory) -> Reference:
    """The tokens and logits of the backend for the CPU."""

    @cache
    def expected(type: str, flash: bool) -> tuple[str, np.ndarray]:
        logits = tmp_path_factory.mktemp("cpu") / "logits"
        ran = tokens(type, "0", flash=flash, logits=logits)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout, np.fromfile(logits, np.float32)

    return expected


def without_nz(type: str) -> Mapping[str, str]:
    """f32: aclnnTransMatmulWeight refuses FLOAT."""
    return {"GGML_CANN_WEIGHT_NZ": "off"} if type == "f32" else {}


@pytest.mark.parametrize(("type", "flash", "devices", "schedule"), CHOSEN)
def test_tokens_and_logits_are_those_of_the_cpu(
    type: str, flash: bool, devices: int, schedule: str, tokens: Tokens, on_the_cpu: Reference,
    tmp_path: Path,
) -> None:  # fmt: skip
    options = {"DEVICE_COUNT": str(devices), "SCHEDULE": schedule, "SEED": "1"}
    given = {**without_nz(type), **{f"ACL_EMULATOR_{name}": value for name, value in options.items()}}
    ran = tokens(type, LAYERS, flash=flash, logits=tmp_path / "logits", **given)
    assert_same(ran, tmp_path / "logits", *on_the_cpu(type, flash))


@pytest.mark.parametrize("type", TYPES)
def test_tokens_and_logits_on_310p_are_those_of_the_cpu(
    type: str, on_310p: Mapping[str, str], tokens: Tokens, on_the_cpu: Reference, tmp_path: Path
) -> None:
    """With a backend that was built for the chip, whose products are FLOAT16."""
    ran = tokens(type, LAYERS, flash=False, logits=tmp_path / "logits", **without_nz(type), **on_310p)
    assert_same(ran, tmp_path / "logits", *on_the_cpu(type, False))


@pytest.mark.parametrize("flash", [False, True])
@pytest.mark.parametrize("type", TYPES)
def test_tokens_and_logits_with_graphs_are_those_without(
    type: str, flash: bool, with_graphs: Mapping[str, str], tokens: Tokens, tmp_path: Path
) -> None:
    """To the last bit. Most steps run a graph that an earlier step has captured."""
    runs = []
    for name, environment in (("plain", {}), ("graphs", with_graphs)):
        ran = tokens(type, LAYERS, flash=flash, logits=tmp_path / name, **without_nz(type), **environment)
        assert ran.returncode == 0, ran.stderr
        assert not re.search(r"^(error|warning)\[", ran.stderr, re.MULTILINE), ran.stderr
        runs.append((ran.stdout, (tmp_path / name).read_bytes()))
    assert runs[0] == runs[1]


def assert_same(ran: Ran, logits: Path, text: str, expected: np.ndarray) -> None:
    """Assert that a run had the tokens and logits of another one, and that nothing was found."""
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == text
    found = np.fromfile(logits, np.float32)
    assert np.sum((found - expected) ** 2) / np.sum(expected**2) < NMSE
    assert not re.search(r"^(error|warning)\[", ran.stderr, re.MULTILINE), ran.stderr


def test_a_token_takes_a_tenth_of_a_second(tokens: Tokens, tmp_path: Path) -> None:
    """With all checks. The first steps plan each launch."""
    ran = tokens("f16", LAYERS, flash=True, logits=tmp_path / "logits")
    seconds = [float(each) for each in STEP.findall(ran.stderr)]
    assert len(seconds) == COUNT
    assert sorted(seconds)[COUNT // 2] <= SLOWEST, seconds


def test_weights_that_stay_in_nd_give_the_same_tokens(tokens: Tokens, on_the_cpu: Reference, tmp_path: Path) -> None:
    """The default of the backend for float16 is FRACTAL_NZ."""
    ran = tokens("f16", LAYERS, flash=True, logits=tmp_path / "logits", GGML_CANN_WEIGHT_NZ="off")
    assert (ran.returncode, ran.stdout) == (0, on_the_cpu("f16", True)[0]), ran.stderr
    assert "ws-freed-early (aclrtFree) 1x" not in ran.stderr


def test_a_workspace_that_is_freed_too_early_is_reported_and_changes_the_tokens(
    tokens: Tokens, on_the_cpu: Reference, tmp_path: Path
) -> None:
    """With the schedule `late` nothing has run before something waits for it, as on a device that is busy. Where the
    finding is allowed, the weights are laid out first, and the tokens are right."""
    ran = tokens("f16", LAYERS, flash=True, logits=tmp_path / "logits", ACL_EMULATOR_ALLOWANCES="")
    assert "error[ws-freed-early]: " in ran.stderr
    assert "while they are the workspace of aclnnTransMatmulWeight" in ran.stderr
    assert ran.stdout != on_the_cpu("f16", True)[0]
