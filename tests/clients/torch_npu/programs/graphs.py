"""Captured graphs: replays have the results of the same work without a graph, bit for bit, each time with new data."""

import contextlib
import io
import re
import threading
from itertools import pairwise

import torch
import torch_npu  # pyright: ignore[reportMissingImports]
from models import BATCH, LENGTH, WORDS, Gpt
from torch import nn
from torch.nn import functional

REPLAYS = 10
WARM_UP = 3


def same(one: torch.Tensor, other: torch.Tensor) -> None:
    torch.testing.assert_close(one.cpu(), other.cpu(), rtol=0, atol=0)


def network() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Conv2d(2, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(64, 16), nn.LayerNorm(16),
        nn.GELU(approximate="tanh"), nn.Linear(16, 4),
    ).npu()  # fmt: skip


def forward() -> None:
    model = network().eval()
    runs: list[nn.Module] = []
    model[0].register_forward_hook(lambda module, _inputs, _output: runs.append(module))
    x = torch.randn(3, 2, 4, 4).npu()
    graph = torch.npu.NPUGraph()
    with torch.no_grad(), torch.npu.graph(graph):
        y = model(x).softmax(-1)
    for _ in range(REPLAYS):
        x.copy_(torch.randn(3, 2, 4, 4))
        before = len(runs)
        graph.replay()
        replayed = y.clone()
        assert len(runs) == before, "a replay has called the model"
        with torch.no_grad():
            same(replayed, model(x).softmax(-1))


def trains(make, optimiser_of, batches, *, graphed: bool) -> tuple[list[float], nn.Module]:
    """The losses of a training, and the trained model. A graph holds a whole step: both passes and the optimiser."""
    model = make()
    optimiser = optimiser_of(model.parameters())
    x, y = (torch.empty_like(part, device="npu") for part in batches[0])

    def step() -> torch.Tensor:
        optimiser.zero_grad(set_to_none=False)
        loss = functional.cross_entropy(model(x), y)
        loss.backward()
        optimiser.step()
        return loss

    def losses(some, run) -> list[float]:
        found = []
        for batch in some:
            for place, part in zip((x, y), batch, strict=True):
                place.copy_(part)
            found.append(run().item())
        return found

    if not graphed:
        return losses(batches, step), model
    side = torch.npu.Stream()
    side.wait_stream(torch.npu.current_stream())
    with torch.npu.stream(side):
        first = losses(batches[:WARM_UP], step)
    torch.npu.current_stream().wait_stream(side)
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph):
        loss = step()

    def replay() -> torch.Tensor:
        graph.replay()
        return loss

    return first + losses(batches[WARM_UP:], replay), model


def gpt() -> nn.Module:
    torch.manual_seed(0)
    return Gpt(fused=True).npu()


def training() -> None:
    pictures = [(torch.randn(5, 2, 4, 4), torch.randint(0, 4, (5,))) for _ in range(WARM_UP + REPLAYS)]
    texts = [torch.randint(0, WORDS, (BATCH, LENGTH + 1)) for _ in range(WARM_UP + REPLAYS)]
    words = [(text[:, :-1].contiguous(), text[:, 1:].flatten()) for text in texts]
    for make, optimiser_of, batches in (
        (network, lambda of: torch.optim.SGD(of, 0.1, momentum=0.9), pictures),
        (gpt, lambda of: torch.optim.AdamW(of, 1e-2, capturable=True), words),
    ):
        found, trained = trains(make, optimiser_of, batches, graphed=True)
        wanted, other = trains(make, optimiser_of, batches, graphed=False)
        assert found == wanted, (found, wanted)
        assert len(set(found)) == len(batches)
        for one, two in zip(trained.state_dict().values(), other.state_dict().values(), strict=True):
            same(one, two)


