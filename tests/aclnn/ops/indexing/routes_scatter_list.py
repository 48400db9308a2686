"""Routes for ScatterList: a loop over the elements of axis, and torch."""

from __future__ import annotations

from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.oracle.route import Route, as_tensor, but, route


def replaced(varRef: Any, indice: Any, updates: Any, maskOptional: Any, axis: int) -> Any:
    axis, out = axis % updates.ndim - 1, []
    for number, tensor in enumerate(varRef):
        found = np.moveaxis(np.array(tensor), axis, 0)
        part = np.moveaxis(updates[number], axis, 0)
        start, count = indice[number] if indice.ndim == 2 else (indice[number], len(part))
        for place in range(count) if maskOptional is None or maskOptional[number] else ():
            found[start + place] = part[place]
        out.append(np.moveaxis(found, 0, axis))
    return out


def replaced_by_torch(varRef: Any, indice: Any, updates: Any, maskOptional: Any, axis: int) -> Any:

    dim, out = axis % updates.ndim - 1, []
    for number, tensor in enumerate(varRef):
        part = as_tensor(updates)[number]
        start, count = indice[number].tolist() if indice.ndim == 2 else (int(indice[number]), part.shape[dim])
        whole = as_tensor(tensor)
        taken = whole.slice_scatter(part.narrow(dim, 0, count), dim, start, start + count)
        out.append((taken if maskOptional is None or maskOptional[number] else whole).numpy())
    return out


ROUTES: tuple[Route, ...] = (
    route("aclnnScatterList", "loop", replaced, bound="exact", groups=[("varRef", "updates")],
          values={"indice": lambda x: np.abs(x) % 2},
          also=[{"maskOptional": None}, {"maskOptional": None, "indice": Meta((2, 2), ACL_INT32)}, {
                "maskOptional": None, "axis": 1, "updates": Meta((2, 1, 5, 4))}],
          torch=("torch.slice_scatter", replaced_by_torch),
          wrong={"at the start": but(replaced, indice=lambda given: np.zeros(2, np.int64)),
                 "the other half": but(replaced, updates=lambda given: given["updates"][::-1])}),
)  # fmt: skip
