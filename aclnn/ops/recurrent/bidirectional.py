"""BidirectionLSTM: one layer in one direction or in both, of inference products."""

from collections.abc import Mapping
from typing import Any, Final

from acl_runtime.headers.statuses import ACLNN_ERR_INNER_TILING_ERROR, ACLNN_ERR_PARAM_NULLPTR
from aclnn.engine.arguments import Arguments
from aclnn.engine.operator import planned
from aclnn.engine.planning import Planning
from aclnn.engine.relation import Relation
from aclnn.engine.words.shapes import ranks
from aclnn.engine.words.types import listed
from aclnn.engine.words.values import demand, generated
from aclnn.ops.recurrent._family import Bad, of_each, shape_of
from aclnn.ops.recurrent._steps import joined, last_states
from aclnn.ops.recurrent.lstm import one_direction

TILING: Final = ACLNN_ERR_INNER_TILING_ERROR
WEIGHTS: Final = ("wIh", "wHh")
BIASES: Final = ("bIhOptional", "bHhOptional")
BACK: Final = ("wIhReverseOptional", "wHhReverseOptional")
BACK_BIASES: Final = ("bIhReverseOptional", "bHhReverseOptional")
OUTS: Final = ("yOut", "outputHOut", "outputCOut")
TENSORS: Final = ("x", "initH", "initC", *WEIGHTS, *BIASES, *BACK, *BACK_BIASES, *OUTS)


def used(a: Arguments) -> dict[str, str]:
    """The optional tensors that a call needs, each with the flag that makes it needed."""
    flags: dict[str, str] = dict.fromkeys(BIASES, "isbias")
    if a["bidirection"]:
        flags |= dict.fromkeys(BACK, "bidirection")
        flags |= dict.fromkeys(BACK_BIASES, "isbias")
    return {name: flag for name, flag in flags.items() if a[flag]}


def missing(flag: str) -> Relation:
    def bad(a: Arguments) -> Bad:
        null = [name for name, needed in used(a).items() if needed == flag and not a.given(name)]
        return ("true", f"false, as {null[0]} is null") if null else None

    return demand("the tensors that {0} makes needed are not null", flag, bad=bad, status=ACLNN_ERR_PARAM_NULLPTR)


def attribute(name: str, wanted: Any) -> Relation:
    def bad(a: Arguments) -> Bad:
        return None if a[name] == wanted else (a[name], wanted)

    return demand(f"{{0}} is {wanted}", name, bad=bad, status=TILING)


def wanted(a: Arguments) -> Mapping[str, Any]:
    steps, _, inputs = a.shape("x")
    directions = 2 if a["bidirection"] else 1
    _, samples, hidden = a.shape("initH")
    states = dict.fromkeys(("initH", "initC", "outputHOut", "outputCOut"), (directions, samples, hidden))
    weights = {name: (4 * hidden, inputs if "wIh" in name else hidden) for name in (*WEIGHTS, *BACK)}
    biases = dict.fromkeys((*BIASES, *BACK_BIASES), (4 * hidden,))
    return {"x": (steps, samples, inputs), "yOut": (steps, samples, directions * hidden), **states, **weights, **biases}


def of_shape(a: Arguments, name: str) -> Bad:
    """Tensors that the call does not need are not looked at."""
    if name in (*BIASES, *BACK, *BACK_BIASES) and name not in used(a):
        return None
    return shape_of(a, name, wanted(a)[name])


@planned(
    "aclnnBidirectionLSTM", generated(), listed(*TENSORS), attribute("numLayers", 1), attribute("batchFirst", False),
    missing("isbias"), missing("bidirection"), ranks("x", "initH", least=3, most=3, status=TILING),
    *of_each("{0} has the shape that follows from the network", of_shape, *TENSORS, status=TILING),
)  # fmt: skip
def bidirection_lstm(p: Planning) -> None:
    """As aclnnLSTM of one layer, with its weights as single tensors. yOut has h of all steps, outputHOut and outputCOut
    the last h and c of each direction."""
    n = wanted(p)
    steps, samples, _ = n["x"]
    hidden = n["initH"][2]
    x, first = p.read("x"), [p.read("initH"), p.read("initC")]
    result = ((steps, samples, hidden), x.dtype)
    made: list[Any] = []
    for at, names in enumerate(((*WEIGHTS, *BIASES), (*BACK, *BACK_BIASES))[: n["initH"][0]]):
        given = [p.read(name) for name in names[: 4 if p["isbias"] else 2]]
        made.append(p.steps(
            one_direction, [x, *given, *first], [result] * 8, cell=at, states=True, bias=p["isbias"],
            reverse=bool(at), half=True,
        ))  # fmt: skip
    p.store("yOut", joined(p, [found[7] for found in made]))
    for place, name in ((4, "outputHOut"), (5, "outputCOut")):
        cells = [found[place] for found in made]
        p.store(name, p.step(last_states, cells, n[name], x.dtype, moves=True, directions=len(made)))