def decoding() -> None:
    """A step chooses the next word from all earlier ones, of which it keeps keys and values."""
    torch.manual_seed(0)
    width, most = 16, REPLAYS + 1
    words, out = (nn.Linear(width, 3 * width).npu() for _ in range(2))
    table, places = (torch.randn(number, width).npu() for number in (WORDS, most))

    def states() -> tuple[torch.Tensor, ...]:
        word, place = torch.tensor([3]).npu(), torch.zeros(1, dtype=torch.int64).npu()
        return word, place, torch.zeros(most, width).npu(), torch.zeros(most, width).npu()

    def step(word: torch.Tensor, place: torch.Tensor, keys: torch.Tensor, values: torch.Tensor) -> None:
        q, k, v = words(table[word] + places[place]).split(width, -1)
        keys.index_copy_(0, place, k)
        values.index_copy_(0, place, v)
        later = torch.arange(most, device="npu") > place
        weights = (q @ keys.t()).masked_fill(later, float("-inf")).softmax(-1)
        logits = out(weights @ values)[:, :width] @ table.t()
        word.copy_(logits.argmax(-1))
        place.add_(1)

    with torch.no_grad():
        one, two = states(), states()
        graph = torch.npu.NPUGraph()
        with torch.npu.graph(graph):
            step(*one)
        texts = []
        for run, word in ((graph.replay, one[0]), (lambda: step(*two), two[0])):
            text = []
            for _ in range(REPLAYS):
                run()
                text.append(word.item())
            texts.append(text)
    assert texts[0] == texts[1], texts
    assert len(set(texts[0])) > 2, texts
    for found, wanted in zip(one, two, strict=True):
        same(found, wanted)


def callables() -> None:
    """make_graphed_callables: a graph for each forward and each backward pass, of two parts of a model."""
    parts, others = ([*network()[4:]], [*network()[4:]])
    plain = nn.Sequential(*others)
    hidden, narrow = nn.Sequential(*parts[:2]), nn.Sequential(*parts[2:])
    samples = ((torch.randn(3, 64).npu().requires_grad_(),), (torch.randn(3, 16).npu().requires_grad_(),))
    first, second = torch.npu.make_graphed_callables((hidden, narrow), samples)
    for _ in range(REPLAYS):
        given = torch.randn(3, 64)
        one, two = (given.npu().requires_grad_() for _ in range(2))
        found, wanted = second(first(one)).square().mean(), plain(two).square().mean()
        found.backward()
        wanted.backward()
        same(found, wanted)
        same(one.grad, two.grad)
        for a, b in zip([*hidden.parameters(), *narrow.parameters()], plain.parameters(), strict=True):
            same(a.grad, b.grad)
            with torch.no_grad():
                for weights in (a, b):
                    weights.sub_(0.1 * weights.grad)
                    weights.grad = None


def pools() -> None:
    """Graphs of several sizes in one pool of memory, as servers capture them: the largest comes first."""
    model, pool, graphs = nn.Linear(8, 8).npu(), torch.npu.graph_pool_handle(), {}
    x = torch.zeros(8, 8).npu()
    with torch.no_grad():
        for size in (8, 4, 1):
            graph = torch.npu.NPUGraph()
            with torch.npu.graph(graph, pool=pool):
                y = model(model(x[:size]).relu())
            graphs[size] = graph, y
        assert len({graph.pool() for graph, _ in graphs.values()}) == 1
        for number in range(REPLAYS):
            x.copy_(torch.randn(8, 8))
            graph, y = graphs[(1, 4, 8)[number % 3]]
            graph.replay()
            same(y, model(model(x[: len(y)]).relu()))
    for graph, _ in graphs.values():
        graph.reset()


def streams() -> None:
    """A stream that the capture draws in and joins again."""
    side, x = torch.npu.Stream(), torch.zeros(4).npu()
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph):
        u = x + 1
        side.wait_stream(torch.npu.current_stream())
        with torch.npu.stream(side):
            v = u * 2
        w = u - 3
        torch.npu.current_stream().wait_stream(side)
        y = v * w
    for number in range(REPLAYS):
        x.fill_(number)
        graph.replay()
        assert y.tolist() == [2 * (number + 1) * (number - 2)] * 4


