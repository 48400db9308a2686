"""The time of an all_reduce between two processes, beside gloo with tensors of the CPU in the same run.

On a quiet machine 4 bytes take 5 to 10 times as long as with gloo in the median, and 64 MiB half of its time. Beside
other programs 4 bytes take longer still, as each operation wakes a thread of each process. The program prints the
medians. It fails if the fastest tenth takes longer than the greatest ratio in each of ten rounds.
"""

import os
import statistics
import time

import torch
import torch.distributed as dist
import torch_npu  # noqa: F401

SIZES = (("4 bytes", 1, 200, 30.0), ("64 KiB", 1 << 14, 200, None), ("64 MiB", 1 << 24, 6, 2.0))
"""name, elements of FLOAT, repetitions, the greatest ratio"""
ROUNDS = 10


def seconds(tensor, times, wait):
    """The median and the fastest tenth of an all_reduce and a wait for its end. Both ranks begin at the same time."""
    measured = []
    for _ in range(times):
        dist.all_reduce(torch.zeros(1))
        begin = time.perf_counter()
        dist.all_reduce(tensor)
        wait()
        measured.append(time.perf_counter() - begin)
    return statistics.median(measured[1:]), sorted(measured[1:])[times // 10]


def main():
    rank = int(os.environ["RANK"])
    torch.npu.set_device(rank)
    dist.init_process_group("cpu:gloo,npu:hccl")
    for name, count, times, most in SIZES:
        on_device, on_host = torch.zeros(count).to(f"npu:{rank}"), torch.zeros(count)
        for _ in range(ROUNDS):
            ours, gloo = seconds(on_device, times, torch.npu.synchronize), seconds(on_host, times, lambda: None)
            (median, fast), (their_median, their_fast) = ours, gloo
            holds = torch.tensor([most is None or fast <= most * their_fast])
            dist.broadcast(holds, 0)
            if holds:
                break
        if rank == 0:
            ratios = f"ratio {median / their_median:.2f}, of the fastest tenth {fast / their_fast:.2f}"
            print(f"{name}: {1e3 * median:.3f} ms, gloo {1e3 * their_median:.3f} ms, {ratios}", flush=True)
        assert holds
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    if "RANK" in os.environ:
        main()
    else:
        from torch.distributed.run import main as torchrun

        torchrun(["--nproc-per-node", "2", __file__])
