"""StridedSlice: a slice with a step for each dimension, described by arrays and masks as in TensorFlow."""

from aclnn.op import Arguments, Array, Bad, Planning, copies_elements, demand, empty, listed, planned, ranks, same_dtype


Index = tuple["slice | int | None", ...]


def bit(a: Arguments, mask: str, entry: int) -> bool:
    return bool(a[mask] >> entry & 1)


def entries(a: Arguments) -> int:
    return len(a["begin"].values)


def other_lengths(a: Arguments) -> Bad:
    counts = [len(a[name].values) for name in ("begin", "end", "strides")]
    return None if len(set(counts)) == 1 else (counts, "arrays of one length")


def zero_stride(a: Arguments) -> Bad:
    return (list(a["strides"].values), "numbers that are not 0") if 0 in a["strides"].values else None


def several(a: Arguments) -> Bad:
    ellipses = [i for i in range(entries(a)) if bit(a, "ellipsisMask", i)]
    return None if len(ellipses) < 2 else (a["ellipsisMask"], "at most one bit")


def backwards(a: Arguments) -> Bad:
    wrong = any(bit(a, "shrinkAxisMask", axis) and step < 0 for axis, step in enumerate(a["strides"].values))
    return (list(a["strides"].values), "positive numbers where shrinkAxisMask has a bit") if wrong else None


def taken_axes(a: Arguments) -> int:
    """The dimensions of self to which the entries apply."""
    free = ("ellipsisMask", "newAxisMask")
    return sum(not any(bit(a, mask, i) for mask in free) for i in range(entries(a)))


def outside(a: Arguments) -> Bad:
    """Checks that there are no more entries than dimensions, and that single positions are in range."""
    if taken_axes(a) > a.rank("self"):
        return f"{taken_axes(a)} dimensions", f"at most {a.rank('self')}, as self has"
    try:
        shape_left(a)
    except IndexError:
        return list(a["begin"].values), f"positions in {list(a.shape('self'))}"
    return None


def index(a: Arguments) -> Index:
    """The entries as an index of numpy."""
    begin, end, strides = (a[name].values for name in ("begin", "end", "strides"))
    parts: list[slice | int | None] = []
    for entry in range(entries(a)):
        if bit(a, "ellipsisMask", entry):
            parts += [slice(None)] * (a.rank("self") - taken_axes(a))
        elif bit(a, "newAxisMask", entry):
            parts.append(None)
        elif bit(a, "shrinkAxisMask", entry):
            parts.append(begin[entry])
        else:
            first = None if bit(a, "beginMask", entry) else begin[entry]
            last = None if bit(a, "endMask", entry) else end[entry]
            parts.append(slice(first, last, strides[entry]))
    return tuple(parts)


def shape_left(a: Arguments) -> tuple[int, ...]:
    """The shape of the slice, computed without its elements. Raises IndexError for a position out of range."""
    sizes, shape = list(a.shape("self")), list[int]()
    for entry in index(a):
        if entry is None:
            shape.append(1)
            continue
        span = range(sizes.pop(0))[entry]
        if isinstance(span, range):
            shape.append(len(span))
    return (*shape, *sizes)


def other_shape(a: Arguments) -> Bad:
    expected_shape, shape = shape_left(a), a.shape("out")
    single = a["out"].numel == 1 and all(size == 1 for size in expected_shape)
    return None if not entries(a) or shape == expected_shape or single else (list(shape), list(expected_shape))


@planned(
    "aclnnStridedSlice", listed("self", "out"), same_dtype("out", as_="self"), ranks("self", least=0, most=8),
    demand("{0}, {1} and {2} have one length", "begin", "end", "strides", bad=other_lengths),
    demand("{0} have no 0", "strides", bad=zero_stride), demand("{0} has at most one bit", "ellipsisMask", bad=several),
    demand("{0} are positive where {1} has a bit", "strides", "shrinkAxisMask", bad=backwards), empty("self"),
    demand("{0} lies in {1}", "begin", "self", bad=outside, provenance="ours"),
    demand("{0} has the shape of the slice", "out", "self", bad=other_shape),
)  # fmt: skip
def strided_slice(p: Planning) -> None:
    """out = self[begin[0] : end[0] : strides[0], ...]. Bit i of a mask belongs to entry i of the arrays: beginMask and
    endMask leave a bound out, ellipsisMask takes all dimensions up to the next entry, newAxisMask inserts a dimension
    of 1, shrinkAxisMask takes one position and drops the dimension."""
    x = p.read("self")
    p.store("out", p.step(sliced, [x], shape_left(p), x.dtype, moves=True, index=index(p)))


@copies_elements
def sliced(x: Array, *, index: Index) -> Array:
    return x[index]
