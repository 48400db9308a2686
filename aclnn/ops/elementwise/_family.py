"""Rules for the data type of computation, and the builder of operators of one tensor."""

from collections.abc import Callable, Sequence

from aclnn.op import (
    Arguments, Array, Compute, DataTypes, Operator, Planning, Relation, Series, T, computed_in, empty, is_complex,
    is_float, listed, mixed, mixed_tensors, out_of_place, ranks, same_shape, twin_first,
)  # fmt: skip


UnaryFormula = Callable[..., Array]


def is_floating(dtype: int) -> bool:
    """True for a float or complex."""
    return is_float(dtype) or is_complex(dtype)


def float_of(dtype: int | None) -> int | None:
    """The data type itself if it is a float or complex, else FLOAT."""
    return dtype if dtype is None or is_floating(dtype) else T.ACL_FLOAT


def in_float(name: str = "self") -> Compute:
    """The data type of the input; FLOAT for integers."""
    return lambda a: float_of(a.dtype(name))


def as_out(name: str = "self") -> Compute:
    """The data type of the input; that of out for integers."""
    return lambda a: a.dtype(name) if is_floating(a.dtype(name)) else a.dtype("out")


def own_type(name: str = "self") -> Compute:
    """The data type of the input."""
    return lambda a: a.dtype(name)


def with_tensor(a: Arguments) -> int | None:
    """The data type that self and other promote to; on Ascend 950 a tensor without dimensions has lower priority."""
    if a.soc.series is Series.A950:
        return mixed_tensors(a.dtype("self"), a.rank("self"), a.dtype("other"), a.rank("other"))
    return a.promoted("self", "other")


def with_number(a: Arguments) -> int | None:
    """The data type that a tensor and a scalar promote to; on Ascend 950 the scalar has lower priority."""
    if a.soc.series is Series.A950:
        return mixed(a.dtype("self"), a.dtype("other"))
    return a.promoted("self", "other")


def out_among(types: DataTypes) -> Relation:
    """Checks that the data type of out is in a list."""
    return listed("out", among=types, provenance="public")


def unary(
    module: str, stem: str, formula: UnaryFormula, doc: str, types: DataTypes, *rules: Relation,
    compute: Compute | None = None,
    name: str = "self", out: str = "out", twin: DataTypes | None = None, in_place: bool = True,
    early: Sequence[Relation] = (), shared: Sequence[Relation] = (), late: Sequence[Relation] = (),
    most: int | None = 8, result: Callable[[Arguments], int] | None = None,
    copied: Callable[[int], bool] = lambda dtype: False, attributes: Sequence[str] = (),
) -> Operator:  # fmt: skip
    """An operator of one tensor, and its form in place, the twin.

    The checks in their order: `early`, `types` of the input, `rules`, `shared`, the shapes, `late`. If `twin` is given,
    the twin checks the data type against it first, and leaves out `early`, `types`, `rules` and `late`. `most`: the
    largest number of dimensions.

    `result`: the data type of the result, if it is not that of the computation. `copied`: True for a data type whose
    values are copied without the formula. `attributes`: parameters that the formula gets.
    """

    def plan(p: Planning) -> None:
        if copied(p.dtype(name)):
            if not p.op.twin():
                p.store(out, p.read(name))
            return
        dtype = p.computed()
        x = p.read(name, dtype)
        values = {key: p[key] for key in attributes}
        p.store(out, p.step(formula, [x], x.shape, dtype if result is None else result(p), **values))

    types_and_rules = [*early, listed(name, among=types, provenance="public"), *rules]
    first: list[Relation] = []
    if twin is not None:
        first = [twin_first((name,), listed(name, among=twin, provenance="public"))]
        types_and_rules, late = [out_of_place(*types_and_rules)], [out_of_place(*late)]
    shapes = (same_shape(out, name), *(() if most is None else (ranks(name, least=0, most=most),)))
    names = (f"aclnn{stem}", f"aclnnInplace{stem}") if in_place else (f"aclnn{stem}",)
    checks = (*types_and_rules, *shared, *shapes, *late, empty(name))
    relations = (*first, computed_in(compute or own_type(name)), *checks)
    return Operator(names, relations, plan, doc, module)
