"""ThreeInterpolateBackward: the gradient of points that were interpolated from three others."""

from itertools import product

import numpy as np

from aclnn.op import (
    ACLNN_ERR_INNER_NULLPTR as PLAN, Arguments, Array, Bad, Planning, Series, Shape, check_range, demand, empty, listed,
    planned, ranks, same_dtype, same_shape, shape, whole_numbers,
)  # fmt: skip


def dimensions(a: Arguments) -> Bad:
    """Checks the dimensions of grad_x: three on Ascend 950, on other devices four, the last of size 1."""
    expected_shape = a.shape("grad_x")
    fits = (
        len(expected_shape) == 3 if a.soc.series is Series.A950 else len(expected_shape) == 4 and expected_shape[3] == 1
    )
    return None if fits else (list(expected_shape), "(b, c, n)" if a.soc.series is Series.A950 else "(b, c, n, 1)")


def points(a: Arguments) -> Shape:
    return (a.shape("grad_x")[0], a.shape("grad_x")[2], 3)


def result(a: Arguments) -> Shape:
    expected_shape = a.shape("grad_x")
    return (*expected_shape[:2], a["m"], *expected_shape[3:])


@planned(
    "aclnnThreeInterpolateBackward", listed("grad_x", "idx"), same_dtype("weight", as_="grad_x"),
    same_dtype("grad_y", as_="grad_x"), empty("grad_x", "grad_y"),
    demand("{0} has the dimensions of points", "grad_x", bad=dimensions, status=PLAN),
    ranks("idx", "weight", status=PLAN), shape("idx", "{0} has three points for each of grad_x", points, status=PLAN),
    same_shape("weight", as_="idx", status=PLAN),
    shape("grad_y", "{0} has m points", result, status=PLAN),
)  # fmt: skip
def three_interpolate_backward(p: Planning) -> None:
    """grad_y[b, c, idx[b, i, t]] += grad_x[b, c, i] * weight[b, i, t], from zeros"""
    inputs = [p.read("grad_x"), p.read("idx"), p.read("weight")]
    p.builder.launch(check_range, [inputs[1]], [], name=p.name("idx"), count=p["m"])
    p.store("grad_y", p.step(scattered, inputs, p.shape("grad_y"), inputs[0].dtype, shape=p.shape("grad_y")))


def scattered(gradient: Array, places: Array, weight: Array, *, shape: Shape) -> Array:
    """The gradients, added up at their places. Places out of range are skipped."""
    total = np.zeros((shape[0], shape[2], shape[1]), gradient.dtype)
    numbers = whole_numbers(places)
    for image, term in product(range(shape[0]), range(3)):
        positions = numbers[image, :, term]
        usable = (positions >= 0) & (positions < shape[2])
        values = gradient[image].reshape(shape[1], -1).T * weight[image, :, term, None]
        np.add.at(total[image], positions[usable].astype(np.int64), values[usable])
    return np.swapaxes(total, 1, 2).reshape(shape)
