"""Relations between shapes."""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from acl_runtime.headers.dtypes import Shape
from acl_runtime.headers.statuses import ACLNN_ERR_PARAM_INVALID
from acl_runtime.objects.handle_table import Tensor
from aclnn.engine.arguments import Arguments, axes_of, broadcast_shape, members, reduced
from aclnn.engine.constraints import dimensions, has_other_dimensions, wrong_rank
from aclnn.engine.declaration import Check, Op
from aclnn.engine.parameters import Elements, Param, TensorListParam
from aclnn.engine.relation import Found, Relation, places, rule


def ranks(
    *names: str, least: int | None = None, most: int | None = None, status: int = ACLNN_ERR_PARAM_INVALID,
    provenance: str = "document",
) -> Relation:  # fmt: skip
    """The number of dimensions of each tensor is one that its document allows, or from `least` to `most`. (An optional
    list of one tensor of shape (0,) counts as null.)"""

    def checks(op: type[Op]) -> list[Check]:
        return [check for param in dict.fromkeys(map(op.named, names)) for check in of(param)(op)]

    def of(param: Param[Any]) -> Callable[[type[Op]], Sequence[Check]]:
        assert isinstance(param, Elements)
        allowed = range(param.rank.start if least is None else least, param.rank.stop if most is None else most + 1)
        name = str(param)

        def judge(a: Arguments) -> Found | None:
            value = a[name]
            for index, member in enumerate(members(value)):
                if len(member.shape) not in allowed and not (listed and param.optional and stands_for_null(member)):
                    return wrong_rank(f"{name}[{index}]" if listed else name, member.shape, allowed)
            return None

        listed = isinstance(param, TensorListParam)
        sentence, broken = f"{{0}} has {dimensions(allowed)}", f"{{0}} {has_other_dimensions(allowed)}"
        if listed:
            sentence = f"the tensors of {{0}} have {allowed[0]} to {allowed[-1]} dimensions"
            broken = f"a tensor of {{0}} {has_other_dimensions(allowed)}"
        return rule(sentence, [name], judge, status=status, provenance=provenance, broken=broken)

    return Relation(checks)


def ranks_with_gaps(*names: str, most: int = 8) -> Relation:
    """If one of these tensors has gaps, no tensor has more than `most` dimensions, the limit of the dense copy."""

    def judge(a: Arguments) -> Found | None:
        largest = max(names, key=a.rank)
        if a.rank(largest) <= most or all(a[name].contiguous for name in names):
            return None
        words = f"The {largest} tensor cannot be larger than {most} dimensions."
        return words, largest, f"{a.rank(largest)} dimensions, and a tensor with gaps", f"at most {most} dimensions"

    def checks(op: type[Op]) -> Sequence[Check]:
        different = list({op.named(name): name for name in names}.values())
        sentence = f"{places(different)} have at most {most} dimensions if one has gaps"
        broken = f"one of {places(different)} has gaps, and one has more than {most} dimensions"
        return rule(sentence, different, judge, provenance="public", broken=broken)(op)

    return Relation(checks)


def stands_for_null(tensor: Tensor) -> bool:
    """True for a tensor of shape (0,) and any data type. An optional list of one such tensor counts as null."""
    return tensor.shape == (0,)


def same_shape(
    name: str, as_: str, *, status: int = ACLNN_ERR_PARAM_INVALID, provenance: str = "document"
) -> Relation:  # fmt: skip
    """Two tensors have the same shape. (If both are one tensor, as in an in-place twin, nothing is checked.)"""

    def judge(a: Arguments) -> Found | None:
        own, expected, first, second = list(a.shape(name)), list(a.shape(as_)), a.name(name), a.name(as_)
        if own == expected:
            return None
        words = (
            f"Expected tensor for {first} to have same size as tensor for {second}, but {own} does not equal "
            f"{expected}."
        )
        return words, name, own, f"{expected}, as {second}"

    def checks(op: type[Op]) -> Sequence[Check]:
        if op.named(name) is op.named(as_):
            return ()
        broken = "the shapes of {0} and {1} differ"
        return rule(
            "{0} has the shape of {1}", [name, as_], judge, status=status, provenance=provenance, broken=broken
        )(op)

    return Relation(checks)


def same_shapes(name: str, as_: str, *, status: int = ACLNN_ERR_PARAM_INVALID) -> Relation:
    """Two lists of tensors have the same shapes in the same order."""

    def judge(a: Arguments) -> Found | None:
        own, expected = ([list(tensor.shape) for tensor in a[listed]] for listed in (name, as_))
        if own == expected:
            return None
        words = f"Expected the tensors of {name} to have the shapes of those of {as_}."
        return words, name, own, f"{expected}, as {as_}"

    sentence = "the tensors of {0} have the shapes of those of {1}"
    broken = "the shapes of the tensors of {0} and {1} differ"
    return Relation(rule(sentence, [name, as_], judge, status=status, broken=broken))


def broadcast(*names: str, into: str | None = None) -> Relation:
    """The shapes broadcast together. The tensor `into` has exactly the shape that they broadcast to."""

    def together(a: Arguments) -> Found | None:
        shapes = [a.shape(name) for name in names]
        if broadcast_shape(*shapes) is not None:
            return None
        words = (
            f"The size of tensor {a.name(names[0])} {list(shapes[0])} must match the size of tensor {names[-1]} "
            f"{list(shapes[-1])}."
        )
        return words, names[-1], list(shapes[-1]), f"a shape that broadcasts with {list(shapes[0])}"

    def result(a: Arguments) -> Shape | None:
        return broadcast_shape(*(a.shape(name) for name in names))

    def checks(op: type[Op]) -> Sequence[Check]:
        fits = list(rule(f"the shapes of {places(names)} broadcast", names, together)(op))
        if into is None:
            return fits
        listed = " and ".join(op.named(name).printed for name in names)
        return [*fits, *_shape(into, f"{{0}} has the shape that {listed} broadcast to", result)(op)]

    return Relation(checks)


