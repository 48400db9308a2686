"""Decoding with a graph whose attention lengths change: the plugin's task groups, in the order of calls that vLLM uses.

A graph holds a step of a decoder with two layers. Keys and values are kept in blocks of a cache. The lengths of the
attention are arguments on the host, which a capture fixes. So each attention is a task group behind the wait for an
external event. The program replays the graph. In another stream it then calls each attention with the new lengths as an
update of its group, and records the event. The states are those of the same steps without a graph, bit for bit.
"""

import torch
import torch_npu  # pyright: ignore[reportMissingImports]
from torch import nn

STEPS, LAYERS, SEQUENCES, HEADS, WIDTH, ROWS, BLOCKS = 10, 2, 3, 2, 16, 128, 8
LENGTHS = [1, 125, 140]
"""of the sequences at first; the second one reaches a new block on the way"""
WORKSPACE = 1 << 20


class Attention:
    """The attention of one layer, with its cache. Its tensors stay where they are."""

    def __init__(self) -> None:
        shape = (BLOCKS, ROWS, HEADS * WIDTH)
        self.keys, self.values = (torch.zeros(shape, dtype=torch.half, device="npu") for _ in range(2))
        self.workspace = torch.empty(WORKSPACE, dtype=torch.uint8, device="npu")
        self.lse = torch.empty(1, dtype=torch.half, device="npu")

    def __call__(self, query: torch.Tensor, out: torch.Tensor, table: torch.Tensor, lengths: list[int]) -> None:
        torch_npu.npu_fused_infer_attention_score.out(
            query, self.keys, self.values, block_table=table, block_size=ROWS, num_heads=HEADS,
            num_key_value_heads=HEADS, input_layout="TND", scale=WIDTH**-0.5,
            actual_seq_lengths=list(range(1, SEQUENCES + 1)), actual_seq_lengths_kv=lengths, workspace=self.workspace,
            out=[out, self.lse],
        )  # fmt: skip


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

    def place(self, lengths: list[int]) -> None:
        """Tell the device where the new rows of the caches are."""
        self.slots.copy_(torch.tensor([self.slot_of(row, length - 1) for row, length in enumerate(lengths)]))

    def step(self, attend) -> None:
        x = self.state
        for part, attention in zip(self.parts, self.attentions, strict=True):
            query, key, value = part(x).split(HEADS * WIDTH, -1)
            for kept, new in ((attention.keys, key), (attention.values, value)):
                kept.view(-1, HEADS * WIDTH).index_copy_(0, self.slots, new)
            out = torch.empty(SEQUENCES, HEADS, WIDTH, dtype=torch.half, device="npu")
            attend(attention, query.contiguous().view(SEQUENCES, HEADS, WIDTH), out)
            x = x + out.flatten(1)
        self.state.copy_(x.sin())


def plain() -> list[torch.Tensor]:
    decoder, found = Decoder(), []
    for number in range(STEPS):
        lengths = [length + number for length in LENGTHS]
        decoder.place(lengths)
        decoder.step(lambda attention, query, out, now=lengths: attention(query, out, decoder.table, now))
        found.append(decoder.state.cpu())
    return found


def graphed(*, first: str) -> list[torch.Tensor]:
    """`first`: what comes first in a step, the replay or the update."""
    decoder, found, groups = Decoder(), [], []
    updates = torch.npu.Stream()

    def attend(attention: Attention, query: torch.Tensor, out: torch.Tensor) -> None:
        stream, event = torch.npu.current_stream(), torch.npu.ExternalEvent()
        event.wait(stream)
        event.reset(stream)
        torch.npu.graph_task_group_begin(stream)
        attention(query, out, decoder.table, LENGTHS)
        groups.append((attention, query, out, event, torch.npu.graph_task_group_end(stream)))

    def update(lengths: list[int]) -> None:
        with torch.npu.stream(updates):
            for attention, query, out, event, group in groups:
                torch.npu.graph_task_update_begin(updates, group)
                attention(query, out, decoder.table, lengths)
                torch.npu.graph_task_update_end(updates)
                event.record(updates)

    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph):
        decoder.step(attend)
    for number in range(STEPS):
        lengths = [length + number for length in LENGTHS]
        decoder.place(lengths)
        if first == "replay":
            graph.replay()
            update(lengths)
        else:
            update(lengths)
            graph.replay()
        found.append(decoder.state.cpu())
    return found


with torch.no_grad():
    wanted = plain()
    for first in ("replay", "update"):
        found = graphed(first=first)
        assert all(map(torch.equal, found, wanted)), (first, found, wanted)
assert len({tuple(state.flatten().tolist()) for state in wanted}) == STEPS
print("done")
