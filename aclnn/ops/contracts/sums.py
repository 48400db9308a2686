"""Contracts of sums over segments and groups, and of scales."""

from aclnn.op import (
    ACLNN_ERR_PARAM_NULLPTR, Arguments, Bad, Relation, Shape, axis, demand, one_of, required, same_shape, shape,
)  # fmt: skip
from aclnn.ops.matmul._family import plain_format


def squares(name: str) -> Relation:
    """Checks that the last two dimensions have the same size."""

    def bad(a: Arguments) -> Bad:
        shape = a.shape(name)
        return None if shape[-1] == shape[-2] else (list(shape), "two equal last dimensions")

    return demand("the last two dimensions of {0} have the same size", name, bad=bad)


def without_groups(a: Arguments) -> Bad:
    """Checks the rank of gradY, which has a dimension for groups if groupIdxOptional is null."""
    rank, right = a.rank("gradY"), 2 if a.given("groupIdxOptional") else 3
    return None if rank == right else (f"{rank} dimensions", f"{right} dimensions")


def sums_shape(a: Arguments) -> Shape:
    whole = a.shape("gradY")
    return (a["groupIdxOptional"].numel if a.given("groupIdxOptional") else whole[0], whole[-1])


def first_axis(a: Arguments) -> int:
    return a["axis"] % max(a.rank("x"), 1)


def axes_out_of_range(a: Arguments) -> Bad:
    if not a["scaleFromBlob"]:
        return None
    dims_left = a.rank("x") - first_axis(a)
    return None if -1 <= a["numAxes"] <= dims_left else (a["numAxes"], f"-1 to {dims_left}")


def scaled_axes(a: Arguments) -> Shape | None:
    """The shape of scale: with scaleFromBlob, numAxes dimensions of x from axis on, or all for -1; else as many as the
    rank of scale. None if scale has one element, so that the shape is not checked."""
    first = first_axis(a)
    count = a["numAxes"] if a["scaleFromBlob"] else a.rank("scale")
    if a["scale"].numel == 1:
        return None
    return a.shape("x")[first:] if count == -1 else a.shape("x")[first : first + count]


def without_grad(a: Arguments) -> Bad:
    return None if a.given("gradWeightOutOptional") else ("a call without gradWeightOutOptional", "its gradient, too")


CONTRACTS = {
    "aclnnSwigluGroupGrad": (
        demand("{0} comes with gradWeightOutOptional", "weightOptional", bad=without_grad,
               status=ACLNN_ERR_PARAM_NULLPTR, provenance="public"),
    ),
    "aclnnExpSegsum": (
        plain_format("self"), plain_format("out"),
        shape("out", "{0} has the shape of self, then the last dimension of self again",
              lambda a: (*a.shape("self"), a.shape("self")[-1])),
    ),
    "aclnnExpSegsumBackward": (
        plain_format("gradOutput"), plain_format("gradSelf"), plain_format("gradInput"), squares("gradOutput"),
        shape("gradInput", "{0} has the shape of gradOutput without its last dimension",
              lambda a: a.shape("gradOutput")[:-1]),
    ),
    "aclnnGroupedBiasAddGradV2": (
        required("gradY"), one_of("groupIdxType", 0, 1),
        demand("{0} has three dimensions, or two if there are ends of groups", "gradY", bad=without_groups),
        shape("out", "{0} has a row for each group", sums_shape),
    ),
    "aclnnScale": (
        axis("axis", of="x"), same_shape("y", "x"),
        demand("{0} is a number of dimensions from axis on", "numAxes", bad=axes_out_of_range),
        shape("scale", "{0} has the dimensions of x that it scales", scaled_axes), same_shape("bias", "scale"),
    ),
}  # fmt: skip
