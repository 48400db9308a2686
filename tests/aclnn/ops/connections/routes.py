"""Routes for residual streams: loops over tokens, and torch with its gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.oracle.route import Route, as_tensor, but, of_terms, route


def mixed(x: Any, hRes: Any, hOut: Any, hPost: Any) -> Any:
    out = np.zeros(x.shape, x.dtype)
    for place in np.ndindex(*x.shape[:-2]):
        for to in range(x.shape[-2]):
            out[place][to] = hPost[place][to] * hOut[place]
            for source in range(x.shape[-2]):
                weight = float(to == source) if hRes is None else hRes[place][source, to]
                out[place][to] += weight * x[place][source]
    return out


def mixed_by_torch(x: Any, hRes: Any, hOut: Any, hPost: Any) -> Any:
    import torch

    rows, gate = as_tensor(x), as_tensor(hPost)
    carried = rows if hRes is None else torch.einsum("...ij,...id->...jd", as_tensor(hRes).to(rows.dtype), rows)
    return (carried + gate[..., None].to(rows.dtype) * as_tensor(hOut)[..., None, :]).numpy()


def slopes(gradOutput: Any, x: Any, hRes: Any, hOut: Any, hPost: Any) -> Any:
    grads = [np.zeros(each.shape) for each in (x, hRes, hOut, hPost)]
    for place in np.ndindex(*x.shape[:-2]):
        for to, grad in enumerate(gradOutput[place]):
            grads[2][place] += hPost[place][to] * grad
            grads[3][place][to] = sum(grad * hOut[place])
            for source in range(x.shape[-2]):
                grads[0][place][source] += hRes[place][source, to] * grad
                grads[1][place][source, to] = sum(x[place][source] * grad)
    return tuple(grads)


def slopes_by_autograd(gradOutput: Any, x: Any, hRes: Any, hOut: Any, hPost: Any) -> Any:
    import torch

    given = [as_tensor(each).double().requires_grad_() for each in (x, hRes, hOut, hPost)]
    rows, matrix, layer, gate = given
    out = torch.einsum("...ij,...id->...jd", matrix, rows) + gate[..., None] * layer[..., None, :]
    return tuple(each.numpy() for each in torch.autograd.grad(out, given, as_tensor(gradOutput).double()))


def bound(arguments: Any, exact: np.ndarray, dtype: str) -> Any:
    given = (arguments[name] for name in ("x", "hRes", "hOut", "hPost"))
    return of_terms(mixed(*(None if each is None else np.abs(each) for each in given)), 8, dtype)


def bound_of_slopes(arguments: Any, exact: np.ndarray, dtype: str) -> Any:
    """A bound for the four gradients, by the shape of the exact one."""
    names = ("gradOutput", "x", "hRes", "hOut", "hPost")
    terms = slopes(*(np.abs(arguments[name]) for name in names))
    same = [each for each in terms if each.shape == exact.shape]
    return of_terms(np.max(same, axis=0), 8, dtype)


TOKENS = {"x": Meta((1, 3, 4, 8), ACL_FLOAT16), "hRes": Meta((1, 3, 4, 4)), "hOut": Meta((1, 3, 8), ACL_FLOAT16),
          "hPost": Meta((1, 3, 4)), "out": Meta((1, 3, 4, 8), ACL_FLOAT16)}  # fmt: skip
ROUTES: tuple[Route, ...] = (
    route("aclnnMhcPost", "loop", mixed, bound=bound, groups=[("x", "hOut", "out")], also=[TOKENS],
          torch=("torch.einsum", mixed_by_torch),
          wrong={"the matrix transposed": but(mixed, hRes=lambda given: np.swapaxes(given["hRes"], -1, -2)),
                 "without gates": but(mixed, hPost=lambda given: given["hPost"] * 0 + 1)}),
    route("aclnnMhcPostBackward", "loop", slopes, bound=bound_of_slopes,
          groups=[("gradOutput", "x", "hOut", "gradX", "gradHOut")], torch=("torch.autograd", slopes_by_autograd),
          wrong={"the matrix transposed": but(slopes, hRes=lambda given: np.swapaxes(given["hRes"], -1, -2)),
                 "without gates": but(slopes, hPost=lambda given: given["hPost"] * 0 + 1)}),
)  # fmt: skip
