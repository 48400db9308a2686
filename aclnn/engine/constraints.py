"""The demands of an operator's document on its arguments, as objects that check, explain and document themselves.

`Op.checks` lists them in the order in which the library makes them. Each check names its parameters, and has a
`sentence` for pages and tests. Its `judge` returns None or a `Violation`. A violation holds the message (the library's
own words where they are known), the parameter, the value that was found, and the allowed values.
"""

from collections.abc import Callable
from typing import Any, Final

from acl_runtime.headers.dtypes import dtype_name, format_name
from acl_runtime.headers.enums import aclFormat
from acl_runtime.headers.statuses import ACLNN_ERR_INNER_NULLPTR, ACLNN_ERR_INNER_TILING_ERROR, ACLNN_ERR_PARAM_INVALID
from acl_runtime.objects.handle_table import Tensor
from acl_runtime.objects.soc import Series, Soc
from aclnn.engine.declaration import Check, Op, Violation
from aclnn.engine.parameters import Int64, Param, TensorParam
from aclnn.engine.plan_builder import PlanBuilder

_F = aclFormat
PRIVATE: Final = frozenset({
    _F.ACL_FORMAT_NC1HWC0, _F.ACL_FORMAT_NC1HWC0_C04, _F.ACL_FORMAT_FRACTAL_Z, _F.ACL_FRACTAL_Z_3D,
    _F.ACL_FORMAT_NDC1HWC0, _F.ACL_FORMAT_FRACTAL_NZ, _F.ACL_FORMAT_FRACTAL_NZ_C0_2, _F.ACL_FORMAT_FRACTAL_NZ_C0_4,
    _F.ACL_FORMAT_FRACTAL_NZ_C0_8, _F.ACL_FORMAT_FRACTAL_NZ_C0_16, _F.ACL_FORMAT_FRACTAL_NZ_C0_32,
})  # fmt: skip


def tensor(call: Op, param: TensorParam[Any]) -> Tensor:
    """The tensor that a parameter has in this call."""
    return call.__dict__[param.name]


def listed(values: tuple[int, ...]) -> str:
    """ "a dtype list prints comma-separated in brackets with a trailing comma"."""
    return "[" + "".join(f"{dtype_name(value)}," for value in values) + "]"


class Listed(Check):
    """The data type is in the parameter's list for the product."""

    def __init__(self, param: TensorParam[Any], provenance: str = "document") -> None:
        super().__init__(param, provenance=provenance)
        self.param = param

    @property
    def sentence(self) -> str:
        return f"the data type of {self.param} is one that its product supports"

    def judge(self, call: Op, soc: Soc) -> Violation | None:
        if not self.param.in_use(call):
            return None
        dtype, allowed = tensor(call, self.param).dtype, self.param.dtypes.on(soc.series)
        if dtype in allowed:
            return None
        name, found = self.param.name, dtype_name(dtype)
        words = f"Tensor {name} not implemented for {found}, should be in dtype support list {listed(allowed)}."
        return Violation(words, name, found, listed(allowed))


class SameDtype(Check):
    """Two tensors have one data type."""

    def __init__(self, param: TensorParam[Any], other: TensorParam[Any]) -> None:
        super().__init__(param, other)
        self.param, self.other = param, other

    @property
    def sentence(self) -> str:
        return f"{self.param} has the data type of {self.other}"

    def judge(self, call: Op, soc: Soc) -> Violation | None:
        if not (self.param.in_use(call) and self.other.in_use(call)):
            return None
        found, wanted = tensor(call, self.param).dtype, tensor(call, self.other).dtype
        if found == wanted:
            return None
        a, b = dtype_name(found), dtype_name(wanted)
        words = f"Expected both tensors to have same dtype, but found {self.param} {a} and {self.other} {b}."
        return Violation(words, self.param.name, a, f"{b}, as {self.other}")


