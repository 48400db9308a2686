"""SparseFlashMla: figures, windows, lists, order of the checks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import aclnn
from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from aclnn.ops.sparse._rows import attended_in_tiles
from aclnn.testing import run
from tests.aclnn.ops.case import A2, A950, Meta, board
from tests.aclnn.ops.sparse.good_calls_latent import HALF, LATENT, METADATA, PACKED_LATENT, PAGED_LATENT
from tests.derived.good import subject
from tests.derived.launching import planned

F16, F32, I32 = np.float16, np.float32, np.int32
NULLPTR, INVALID, TILING = ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_INNER_TILING_ERROR
NAME = "aclnnSparseFlashMla"
NONE = -1e30
"""a sink without a share"""


def keys(*scores: float) -> np.ndarray:
    """One batch of keys. Their scores with the query are these numbers; the second element of key j is j."""
    made = np.zeros((1, len(scores), 1, 512), F16)
    made[0, :, 0, 0], made[0, :, 0, 1] = scores, range(len(scores))
    return made


def attended(rows: int = 1, soc: str = A2, sink: float = NONE, **changes: Any) -> tuple[list[float], list[float]]:
    """The means of the numbers of the keys, and the logarithms of sums, of each row of one head."""
    query = np.zeros((1, rows, 1, 512), F16)
    query[..., 0] = 1
    given = {
        "q": query, "oriKvOptional": keys(0, 0, 0, 0), "sinksOptional": np.array([sink], F32),
        "metadataOptional": np.zeros(1024, I32), "softmaxScale": 1.0, "cmpRatio": 1, "oriMaskMode": 4,
        "cmpMaskMode": 3, "oriWinLeft": 127, "oriWinRight": 0, "layoutQOptional": "BSND", "layoutKvOptional": "BSND",
        "topkValueMode": 1, "returnSoftmaxLse": True, "attnOutOut": np.empty(query.shape, F16),
        "softmaxLseOutOptional": np.empty((1, 1, rows, 1), F32), **changes,
    }  # fmt: skip
    with Machine(soc):
        out, lse = run(getattr(aclnn, NAME), *(given.get(name) for name in subject(NAME).good))
    return out[0, :, 0, 1].tolist(), lse[0, 0, :, 0].tolist()


def status(name: str = NAME, soc: str = A2, **changes: Any) -> int:
    this = subject(name)
    with board(soc):
        return planned(this, this.changed(changes)).status


def test_rows_see_the_keys_up_to_their_own() -> None:
    """Two rows of four keys: the first row sees three keys, the second one sees four."""
    means, logs = attended(2)
    assert means == [1, 1.5]
    assert np.allclose(logs, np.log([3, 4]))


def test_a_sink_takes_a_share() -> None:
    """Four scores of 0 and a sink of log 4: each half of the sum."""
    means, logs = attended(sink=float(np.log(4)))
    assert np.isclose(means[0], 0.75, atol=1e-3)
    assert np.isclose(logs[0], np.log(8))


def test_a_window_on_950() -> None:
    """Row t = 4 of four keys with oriWinLeft 1: keys 2 and 3."""
    assert attended(soc=A950, oriWinLeft=1)[0] == [2.5]
    assert attended(2, A950, oriWinLeft=0, oriWinRight=1)[0] == [2.5, 3]
    assert attended(2, A950, oriMaskMode=3, oriWinLeft=0)[0] == [1, 1.5]
    assert attended(2, A950, oriMaskMode=0)[0] == [1.5, 1.5]


@pytest.mark.fidelity("rows and windows of aclnnSparseFlashMla")
def test_a_row_before_all_keys_is_0() -> None:
    """Two rows of one key: the first row lies before the key, so its only score is the sink."""
    means, logs = attended(2, sink=0.5, oriKvOptional=keys(0)[:, :1])
    assert means[0] == 0
    assert np.isclose(logs[0], 0.5)


@pytest.mark.fidelity("rows and windows of aclnnSparseFlashMla")
def test_windows_without_limits_on_950() -> None:
    assert attended(2, A950, oriWinLeft=-1, oriWinRight=-1)[0] == [1.5, 1.5]


def compressed(*numbers: float, **changes: Any) -> float:
    """The output of one row with one plain key of 0 and compressed keys with these numbers. cmpRatio is 1 and the row
    has 4 keys before it, of which only the last is in its window."""
    made = keys(*(0.0 for _ in numbers))
    made[0, :, 0, 1] = numbers
    plain = np.zeros((1, 4, 1, 512), F16)
    return attended(soc=A950, oriKvOptional=plain, oriWinLeft=0, cmpKvOptional=made, **changes)[0][0]


def test_compressed_keys_without_a_list() -> None:
    assert compressed(8, 16) == 8, "keys 0, 8 and 16"
    assert compressed(8, 16, cmpRatio=4) == 4, "one block of four keys is complete"
    assert compressed(8, 16, cmpRatio=5) == 0


def lists(*ids: int) -> dict[str, Any]:
    return {"cmpSparseIndicesOptional": np.array([[[ids]]], I32)}


def test_compressed_keys_of_a_list() -> None:
    assert compressed(8, 16, 24, **lists(2, -1, 0)) == 12, "keys 0 and 24"
    assert compressed(8, 16, 24, **lists(1, 2, 0), cmpRatio=2) == 8, "two ids count, and block 2 is not complete"


def test_an_unknown_block_is_found() -> None:
    with pytest.raises(UndefinedBehaviour, match="blockTable has the block 2"):
        attended(
            oriKvOptional=np.zeros((2, 16, 1, 512), F16), layoutKvOptional="PA_BSND",
            oriBlockTableOptional=np.array([[1, 2]], I32), sequsedOriKvOptional=np.array([17], I32),
        )  # fmt: skip


@pytest.mark.fidelity("rows and windows of aclnnSparseFlashMla")
def test_probabilities_are_rounded_in_tiles() -> None:
    """600 keys: the largest score of the second tile makes the sums of the first tile smaller."""
    scores = np.zeros((600, 2), F32)
    scores[:, 0], scores[:, 1] = 1 / 3, 1
    scores[550, 0] = 2
    out, top, total = attended_in_tiles(np.array([[1, 0]], F32), scores, np.array([0], F32), np.dtype(F16))
    e = np.exp(scores[:, 0].astype(np.float64))
    assert top.tolist() == [2]
    assert np.isclose(total[0], (e.sum() + 1) / np.exp(2), rtol=1e-6)
    assert abs(out[0, 1] - e.sum() / (e.sum() + 1)) < 2.0**-11


ORDER: list[tuple[int, dict[str, Any]]] = [
    (NULLPTR, {"attnOutOut": None}), (INVALID, {"q": Meta((2, 3, 2, 512))}), (TILING, {"layoutQOptional": "BNSD"}),
    (TILING, {"layoutKvOptional": "TND"}), (TILING, {"oriMaskMode": 3}), (TILING, {"oriWinLeft": 128}),
    (TILING, {"cmpRatio": 2}), (TILING, {"oriKvOptional": Meta((2, 12, 1, 512), ACL_BF16)}),
    (TILING, {"sinksOptional": None}), (TILING, {"oriKvOptional": Meta((2, 12, 2, 512), HALF)}),
    (TILING, {"cmpSparseIndicesOptional": Meta((2, 2, 1, 2), ACL_INT32)}), (TILING, {"sinksOptional": Meta((3,))}),
    (TILING, {"metadataOptional": Meta((1023,), ACL_INT32)}), (TILING, {"softmaxLseOutOptional": Meta((2, 3, 2))}),
]  # fmt: skip


@pytest.mark.parametrize("place", range(len(ORDER)))
def test_order_of_the_checks(place: int) -> None:
    expected, mistake = ORDER[place]
    assert status(**mistake) == expected
    later = {name: value for _, other in reversed(ORDER[place + 1 :]) for name, value in other.items()}
    assert status(**{**later, **mistake}) == expected


def test_layouts() -> None:
    """Tables and lengths that a layout needs."""
    assert status(**PACKED_LATENT) == status(**PAGED_LATENT) == ACL_SUCCESS
    for good, lacking in ((PACKED_LATENT, "cuSeqlensQOptional"), (PACKED_LATENT, "cuSeqlensOriKvOptional"),
                          (PACKED_LATENT, "cuSeqlensCmpKvOptional"), (PAGED_LATENT, "oriBlockTableOptional"),
                          (PAGED_LATENT, "cmpBlockTableOptional"), (PAGED_LATENT, "sequsedOriKvOptional"),
                          (LATENT, "metadataOptional")):  # fmt: skip
        assert status(**{**good, lacking: None}) == TILING, lacking
    wrong = {"oriBlockTableOptional": Meta((3, 2), ACL_INT32), "sequsedOriKvOptional": Meta((3,), ACL_INT32)}
    for name, value in wrong.items():
        assert status(**{**PAGED_LATENT, name: value}) == TILING, name


def test_windows_of_950() -> None:
    assert status(soc=A950, oriWinLeft=-1, oriWinRight=3, cmpRatio=7) == ACL_SUCCESS
    assert status(soc=A950, oriWinLeft=-2) == status(soc=A950, cmpRatio=129) == TILING
    assert status(soc=A950, oriMaskMode=1) == status(soc=A950, cmpMaskMode=1) == TILING
    assert status(cmpMaskMode=0, cmpKvOptional=None, cmpSparseIndicesOptional=None) == TILING


@pytest.mark.fidelity("rows and windows of aclnnSparseFlashMla")
def test_metadata_are_0() -> None:
    name = "aclnnSparseFlashMlaMetadata"
    with Machine(A2):
        given = {**METADATA, "metaData": np.full(1024, 9, I32)} | {
            each: np.zeros(2, I32) for each in METADATA if each.startswith("seqused")
        }
        found = run(getattr(aclnn, name), *(given.get(each) for each in subject(name).good))
    assert not np.asarray(found).any()
    assert status(name, metaData=Meta((1023,), ACL_INT32)) == INVALID
    assert status(name, metaData=Meta((1024,))) == INVALID
