"""aclRfft1D and aclStft: the figures of the contract, numpy and torch, and the order of the checks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import aclnn
from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A2, A3, A950, INFERENCE, TRAINING, Meta
from tests.aclnn.ops.spectral.good_calls import GOOD
from tests.helpers.refusals import Mistake, answer, assert_in_order

INVALID, NULL, INNER = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_INNER_NULLPTR
F32, C64 = np.float32, np.complex64
REAL, HALVES = GOOD["aclRfft1D"], GOOD["aclStft"]
MISTAKES = {
    "aclRfft1D": [
        Mistake("null self", NULL, "self", self=None), Mistake("null out", NULL, "out", out=None),
        Mistake("type", INVALID, "self", self=Meta((2, 6), ACL_DOUBLE)),
        Mistake("rank", INVALID, "self", self=Meta((1,) * 8)),
        Mistake("no length", INVALID, "n", n=0), Mistake("length", INVALID, "n", n=262145),
        Mistake("norm", INVALID, "norm", norm=4), Mistake("dim", INVALID, "dim", dim=2),
        Mistake("another shape", INNER, "out", out=Meta((2, 4, 3))),
    ],
    "aclStft": [
        Mistake("null self", NULL, "self", self=None), Mistake("null out", NULL, "out", out=None),
        Mistake("type", INVALID, "self", self=Meta((2, 12), ACL_FLOAT16)),
        Mistake("type of the window", INVALID, "windowOptional", windowOptional=Meta((3,), ACL_DOUBLE)),
        Mistake("real out", INVALID, "out", out=Meta((2, 3, 5))),
        Mistake("rank", INVALID, "self", self=Meta((1, 2, 12))),
        Mistake("long windows", INVALID, "nFft", nFft=13), Mistake("hop", INVALID, "hopLength", hopLength=0),
        Mistake("no window", INVALID, "winLength", winLength=0),
        Mistake("elements of the window", INVALID, "windowOptional", windowOptional=Meta((4,))),
        Mistake("another shape", INVALID, "out", out=Meta((2, 3, 4), ACL_COMPLEX64)),
    ],
}  # fmt: skip


@pytest.fixture(autouse=True)
def board(request: pytest.FixtureRequest) -> Any:
    with Machine(A2):
        aclrtSetDevice(0)
        yield


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_found_in_this_order(name: str) -> None:
    assert_in_order(getattr(aclnn, f"{name}GetWorkspaceSize"), GOOD[name], MISTAKES[name])


@pytest.mark.parametrize(
    ("name", "products"), [("aclRfft1D", (A2, A3)), ("aclStft", (A2, A3, A950))], ids=lambda value: str(value)[:9]
)
def test_other_products_refuse_before_a_null_pointer(name: str, products: tuple[str, ...]) -> None:
    first = getattr(aclnn, f"{name}GetWorkspaceSize")
    for soc in (A2, A3, A950, INFERENCE, TRAINING):
        found = answer(first, GOOD[name], {"self": None}, soc)
        assert found.status == (NULL if soc in products else INVALID)
        assert f"[{name}GetWorkspaceSize, called at" in found.text


def test_complex_numbers_have_no_half() -> None:
    first = aclStftGetWorkspaceSize
    complex_ = {"self": Meta((2, 12), ACL_COMPLEX64), "windowOptional": Meta((3,), ACL_COMPLEX64)}
    assert answer(first, HALVES, complex_).status == INVALID
    every = {**complex_, "onesided": False, "out": Meta((2, 4, 5), ACL_COMPLEX64)}
    assert answer(first, HALVES, every).status == ACL_SUCCESS


@pytest.mark.parametrize(("name", "shape"), [("aclRfft1D", (0, 6)), ("aclStft", (0, 12))])
def test_nothing_has_no_transform(name: str, shape: tuple[int, ...]) -> None:
    out = (0, 4, 2) if name == "aclRfft1D" else (0, 3, 5)
    changes = {"self": Meta(shape), "out": Meta(out, GOOD[name]["out"].dtype)}
    found = answer(getattr(aclnn, f"{name}GetWorkspaceSize"), GOOD[name], changes)
    assert (found.status, found.workspace_size) == (ACL_SUCCESS, 0), found.text


def test_figures() -> None:
    x = np.arange(1, 7, dtype=F32)
    found = run(aclRfft1D, x[:4], 4, 0, 1, np.empty((3, 2), F32))
    np.testing.assert_allclose(found, [[10, 0], [-2, 2], [-2, 0]], atol=1e-6)
    for window in (None, np.ones(4, F32)):
        found = run(aclStft, x, window, np.empty((3, 2), C64), 4, 2, 4, False, True, True)
        np.testing.assert_allclose(found.T, [[10, -2 + 2j, -2], [18, -2 + 2j, -2]], atol=1e-6)


@pytest.mark.parametrize("n", [-1, 1, 5, 8, 1000])
def test_a_dimension_is_cut_or_padded_as_numpy_does(n: int) -> None:
    x = np.random.default_rng(0).normal(size=(3, 7, 4)).astype(F32)
    for norm, word in ((1, "backward"), (2, "forward"), (3, "ortho")):
        expected = np.fft.rfft(x.astype(np.float64), None if n == -1 else n, 1, word)
        out = np.empty((*expected.shape, 2), F32)
        for dim in (1, -2):
            found = run(aclRfft1D, x, n, dim, norm, out)
            np.testing.assert_allclose(found[..., 0] + 1j * found[..., 1], expected, atol=1e-5)


def test_parts_are_real_numbers() -> None:
    """With returnComplex false, out has them in a last dimension, in the data type of self."""
    x = np.random.default_rng(0).normal(size=(2, 30))
    for dtype, wide in ((F32, C64), (np.float64, np.complex128)):
        whole = run(aclStft, x.astype(dtype), None, np.empty((2, 5, 12), wide), 8, 2, 8, True, True, True)
        parts = run(aclStft, x.astype(dtype), None, np.empty((2, 5, 12, 2), dtype), 8, 2, 8, True, True, False)
        assert np.array_equal(parts[..., 0] + 1j * parts[..., 1], whole)


@pytest.mark.parametrize("onesided", [True, False])
@pytest.mark.parametrize("width", [16, 11])
def test_windows_are_those_of_torch_and_their_signal_comes_back(onesided: bool, width: int) -> None:
    """A window that is shorter than nFft stands in its middle."""
    torch = pytest.importorskip("torch")
    n, hop, count = 16, 4, 13
    x = np.random.default_rng(1).normal(size=(2, n + hop * (count - 1)))
    window = torch.hamming_window(width, dtype=torch.float64)
    out = np.empty((2, n // 2 + 1 if onesided else n, count), np.complex128)
    found = run(aclStft, x, window.numpy(), out, n, hop, width, True, onesided, True)
    words: dict[str, Any] = {"center": False, "normalized": True, "onesided": onesided}
    expected = torch.stft(torch.from_numpy(x), n, hop, width, window, return_complex=True, **words)
    np.testing.assert_allclose(found, expected.numpy(), atol=1e-12)
    if width == n:
        back = torch.istft(torch.from_numpy(found), n, hop, width, window, **words)
        np.testing.assert_allclose(back.numpy(), x, atol=1e-12)
