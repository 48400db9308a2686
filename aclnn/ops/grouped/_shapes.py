"""The contract of GroupedMatmul: checks of the shapes of its tensors, and of the groups."""

from aclnn.op import Arguments, Bad, Check, Op, Relation, Soc, Tensor, Violation, demand
from aclnn.ops.grouped._family import (
    APART,
    GROUPS,
    INNER,
    OPTIONALS,
    ROWS,
    SPARSE,
    Factors,
    count,
    group_type,
    kind,
    members,
    of_columns,
    out_name,
    value,
)

MOST_TENSORS, LONGEST, MOST_GROUPS = 128, 65535, 1024
"""limits of the tensors in a list, of columns, and of groups in a tensor"""


def wrong_lists(a: Arguments) -> Bad:
    """Checks the numbers of tensors and of their dimensions."""
    x, weight, out = (a[name] for name in ("x", "weight", out_name(a)))
    split = group_type(a)
    flat = all(len(tensor.shape) == 2 for tensor in (*x, *out[: len(out) if split == ROWS else 0]))
    if split == APART:
        deep = all(2 <= len(tensor.shape) <= 6 for tensor in x) and all(len(tensor.shape) == 2 for tensor in weight)
        return None if deep and len(x) == len(weight) == len(out) else (f"{len(x)} tensors", "one for each product")
    if split == INNER:
        fine = len(x) == len(weight) == len(out) == 1 and flat and len(weight[0].shape) == 2 and len(out[0].shape) == 3
        return None if fine else (f"{len(x)} tensors", "one tensor of 2 dimensions")
    ranks = {len(tensor.shape) for tensor in weight}
    fine = flat and (ranks == {2} or (ranks == {3} and len(weight) == 1))
    fine = fine and len(x) in (1, count(a)) and len(out) in (1, count(a))
    return None if fine else (f"{len(x)} tensors", "one, or one for each group, of 2 dimensions")


def wrong_groups(a: Arguments) -> Bad:
    groups, split = a[GROUPS], group_type(a)
    if groups is None:
        return ("null", "the end of each group") if split != APART and len(a["x"]) == 1 else None
    if split == APART:
        return ("a list", "null with groupType -1") if a.has("groupType") else None
    if isinstance(groups, Tensor):
        expected_shape = (count(a), 2) if value(a, "groupListType") == SPARSE else (count(a),)
        fine = groups.shape == expected_shape and count(a) <= MOST_GROUPS
        return None if fine else (list(groups.shape), f"{list(expected_shape)}, at most {MOST_GROUPS} groups")
    ends = groups.values
    rows = a["x"][0].shape[1 if split == INNER else 0] if len(a["x"]) == 1 else max(ends, default=0)
    fine = (
        len(ends) == count(a) <= MOST_TENSORS and list(ends) == sorted(ends) and all(0 <= end <= rows for end in ends)
    )
    return None if fine else (list(ends), f"{count(a)} ends of groups from 0 to {rows}, in ascending order")


class GroupsOfWeight(Check):
    """Checks that the groups are those of the weight. Null is checked too, because some products need groups."""

    @property
    def sentence(self) -> str:
        return f"{GROUPS} has the groups of weight"

    def judge(self, call: Op, soc: Soc) -> Violation | None:
        mistake = wrong_groups(Arguments(call, soc))
        words = f"{GROUPS} does not have the groups of weight."
        return None if mistake is None else Violation(words, GROUPS, *map(str, mistake))


def groups() -> Relation:
    return Relation(lambda op: [GroupsOfWeight(*map(op.named, (GROUPS, "x", "weight")))])


def swapped(tensor: Tensor) -> bool:
    """True for a view that swaps the last two dimensions."""
    down, across = tensor.strides[-2:]
    return down == 1 and across >= tensor.shape[-2] > 1


def wrong_sizes(a: Arguments) -> Bad:
    """Checks the inner sizes and the sizes of the results."""
    x, weight, out = (a[name] for name in ("x", "weight", out_name(a)))
    split, groups = group_type(a), count(a)
    for index in range(len(x) if split == APART else 1):
        if split != INNER and swapped(x[index]) and swapped(weight[index]):
            return f"x[{index}] and weight[{index}] are both transposed", "one of them"
    for name in ("x", "weight"):
        for tensor in a[name]:
            if tensor.shape[-1] > LONGEST:
                return f"{name} {list(tensor.shape)}", f"at most {LONGEST} columns"
    if split == INNER:
        (m, k), (rows, n) = x[0].shape, weight[0].shape
        fine = k == rows and out[0].shape == (groups, m, n)
        return None if fine else (list(x[0].shape), f"{rows} columns, and a result of {[groups, m, n]}")
    for index in range(max(len(x), groups)):
        left, right = x[index if len(x) > 1 else 0].shape, weight[index if len(weight) > 1 else 0].shape
        if left[-1] != right[-2]:
            return list(left), f"{right[-2]} columns, the rows of weight"
        if split == APART and out[index].shape != (*left[:-1], right[-1]):
            return list(out[index].shape), [*left[:-1], right[-1]]
        if split == ROWS and len(x) == len(out) > 1 and out[index].shape != (left[0], right[-1]):
            return list(out[index].shape), [left[0], right[-1]]
        if split == ROWS and out[index if len(out) > 1 else 0].shape[1] != right[-1]:
            return list(out[0].shape), f"{right[-1]} columns, as weight has"
    rows = sum(tensor.shape[0] for tensor in x)
    out_rows = sum(tensor.shape[0] for tensor in out)
    return None if split == APART or out_rows == rows else (f"{out_rows} rows", f"{rows}, as x has")


def wrong_columns(name: str) -> Relation:
    """Checks that there is a value for each column of a weight. Scales of a quantised weight, and of INT4, may have a
    row for each group of its rows."""

    def bad(a: Arguments) -> Bad:
        if kind(a) is Factors.OTHER:  # such factors have their own check
            return None
        shapes, expected_shapes = [tensor.shape for tensor in members(a, name)], of_columns(a)
        if name.startswith("antiquant") or (name == OPTIONALS[1] and kind(a) is Factors.INT4):
            shapes = [(*shape[:-2], shape[-1]) if len(shape) > len(expected_shapes[0]) else shape for shape in shapes]
        return None if not shapes or shapes == expected_shapes else (shapes, expected_shapes)

    return demand("{0} has a value for each column of weight", name, "weight", bad=bad)


def wrong_group_of_rows(a: Arguments) -> Bad:
    """Checks that groups of rows with separate scales divide the rows of the weight, and that offsets have the shape of
    scales."""
    scales, offsets = (members(a, name) for name in OPTIONALS[3:5])
    wide = len(of_columns(a)[0]) + 1
    for scale, offset in zip(scales, offsets, strict=False):
        parts = scale.shape[-2] if len(scale.shape) == wide else 1
        if scale.shape != offset.shape or not parts or a["weight"][0].shape[-2] % parts:
            return list(scale.shape), f"{list(offset.shape)}, with a divisor of {a['weight'][0].shape[-2]}"
    return None


def wrong_rows(a: Arguments) -> Bad:
    """Checks that there is a scale for each row of x, if every list has one tensor."""
    own = kind(a) in (Factors.INT4, Factors.OTHER)  # which have their own check
    scales = () if own else members(a, "perTokenScaleOptional")
    single = all(len(a[name]) == 1 for name in ("x", "weight", out_name(a)))
    fine = not scales or (single and scales[0].shape == a["x"][0].shape[:1])
    return None if fine else ([list(scale.shape) for scale in scales], list(a["x"][0].shape[:1]))
