"""Every data type on every product, for each tensor of the five documents ("2. Parameters", "3. Parameters")."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from acl_runtime import *
from acl_runtime.objects.soc import Series
from aclnn.engine.parameters import TensorParam
from aclnn.engine.words.types import TypeListed
from tests.aclnn.ops.case import A2, A3, A200I, A950, INFERENCE, TRAINING, Case, Meta, board
from tests.aclnn.ops.cases import BATCH_NORM, CROSS_ENTROPY, EMBEDDING, PRELU, SOFTMAX

INVALID = ACLNN_ERR_PARAM_INVALID

SOC_OF = {
    Series.A2: A2,
    Series.A3: A3,
    Series.A950: A950,
    Series.TRAINING: TRAINING,
    Series.INFERENCE: INFERENCE,
    Series.A200I_500_A2: A200I,
}


def tensor_params(case: Case) -> dict[str, TensorParam[Any]]:
    return {param.name: param for param in case.op.tensors}


# data types: the tables of "2. Parameters"

_FF, _FFB = {ACL_FLOAT, ACL_FLOAT16}, {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}
_FLOATS = {Series.A2: _FFB, Series.A3: _FFB, Series.A950: _FFB}  # elsewhere FLOAT and FLOAT16
_INDEX = {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT32, ACL_INT64, ACL_INT16, ACL_INT8, ACL_UINT8, ACL_BOOL}


class Types(NamedTuple):
    """The data types of a parameter: by series, and for the series that are not named."""

    by_series: dict[Series, set[aclDataType]]
    otherwise: set[aclDataType]
    tied: tuple[str, ...] = ()
    """other parameters that must have the same"""


TYPES = {
    SOFTMAX: {
        "gradOutput": Types(_FLOATS, _FF, ("output",)),
        "output": Types(_FLOATS, _FF, ("gradOutput",)),
    },
    PRELU: {"self": Types({}, _FF, ("gradOutput", "weight", "gradInput", "gradWeight"))},  # BFLOAT16 on no product
    BATCH_NORM: {
        "gradOut": Types(_FLOATS, _FF, ("input",)),
        "input": Types(_FLOATS, _FF, ("gradOut",)),
        **{name: Types(_FLOATS, _FF) for name in ("mean", "invstd", "sumDy", "sumDyXmu", "gradWeight", "gradBias")},
    },
    CROSS_ENTROPY: {
        "gradLoss": Types({}, _FFB, ("logProb", "out")),
        "target": Types({}, {ACL_INT64}),
        "weightOptional": Types({}, {ACL_FLOAT}),
    },
    EMBEDDING: {
        "grad": Types(_FLOATS, _FF),
        "indices": Types({}, _INDEX),
        "out": Types(_FLOATS, _FF),  # any of the list, also when it differs from that of grad
    },
}
every_listed = pytest.mark.parametrize(
    ("case", "name"), [pytest.param(case, name, id=f"{case}-{name}") for case, types in TYPES.items() for name in types]
)
every_series = pytest.mark.parametrize("series", Series, ids=lambda series: series.name)


@pytest.mark.parametrize("case", TYPES, ids=str)
def test_parameters_with_a_list_of_data_types(case: Case) -> None:
    listed = {check.param.name for check in case.op.checks if isinstance(check, TypeListed)}
    assert listed == set(TYPES[case])


@every_listed
def test_declared_data_types_are_those_of_the_contract(case: Case, name: str) -> None:
    types = TYPES[case][name]
    for series in Series:
        declared = tensor_params(case)[name].dtypes.on(series)
        assert len(set(declared)) == len(declared), series.name
        assert set(declared) == types.by_series.get(series, types.otherwise), series.name


def retyped(case: Case, name: str, dtype: int) -> Meta:
    return Meta(case.good[name].shape, dtype)


@every_listed
@every_series
def test_every_data_type_on_every_product(case: Case, name: str, series: Series) -> None:
    """Listed ones pass (or meet the answer of a product without the operator), all others are 161002 and named."""
    allowed = tensor_params(case)[name].dtypes.on(series)
    tiling = (case, name, series) == (CROSS_ENTROPY, "weightOptional", Series.A950)
    refusal = ACLNN_ERR_INNER_TILING_ERROR if tiling else INVALID
    wrong: list[str] = []
    with board(SOC_OF[series]):
        for dtype in [*aclDataType, 999]:
            legal = dtype in allowed
            names = (name, *TYPES[case][name].tied) if legal else (name,)
            planned = case.plan({each: retyped(case, each, dtype) for each in names})
            expected = (ACL_SUCCESS if series in case.products else case.elsewhere) if legal else refusal
            if series not in case.products and case is CROSS_ENTROPY:
                expected = case.elsewhere  # "product 161001" comes first
            elif not legal and f"Tensor {name} not implemented for" not in planned.text:
                wrong.append(f"{dtype!r}: {planned.text}")
            if planned.status != expected:
                wrong.append(f"{dtype!r}: {planned.status}, not {expected}")
    assert not wrong