def shape(
    out: str, sentence: str, expected: Callable[[Arguments], Shape | None], *, status: int = ACLNN_ERR_PARAM_INVALID,
    provenance: str = "document",
) -> Relation:  # fmt: skip
    """A tensor has the shape that `expected` returns for the arguments. None: any shape is accepted."""
    return Relation(_shape(out, sentence, expected, status, provenance))


def broadcast_into(name: str, target: str, *, provenance: str = "document") -> Relation:
    """A tensor broadcasts to exactly the shape of another tensor."""

    def judge(a: Arguments) -> Found | None:
        own, result = a.shape(name), a.shape(target)
        if broadcast_shape(own, result) == result:
            return None
        words = f"The size of tensor {name} {list(own)} must match the size of tensor {target} {list(result)}."
        return words, name, list(own), f"{list(result)}, or a shape that broadcasts to it"

    return Relation(rule("{0} broadcasts to {1}", [name, target], judge, provenance=provenance))


def loose_shape(out: str, sentence: str, expected: Callable[[Arguments], Shape | None]) -> Relation:
    """The relation `shape`, except that an expected shape of one element allows any shape of one element."""

    def needed(a: Arguments) -> Shape | None:
        right = expected(a)
        is_single = right is not None and prod(right) == a[out].numel == 1
        return None if is_single else right

    return Relation(_shape(out, sentence, needed))


def left(a: Arguments, of: str, dims: str, keepdims: str, noop: str = "") -> Shape:
    """The shape of a tensor after a reduction of dimensions. A 0-d tensor stays 0-d."""
    return reduced(a.shape(of), a.axes(dims, of, noop), keepdims=a[keepdims]) if a.rank(of) else ()


def reduction(
    out: str, of: str, dims: str, keepdims: str, *, exact: bool = False, noop: str = "",
    unless: Callable[[Arguments], bool] | None = None,
) -> Relation:  # fmt: skip
    """A tensor has the shape of another tensor after a reduction of dimensions, or both have one element. `exact`:
    tensors of one element need the right shape, too. `noop`: the flag with which an empty list of dimensions means
    none, not all. `unless`: the calls in which any shape is accepted."""

    def expected(a: Arguments) -> Shape | None:
        return None if unless is not None and unless(a) else left(a, of, dims, keepdims, noop)

    demanded = f"{{0}} has the shape that is left of {of}"
    return shape(out, demanded, expected) if exact else loose_shape(out, demanded, expected)


def _shape(
    out: str, sentence: str, expected: Callable[[Arguments], Shape | None], status: int = ACLNN_ERR_PARAM_INVALID,
    provenance: str = "document",
) -> Callable[[type[Op]], Sequence[Check]]:  # fmt: skip
    def judge(a: Arguments) -> Found | None:
        own, right = a.shape(out), expected(a)
        if right is None or own == right:
            return None
        words = f"Expected tensor for {a.name(out)} to have same size as {list(right)}, but got {list(own)}."
        return words, out, list(own), list(right)

    return rule(sentence, [out], judge, status=status, provenance=provenance)


def axis(dim: str, of: str, *, status: int = ACLNN_ERR_PARAM_INVALID) -> Relation:
    """A number is a dimension of a tensor."""

    def judge(a: Arguments) -> Found | None:
        rank, value = max(a.rank(of), 1), a[dim]
        if -rank <= value < rank:
            return None
        return f"provided dim {value} not in the range of input size {rank}.", dim, value, f"[{-rank}, {rank - 1}]"

    broken = "{0} is out of range for {1}"
    return Relation(rule("{0} is a dimension of {1}", [dim, of], judge, status=status, broken=broken))


def axes(dims: str, of: str, *, once: bool = True, status: int = ACLNN_ERR_PARAM_INVALID) -> Relation:
    """The numbers of an array are dimensions of a tensor. `once`: no dimension may be repeated."""

    def judge(a: Arguments) -> Found | None:
        rank, values = max(a.rank(of), 1), a[dims].values
        for value in values:
            if not -rank <= value < rank:
                words = f"provided dim {value} not in the range of input size {rank}."
                return words, dims, list(values), f"[{-rank}, {rank - 1}]"
        if once and values and len(set(axes_of(values, rank))) < len(values):
            return f"dim appears multiple times in {dims}.", dims, list(values), "each dimension once"
        return None

    sentence, broken = "{0} are dimensions of {1}", "a dimension in {0} is out of range for {1}"
    if once:
        sentence, broken = f"{sentence}, each once", f"{broken}, or comes twice"
    return Relation(rule(sentence, [dims, of], judge, status=status, broken=broken))


def axes_with_elements(dims: str, of: str, *, from_front: bool = False) -> Relation:
    """No dimension that a number or an array names has the size 0. An empty array is accepted. `from_front`: numbers
    below 0 are not checked."""

    def judge(a: Arguments) -> Found | None:
        value = a[dims]
        numbers = (value,) if isinstance(value, int) else value.values
        for dim in numbers if a.rank(of) else ():
            if a.shape(of)[dim] == 0 and not (from_front and dim < 0):
                words = f"Expected reduction dim {dim} to have non-zero size."
                return words, dims, value if isinstance(value, int) else list(numbers), "dimensions with elements"
        return None

    broken = "a dimension of {1} that {0} names has the size 0"
    return Relation(rule("{0} have elements in {1}", [dims, of], judge, broken=broken))
