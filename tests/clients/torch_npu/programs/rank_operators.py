"""Operators that compute and communicate, on ranks that torchrun starts: products with a collective, and a small
mixture of experts, each against the result of one process."""

import os
import sys

import torch
import torch.distributed as dist
import torch_npu

RANKS = 2
"""`aclnn run --npu --devices 4 rank_operators.py 4` starts four"""
ROWS, INNER, COLUMNS = 8, 256, 6
TOKENS, HIDDEN, TOP, LOCAL = 5, 64, 2, 2


def close(what, result, expected):
    if not torch.allclose(result.cpu().float(), expected.float(), rtol=5e-3, atol=5e-3):
        raise AssertionError(f"{what}: {result.cpu()} is not {expected}")


def drawn(rank, *shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(rank)).half()


def products(rank, world, device, group):
    lefts = [drawn(other, ROWS, INNER) for other in range(world)]
    rights = [drawn(100 + other, INNER, COLUMNS) for other in range(world)]
    total = sum((a.float() @ b.float()).half().float() for a, b in zip(lefts, rights, strict=True))
    left, right = lefts[rank].to(device), rights[rank].to(device)
    close("mm_all_reduce_base", torch_npu.npu_mm_all_reduce_base(left, right, group), total)
    scattered = torch_npu.npu_mm_reduce_scatter_base(left, right, group, world)
    close("mm_reduce_scatter_base", scattered, total.chunk(world)[rank])
    output, gathered = torch_npu.npu_all_gather_base_mm(left, right, group, world)
    close("all_gather_base_mm", output, torch.cat(lefts).float() @ rights[rank].float())
    close("all_gather_base_mm, gathered", gathered, torch.cat(lefts))


def experts_of_one_process(x, ids, scales, weights):
    """The mixture with all experts in one place."""
    rows = torch.einsum("th,tkhi->tki", x.float(), weights[ids].float()).half().float()
    return (rows * scales[..., None]).sum(1)


def mixture(rank, world, device, group, version):
    number = LOCAL * world
    x = drawn(200 + rank, TOKENS, HIDDEN)
    ids = torch.stack([torch.randperm(number, generator=torch.Generator().manual_seed(10 * rank + t))[:TOP]
                       for t in range(TOKENS)])  # fmt: skip
    scales = torch.rand(TOKENS, TOP, generator=torch.Generator().manual_seed(rank))
    weights = torch.stack([drawn(300 + expert, HIDDEN, HIDDEN) / 8 for expert in range(number)])
    dispatch = getattr(torch_npu, f"npu_moe_distribute_dispatch{version}")
    combine = getattr(torch_npu, f"npu_moe_distribute_combine{version}")
    place = {"group_ep": group, "ep_world_size": world, "ep_rank_id": rank, "moe_expert_num": number}
    npu_ids = ids.int().to(device)
    rows, _, info, counts, received, *_ = dispatch(x.to(device), npu_ids, expert_token_nums_type=1, **place)
    start = 0
    results = torch.zeros_like(rows)
    for local, count in enumerate(counts.tolist()):
        own = rows[start : start + count]
        results[start : start + count] = own @ weights[rank * LOCAL + local].to(device)
        start += count
    tp = torch.zeros(1, dtype=torch.int32, device=device)
    sums = combine(results, npu_ids, info, received, scales.to(device), tp_send_counts=tp, **place)
    close(f"moe_distribute{version}", sums, experts_of_one_process(x, ids, scales, weights))


def main():
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    torch.npu.set_device(rank)
    device = torch.device("npu", rank)
    dist.init_process_group("hccl")
    group = dist.group.WORLD._get_backend(device).get_hccl_comm_name(rank)
    products(rank, world, device, group)
    for version in ("", "_v2"):
        mixture(rank, world, device, group, version)
    torch.npu.synchronize()
    dist.destroy_process_group()
    sys.stdout.write(f"rank {rank}: right\n")  # whole: `print` writes the end of a line by itself


if __name__ == "__main__":
    if "RANK" in os.environ:
        main()
    else:
        from torch.distributed.run import main as torchrun

        ranks = sys.argv[1] if len(sys.argv) > 1 else str(RANKS)
        torchrun(["--nproc-per-node", ranks, __file__])