class Rank(Check):
    """The number of dimensions lies in the parameter's range."""

    def __init__(
        self,
        param: TensorParam[Any],
        allowed: range | None = None,
        *,
        most: int | None = None,
        status: int = ACLNN_ERR_PARAM_INVALID,
        provenance: str = "document",
    ) -> None:
        """`allowed`: another range. `most`: check only that there are at most so many dimensions (another check looks
        at the exact rank)."""
        super().__init__(param, provenance=provenance)
        self.param = param
        self.range = (allowed or param.rank) if most is None else range(most + 1)
        self.status = status

    @property
    def sentence(self) -> str:
        return f"{self.param} has {_dimensions(self.range)}"

    def judge(self, call: Op, soc: Soc) -> Violation | None:
        if not self.param.in_use(call):
            return None
        shape = tensor(call, self.param).shape
        if len(shape) in self.range:
            return None
        return wrong_rank(self.param.name, shape, self.range)


HIGHEST_RANK: Final = 25
"""a shape object has no more dimensions"""


def wrong_rank(name: str, shape: tuple[int, ...], allowed: range) -> Violation:
    """A tensor has a number of dimensions that is not allowed."""
    if len(allowed) == 1:
        words = f"Expected {allowed[0]} dimension input, but got {name} with sizes {list(shape)}."
    elif len(shape) >= allowed.stop:
        words = f"The {name} tensor cannot be larger than {allowed.stop - 1} dimensions."
    else:
        words = f"The {name} tensor must have at least {_counted(allowed.start)}."
    return Violation(words, name, f"{len(shape)} dimensions {list(shape)}", _dimensions(allowed))


def _counted(dimensions: int) -> str:
    return f"{dimensions} dimension{'s' if dimensions != 1 else ''}"


def _dimensions(ranks: range) -> str:
    if len(ranks) == 1:
        return f"exactly {_counted(ranks[0])}"
    if ranks[-1] > HIGHEST_RANK:
        return f"{_counted(ranks[0])} or more"
    return f"at most {ranks[-1]} dimensions" if ranks[0] == 0 else f"{ranks[0]} to {ranks[-1]} dimensions"


class SameShape(Check):
    """Two tensors have one shape."""

    def __init__(
        self, param: TensorParam[Any], other: TensorParam[Any], *, status: int = ACLNN_ERR_PARAM_INVALID,
        provenance: str = "document",
    ) -> None:  # fmt: skip
        super().__init__(param, other, provenance=provenance)
        self.param, self.other = param, other
        self.status = status

    @property
    def sentence(self) -> str:
        return f"{self.param} has the shape of {self.other}"

    def judge(self, call: Op, soc: Soc) -> Violation | None:
        if not (self.param.in_use(call) and self.other.in_use(call)):
            return None
        found, wanted = list(tensor(call, self.param).shape), list(tensor(call, self.other).shape)
        if found == wanted:
            return None
        words = (
            f"Expected tensor for {self.param} to have same size as tensor for {self.other}, "
            f"but {found} does not equal {wanted}."
        )
        return Violation(words, self.param.name, found, f"{wanted}, as {self.other}")


class ShapeIs(Check):
    """A tensor has the shape that a function computes from the call. A tensor that is not in use is not checked."""

    def __init__(
        self,
        sentence: str,
        param: TensorParam[Any],
        *others: Param[Any],
        wanted: Callable[[Any], tuple[int, ...]],
        status: int = ACLNN_ERR_PARAM_INVALID,
        provenance: str = "document",
    ) -> None:
        super().__init__(param, *others, provenance=provenance)
        self.param = param
        self._sentence, self._wanted = sentence, wanted
        self.status = status

    @property
    def sentence(self) -> str:
        return self._sentence.format(*self.params)

    def judge(self, call: Op, soc: Soc) -> Violation | None:
        if not self.param.in_use(call):
            return None
        found, wanted = tensor(call, self.param).shape, self._wanted(call)
        if found == wanted:
            return None
        words = f"Expected tensor for {self.param} to have same size as {list(wanted)}, but got {list(found)}."
        return Violation(words, self.param.name, list(found), list(wanted))


class AxisOf(Check):
    """A tensor has the dimension with this number. Negative numbers count from the end; a 0-d tensor counts as 1-d."""

    def __init__(self, dim: Int64, param: TensorParam[Any]) -> None:
        super().__init__(dim, param)
        self.dim, self.param = dim, param

    @property
    def sentence(self) -> str:
        return f"{self.dim} is a dimension of {self.param}"

    def judge(self, call: Op, soc: Soc) -> Violation | None:
        dim, rank = call.__dict__[self.dim.name], max(len(tensor(call, self.param).shape), 1)
        if -rank <= dim < rank:
            return None
        words = f"provided dim {dim} not in the range of input size {rank}."
        return Violation(words, self.dim.name, dim, f"[{-rank}, {rank - 1}]")