def randomness() -> None:
    """Each replay draws the numbers that come next in the sequence of the seed."""
    ones, shown = torch.ones(1000).npu(), []
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph):
        y = functional.dropout(ones, 0.3)
        z = torch.randn(5, device="npu")
    for _ in range(2):
        torch.npu.manual_seed(3)
        for _ in range(REPLAYS):
            graph.replay()
            shown.append((y.tolist(), z.tolist()))
    assert shown[:REPLAYS] == shown[REPLAYS:]
    assert all(one[0] != other[0] and one[1] != other[1] for one, other in pairwise(shown))


def copies() -> None:
    """Copies from and to pinned memory, and functions of the host: they see what is there at the time of the replay."""
    given, found = (torch.zeros(4).pin_memory() for _ in range(2))
    x = torch.zeros(4).npu()
    graph, printed = torch.npu.NPUGraph(), io.StringIO()
    torch.ops.npu.print_npugraph_tensor(x)
    torch.npu.synchronize()
    with torch.npu.graph(graph):
        x.copy_(given, non_blocking=True)
        y = x * 2
        torch.ops.npu.print_npugraph_tensor(y[:1], tensor_name="y")
        found.copy_(y, non_blocking=True)
    with contextlib.redirect_stdout(printed):
        for number in range(REPLAYS):
            given.fill_(number)
            graph.replay()
            torch.npu.synchronize()
            assert found.tolist() == [2 * number] * 4
    assert re.findall(r"y=tensor\(\[(\d+)\.\]\)", printed.getvalue()) == [str(2 * each) for each in range(REPLAYS)]


def modes() -> None:
    """The mode of a capture says whether another thread may copy synchronously meanwhile."""
    x = torch.ones(3).npu()
    for mode, refused in (("global", True), ("thread_local", False), ("relaxed", False)):
        results: list[list[float] | str] = []

        def compute(results=results) -> None:
            torch.npu.set_device(0)
            try:
                results.append((torch.ones(2).npu() + 1).tolist())
            except RuntimeError as error:
                results.append(str(error))

        graph = torch.npu.NPUGraph()
        with torch.npu.graph(graph, capture_error_mode=mode):
            y = x + 1
            thread = threading.Thread(target=compute)
            thread.start()
            thread.join()
        assert "error code is 107030" in results[0] if refused else results == [[2, 2]], results
        graph.replay()
        assert y.tolist() == [2] * 3


def failures() -> None:
    """A capture fails where its text says; the process goes on, and can capture again."""
    x, boxes = torch.ones(4).npu(), torch.tensor([[0, 0, 10, 10.0]]).half().npu()
    square = torch.ones(1, 2, 4, 4).npu()
    for work, said in (
        (lambda: (x + 1).cpu(), "error code is 107030"),
        (torch.npu.synchronize, "error code is 107027"),
        (lambda: torch.nonzero(x), "error code is 107027"),
        (lambda: torch_npu.npu_iou(boxes, boxes, 0), "Cannot run aclop operators during NPU graph capture"),
        (lambda: torch_npu.npu_mhc_sinkhorn(square), "no kernel for aclnnMhcSinkhorn"),
        (lambda: 1 / 0, "division by zero"),
    ):
        raised = ""
        try:
            with torch.npu.graph(torch.npu.NPUGraph()):
                x * 2
                work()
        except (RuntimeError, ZeroDivisionError) as error:
            raised = str(error)
        assert said in raised, raised
        assert (x + 1).tolist() == [2] * 4
        graph = torch.npu.NPUGraph()
        with torch.npu.graph(graph):
            y = x + 2
        graph.replay()
        assert y.tolist() == [3] * 4


for part in (forward, training, decoding, callables, pools, streams, randomness, copies, modes, failures):
    part()
    print(part.__name__, flush=True)
