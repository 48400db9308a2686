"""Two ranks with threads that communicate in groups of their own, beside a thread that computes and collects garbage.

`aclnn run --npu --devices 2 rank_threads.py 600` runs ten minutes.
"""

import gc
import os
import sys
import threading
import time

import torch
import torch.distributed as dist
import torch_npu  # noqa: F401

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 20.0
GROUPS = 3


def communicate(rank, group, number, end, rounds):
    """Reduce until both ranks have seen the end; each result is checked."""
    torch.npu.set_device(rank)
    torch.npu.set_stream(torch.npu.Stream())  # in one stream, two ranks with another order would wait for each other
    done = False
    while not done:
        count = 1 + (97 * rounds[number] + number) % 5000
        values = torch.full((count,), float(rank + number)).npu()
        work = dist.all_reduce(values, group=group, async_op=True)
        flag = torch.tensor([float(time.monotonic() > end)]).npu()
        work.wait()
        dist.all_reduce(flag, op=dist.ReduceOp.MIN, group=group)
        assert values.cpu().eq(2 * number + 1).all(), values
        done = bool(flag.item())
        rounds[number] += 1


def disturb(rank, stop):
    """Work of other kinds, which takes the same locks."""
    torch.npu.set_device(rank)
    torch.npu.set_stream(torch.npu.Stream())
    while not stop.is_set():
        a = torch.randn(64, 64).npu()
        assert torch.isfinite((a @ a).sum().cpu())
        gc.collect()
        torch.npu.empty_cache()


def main():
    rank = int(os.environ["RANK"])
    torch.npu.set_device(rank)
    dist.init_process_group("hccl")
    groups = [dist.new_group([0, 1]) for _ in range(GROUPS)]
    for group in groups:  # one after the other, as a communicator is made in its first operation
        dist.all_reduce(torch.zeros(1).npu(), group=group)
    torch.npu.synchronize()
    rounds, stop, end = [0] * GROUPS, threading.Event(), time.monotonic() + SECONDS
    work = [threading.Thread(target=communicate, args=(rank, group, number, end, rounds))
            for number, group in enumerate(groups)]  # fmt: skip
    noise = threading.Thread(target=disturb, args=(rank, stop))
    for thread in (*work, noise):
        thread.start()
    for thread in work:
        thread.join()
    stop.set()
    noise.join()
    assert min(rounds) > 1, rounds
    dist.barrier()
    dist.destroy_process_group()
    sys.stdout.write(f"rank {rank}: right\n")  # whole: `print` writes the end of a line by itself


if __name__ == "__main__":
    if "RANK" in os.environ:
        main()
    else:
        from torch.distributed.run import main as torchrun

        torchrun(["--nproc-per-node", "2", __file__, *sys.argv[1:]])