class NotPrivate(Check):
    """The format is not a private one, such as NC1HWC0 or FRACTAL_NZ."""

    def __init__(self, param: TensorParam[Any]) -> None:
        super().__init__(param)
        self.param = param

    @property
    def sentence(self) -> str:
        return f"the format of {self.param} is not a private one"

    def judge(self, call: Op, soc: Soc) -> Violation | None:
        if not self.param.in_use(call):
            return None
        format = tensor(call, self.param).storage_format
        if format not in PRIVATE:
            return None
        name, found = self.param.name, format_name(format)
        return Violation(
            f"Format {found} of tensor {name} is not supported.", name, found, "any public format, such as ND"
        )


class Rule(Check):
    """A check that has no class of its own. It is made of a sentence ({0} is the first parameter's name) and a function
    that finds the violation."""

    def __init__(
        self,
        sentence: str,
        judge: Callable[[Any, Soc], Violation | None],
        *params: Param[Any],
        status: int = ACLNN_ERR_PARAM_INVALID,
        provenance: str = "document",
    ) -> None:
        super().__init__(*params, provenance=provenance)
        self._sentence = sentence
        self._judge = judge
        self.status = status

    @property
    def sentence(self) -> str:
        return self._sentence.format(*self.params)

    def judge(self, call: Op, soc: Soc) -> Violation | None:
        return self._judge(call, soc)


class MustBeNull(Check):
    """An optional tensor is null, because it is not supported yet."""

    def __init__(self, param: TensorParam[Any], provenance: str = "document") -> None:
        super().__init__(param, provenance=provenance)
        self.param = param

    @property
    def sentence(self) -> str:
        return f"{self.param} is null"

    def judge(self, call: Op, soc: Soc) -> Violation | None:
        if not self.param.in_use(call):
            return None
        name = self.param.name
        return Violation(f"{name} is not supported yet.", name, tensor(call, self.param), "null")


class OneOf(Check):
    """A parameter that is no tensor has one of a few legal values."""

    def __init__(self, param: Param[Any], *values: object, provenance: str = "document") -> None:
        super().__init__(param, provenance=provenance)
        self.param, self.values = param, values

    @property
    def sentence(self) -> str:
        return f"{self.param} is {self._allowed}"

    @property
    def _allowed(self) -> str:
        return " or ".join("null" if value is None else repr(value) for value in self.values)

    def judge(self, call: Op, soc: Soc) -> Violation | None:
        found = call.__dict__[self.param.name]
        if found in self.values:
            return None
        name = self.param.name
        sentence = f"Value {found!r} for parameter {name} is invalid. Reason: {self.param.doc}."
        return Violation(sentence, name, repr(found), self._allowed)


class Empty(Check):
    """This check refuses nothing. If one of the tensors has no elements, the checks below are skipped, and the call
    succeeds if its thread has a context.

    `plan` plans the work that is left in this case. Without `plan` the workspace is 0, no step runs and nothing is
    written."""

    def __init__(
        self, *params: TensorParam[Any], plan: Callable[[Any, PlanBuilder], None] | None = None,
        left: str = "", but: Series | None = None, provenance: str = "public",
    ) -> None:  # fmt: skip
        """`left`: the work that `plan` plans, as a text; `but`: a product series that does not have this check."""
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
        """Is one of the tensors empty in this call?"""
        if soc.series is self._but:
            return False
        tensors = [call.__dict__[param.name] for param in self.params]
        return any(each is not None and 0 in each.shape for each in tensors)

    def judge(self, call: Op, soc: Soc) -> Violation | None:
        return None


POLICY: Final = "document, status ours"
"""the document demands it, but no source gives the status"""
PLAN: Final = ACLNN_ERR_INNER_NULLPTR
"""status of a step that cannot be planned"""
TILING: Final = ACLNN_ERR_INNER_TILING_ERROR
"""status of a kernel that refuses shapes or values"""
