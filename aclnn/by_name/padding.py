"""Plans of operators that put elements around a tensor."""

from typing import Final

from aclnn.by_name.call import Named
from aclnn.by_name.uses import unread

PADDINGS: Final = {"reflect": "aclnnReflectionPad", "edge": "aclnnReplicationPad", "circular": "aclnnCircularPad"}


def pad(n: Named) -> None:
    """aclnnConstantPadNd; for other modes aclnnReflectionPad1d or a similar function"""
    x, y = n["x"], n["y"]
    if _mode(n) == "constant":
        flat = [number for pair in reversed(_pairs(n, len(x.shape))) for number in pair]
        value = n.array("constant_values") if "constant_values" in n.arguments.tensors else None
        n.aclnn("aclnnConstantPadNd", x, flat, n.scalar(0 if value is None else value.reshape(-1)[0].item(), x), y)
        return
    function, flat = _edges(n, len(x.shape))
    n.aclnn(function, x, flat, y)


def pad_gradient(n: Named) -> None:
    """aclnnReflectionPad1dBackward or a similar function"""
    grad, y = n["x"], n["y"]
    function, flat = _edges(n, len(y.shape))
    like = unread(n, y)
    n.aclnn(f"{function}Backward", n.viewed(grad, grad.shape), n.viewed(like, y.shape), flat, n.viewed(y, y.shape))


def _mode(n: Named) -> str:
    return n["mode"].lower() if "mode" in n.arguments.row.attributes else "constant"


def _edges(n: Named, rank: int) -> tuple[str, list[int]]:
    """The function that pads the last dimensions with their own elements, and its padding."""
    mode, pairs = _mode(n), _pairs(n, rank)
    if mode not in PADDINGS:
        raise n.refused(f"mode is {mode!r}, and has to be reflect, edge or circular")
    first = next((i for i, pair in enumerate(pairs) if any(pair)), rank - 1)
    count = max(rank - first, 2 if mode == "circular" else 1)
    flat = [number for pair in reversed(pairs) for number in pair]
    return f"{PADDINGS[mode]}{count}d", flat[: 2 * count]


def _pairs(n: Named, rank: int) -> list[tuple[int, int]]:
    """The padding before and behind each dimension."""
    if "paddings" not in n.arguments.tensors:
        return [(first, last) for first, last in n["paddings"]]
    numbers = n.ints("paddings")
    attributes = n.arguments.row.attributes
    if "paddings_contiguous" in attributes and not n["paddings_contiguous"]:
        return list(zip(numbers[:rank], numbers[rank:], strict=True))
    return list(zip(numbers[::2], numbers[1::2], strict=True))
