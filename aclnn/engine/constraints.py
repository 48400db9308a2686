"""Checks of an operator's arguments, as objects that also have the text for help and pages.

`Op.checks` lists the checks in the order in which the library makes them. Each check names its parameters, and has a
`sentence` for pages and tests. Its `judge` returns None or a `Violation`. A violation has the message (in the library's
own words where these are known), the parameter, its value, and the allowed values.
"""

from collections.abc import Callable
from typing import Any, Final

from acl_runtime.headers.dtype_names import dtype_name
from acl_runtime.headers.enums import aclFormat
from acl_runtime.headers.statuses import ACLNN_ERR_INNER_NULLPTR, ACLNN_ERR_INNER_TILING_ERROR, ACLNN_ERR_PARAM_INVALID
from acl_runtime.objects.soc import Series, Soc
from aclnn.engine.declaration import Check, Op, Violation
from aclnn.engine.parameters import Param, TensorParam
from aclnn.engine.plan_builder import PlanBuilder

_F = aclFormat
PRIVATE: Final = frozenset({
    _F.ACL_FORMAT_NC1HWC0, _F.ACL_FORMAT_NC1HWC0_C04, _F.ACL_FORMAT_FRACTAL_Z, _F.ACL_FRACTAL_Z_3D,
    _F.ACL_FORMAT_NDC1HWC0, _F.ACL_FORMAT_FRACTAL_NZ, _F.ACL_FORMAT_FRACTAL_NZ_C0_2, _F.ACL_FORMAT_FRACTAL_NZ_C0_4,
    _F.ACL_FORMAT_FRACTAL_NZ_C0_8, _F.ACL_FORMAT_FRACTAL_NZ_C0_16, _F.ACL_FORMAT_FRACTAL_NZ_C0_32,
})  # fmt: skip


def listed(values: tuple[int, ...]) -> str:
    """A list of data types as the library prints it: "a dtype list prints comma-separated in brackets with a trailing
    comma"."""
    return "[" + "".join(f"{dtype_name(value)}," for value in values) + "]"


HIGHEST_RANK: Final = 25
"""largest number of dimensions of a shape object in the library"""


def wrong_rank(name: str, shape: tuple[int, ...], allowed: range) -> Violation:
    """The violation of a tensor whose number of dimensions is not allowed."""
    if len(allowed) == 1:
        sentence = f"Expected {allowed[0]} dimension input, but got {name} with sizes {list(shape)}."
    elif len(shape) >= allowed.stop:
        sentence = f"The {name} tensor cannot be larger than {allowed.stop - 1} dimensions."
    else:
        sentence = f"The {name} tensor must have at least {_counted(allowed.start)}."
    return Violation(sentence, name, f"{len(shape)} dimensions {list(shape)}", dimensions(allowed))


def _counted(dimensions: int) -> str:
    return f"{dimensions} dimension{'s' if dimensions != 1 else ''}"


def dimensions(ranks: range) -> str:
    """The numbers of dimensions in a range, as sentences print them."""
    if len(ranks) == 1:
        return f"exactly {_counted(ranks[0])}"
    if ranks[-1] > HIGHEST_RANK:
        return f"{_counted(ranks[0])} or more"
    return f"at most {ranks[-1]} dimensions" if ranks[0] == 0 else f"{ranks[0]} to {ranks[-1]} dimensions"


def has_other_dimensions(ranks: range) -> str:
    """The condition that a tensor has a number of dimensions outside of a range: a verb with its object."""
    if len(ranks) == 1:
        return f"does not have {_counted(ranks[0])}"
    fewer, more = f"has fewer than {_counted(ranks[0])}", f"more than {_counted(ranks[-1])}"
    if ranks[-1] > HIGHEST_RANK:
        return fewer
    return f"has {more}" if ranks[0] == 0 else f"has fewer than {ranks[0]} or {more}"


class Rule(Check):
    """A check with a sentence and a function that returns the violation. In the sentence, {0} is the name of the first
    parameter. `broken`: the condition that breaks the demand, if not the automatic negation (`negated`)."""

    def __init__(
        self,
        sentence: str,
        judge: Callable[[Any, Soc], Violation | None],
        *params: Param[Any],
        status: int = ACLNN_ERR_PARAM_INVALID,
        provenance: str = "document",
        broken: str = "",
    ) -> None:
        super().__init__(*params, provenance=provenance)
        self._sentence, self._broken = sentence, broken
        self._judge = judge
        self.status = status

    @property
    def sentence(self) -> str:
        return self._sentence.format(*self.params)

    @property
    def broken(self) -> str:
        return self._broken.format(*self.params) or super().broken

    def judge(self, call: Op, soc: Soc) -> Violation | None:
        return self._judge(call, soc)


class Limited(Check):
    """A check that is made in some calls, or on some products. `where` describes these calls or products."""

    def __init__(self, check: Check, where: str) -> None:
        super().__init__(*check.params, provenance=check.provenance)
        self.status = check.status
        self._check, self._where = check, where

    @property
    def sentence(self) -> str:
        return f"{self._check.sentence} ({self._where})"

    @property
    def broken(self) -> str:
        return f"{self._check.broken} ({self._where})"


class Empty(Check):
    """A test for empty tensors, which refuses nothing. If one of the tensors has no elements, the remaining checks are
    skipped, and the call succeeds if its thread has a context.

    `plan` plans the remaining work in this case. Without `plan` the workspace is 0, and nothing is written."""

    def __init__(
        self, *params: TensorParam[Any], plan: Callable[[Any, PlanBuilder], None] | None = None,
        left: str = "", but: Series | None = None, provenance: str = "public",
    ) -> None:  # fmt: skip
        """`left` describes the work of `plan`. `but` is a product series without this test."""
        super().__init__(*params, provenance=provenance)
        self.plan = plan
        self._but = but
        self._left = left or ("the output is filled with zeros" if plan else "workspace 0, nothing is written")

    @property
    def sentence(self) -> str:
        names = " or ".join(param.name for param in self.params)
        but = f"; not on {self._but.value}" if self._but else ""
        return f"if {names} is empty the checks end here ({self._left}{but})"

    def holds(self, call: Op, soc: Soc) -> bool:
        """True if one of the tensors is empty in this call."""
        if soc.series is self._but:
            return False
        tensors = [call.__dict__[param.name] for param in self.params]
        return any(tensor is not None and 0 in tensor.shape for tensor in tensors)

    def judge(self, call: Op, soc: Soc) -> Violation | None:
        return None


POLICY: Final = "document, status ours"
"""provenance of a check that the document demands without a status"""
PLAN: Final = ACLNN_ERR_INNER_NULLPTR
"""status of a step that cannot be planned"""
TILING: Final = ACLNN_ERR_INNER_TILING_ERROR
"""status of a kernel that refuses shapes or values"""
