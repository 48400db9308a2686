"""Decoding with a graph whose attention lengths change: the plugin's task groups, in the order of calls that vLLM uses.

A graph holds a step of a decoder with two layers. Keys and values are kept in blocks of a cache. The lengths of the
attention are arguments on the host, which a capture fixes. So each attention is a task group behind the wait for an
external event. The program replays the graph. In another stream it then calls each attention with the new lengths, and
a table of blocks in new memory, as an update of its group, and records the event. NPUGraph.update does the same for
calls that the plugin has put into groups itself. The states are those of the same steps without a graph, bit for bit.
"""

from itertools import product

import torch
import torch_npu  # pyright: ignore[reportMissingImports]
from torch import nn

STEPS, LAYERS, SEQUENCES, HEADS, WIDTH, ROWS, BLOCKS = 10, 2, 3, 2, 16, 128, 8
LENGTHS = [1, 125, 140]
"""of the sequences at first; the second one reaches a new block on the way"""
Lengths = list[int]


def options(table: torch.Tensor, lengths: Lengths) -> dict[str, object]:
    """The arguments of the attention besides its tensors."""
    return {
        "block_table": table, "block_size": ROWS, "num_heads": HEADS, "num_key_value_heads": HEADS,
        "input_layout": "TND", "scale": WIDTH**-0.5, "actual_seq_lengths": list(range(1, SEQUENCES + 1)),
        "actual_seq_lengths_kv": lengths,
    }  # fmt: skip


class Attention:
    """The attention of one layer, with its cache. Its tensors stay where they are."""

    def __init__(self) -> None:
        shape = (BLOCKS, ROWS, HEADS * WIDTH)
        self.keys, self.values = (torch.zeros(shape, dtype=torch.half, device="npu") for _ in range(2))
        self.workspace: torch.Tensor | None = None
        self.lse = torch.empty(1, dtype=torch.half, device="npu")

    def __call__(self, query: torch.Tensor, out: torch.Tensor, table: torch.Tensor, lengths: Lengths) -> None:
        given = (query, self.keys, self.values), options(table, lengths)
        if self.workspace is None:
            self.workspace = torch_npu._npu_fused_infer_attention_score_get_max_workspace(*given[0], **given[1])
        torch_npu.npu_fused_infer_attention_score.out(
            *given[0], **given[1], workspace=self.workspace, out=[out, self.lse]
        )


class Decoder:
    """The layers, with the tensors that a step reads and writes."""

    def __init__(self) -> None:
        torch.manual_seed(0)
        self.parts = [nn.Linear(HEADS * WIDTH, 3 * HEADS * WIDTH).half().npu() for _ in range(LAYERS)]
        self.attentions = [Attention() for _ in range(LAYERS)]
        self.state = torch.randn(SEQUENCES, HEADS * WIDTH).half().npu()
        self.slots = torch.zeros(SEQUENCES, dtype=torch.int64).npu()
        self.table = torch.randperm(BLOCKS)[:6].view(SEQUENCES, 2).int().npu()
        blocks = self.table.cpu().long()
        self.slot_of = lambda row, place: (blocks[row, place // ROWS] * ROWS + place % ROWS).item()

    def place(self, lengths: Lengths) -> None:
        """Tell the device where the new rows of the caches are."""
        self.slots.copy_(torch.tensor([self.slot_of(row, length - 1) for row, length in enumerate(lengths)]))

    def step(self, attend) -> None:
        x = self.state
        for part, attention in zip(self.parts, self.attentions, strict=True):
            query, key, value = part(x).split(HEADS * WIDTH, -1)
            for kept, new in ((attention.keys, key), (attention.values, value)):
                kept.view(-1, HEADS * WIDTH).index_copy_(0, self.slots, new)
            x = x + attend(attention, query.contiguous().view(SEQUENCES, HEADS, WIDTH)).flatten(1)
        self.state.copy_(x.sin())


def plain() -> list[torch.Tensor]:
    decoder, found = Decoder(), []
    for number in range(STEPS):
        lengths = [length + number for length in LENGTHS]
        decoder.place(lengths)
        decoder.step(lambda attention, query, now=lengths: by_plugin(decoder, attention, query, now))
        found.append(decoder.state.cpu())
    return found


def by_plugin(decoder: Decoder, attention: Attention, query: torch.Tensor, lengths: Lengths) -> torch.Tensor:
    """The attention by the function that makes its output itself."""
    given = options(decoder.table, lengths)
    return torch_npu.npu_fused_infer_attention_score(query, attention.keys, attention.values, **given)[0]


def graphed(*, first: str, automatic: bool) -> list[torch.Tensor]:
    """`first`: what comes first in a step, the replay or the update. `automatic`: the plugin makes the groups."""
    decoder, found, groups = Decoder(), [], []
    updates, tables = torch.npu.Stream(), list[torch.Tensor]()

    def attend(attention: Attention, query: torch.Tensor) -> torch.Tensor:
        out = torch.empty_like(query)
        stream, event = torch.npu.current_stream(), torch.npu.ExternalEvent()
        event.wait(stream)
        event.reset(stream)
        torch.npu.graph_task_group_begin(stream)
        attention(query, out, decoder.table, LENGTHS)
        groups.append((attention, query, out, event, torch.npu.graph_task_group_end(stream)))
        return out

    def update(lengths: Lengths) -> None:
        with torch.npu.stream(updates):
            for attention, query, out, event, group in groups:
                tables.append(decoder.table.clone())  # in memory of its own for each step
                torch.npu.graph_task_update_begin(updates, group)
                attention(query, out, tables[-1], lengths)
                torch.npu.graph_task_update_end(updates)
                event.record(updates)

    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph, auto_dispatch_capture=automatic):
        decoder.step((lambda *given: by_plugin(decoder, *given, LENGTHS)) if automatic else attend)
    for number in range(STEPS):
        lengths = [length + number for length in LENGTHS]
        decoder.place(lengths)
        if first == "replay":
            graph.replay()
        if automatic:
            graph.update(cpu_update_input=[{"actual_seq_lengths_kv": lengths}])
        else:
            update(lengths)
        if first == "update":
            graph.replay()
        found.append(decoder.state.cpu())
        tables.clear()
    return found


with torch.no_grad():
    wanted = plain()
    for first, automatic in product(("replay", "update"), (False, True)):
        found = graphed(first=first, automatic=automatic)
        assert all(map(torch.equal, found, wanted)), (first, automatic, found, wanted)
assert len({tuple(state.flatten().tolist()) for state in wanted}) == STEPS
print("done")
