"""The cases of all operators, and the parameters that tests of every operator are run with.

A new operator adds its case to CASES; `tests/derived/documents/test_contract.py` fails for one that has none."""

from __future__ import annotations

import pytest

from acl_runtime import *
from aclnn.engine.declaration import Family
from aclnn.engine.parameters import TensorOut
from tests.aclnn.ops.case import Breaker, Case
from tests.aclnn.ops.case_batch_norm_reduce_backward import BATCH_NORM
from tests.aclnn.ops.case_cross_entropy_loss_grad import CROSS_ENTROPY
from tests.aclnn.ops.case_embedding_dense_backward import EMBEDDING
from tests.aclnn.ops.case_prelu_backward import PRELU
from tests.aclnn.ops.case_softmax_backward import SOFTMAX

CASES = (SOFTMAX, PRELU, BATCH_NORM, CROSS_ENTROPY, EMBEDDING)
COMPOSITES = tuple(case for case in CASES if case.op.family is Family.COMPOSITE)


def needed(case: Case) -> list[str]:
    """The tensors that must be given, as all masks of the good call are on."""
    return [param.name for param in case.op.tensors if not param.optional]


def is_output(case: Case, name: str) -> bool:
    return any(param.name == name and isinstance(param, TensorOut) for param in case.op.tensors)


def refusals(case: Case) -> list[tuple[str, Breaker]]:
    """The first breaker of every check that refuses, in order."""
    return [
        (sentence, breakers[0])
        for sentence, breakers in case.breakers.items()
        if breakers[0].status != ACL_SUCCESS and not breakers[0].behind
    ]


every_case = pytest.mark.parametrize("case", CASES, ids=str)
every_composite = pytest.mark.parametrize("case", COMPOSITES, ids=str)
every_check = pytest.mark.parametrize(
    ("case", "sentence"), [pytest.param(case, s, id=f"{case}-{s}") for case in CASES for s in case.breakers]
)
