"""A thread that trains, four that compute, events, side streams, garbage and an emptied cache, all at once.

`threads.py SECONDS` runs as long as this, and longer until each thread has done something. It would hang if a thread
that has the interpreter lock waited for one that needs it.
"""

import gc
import sys
import threading
import time

import torch
import torch_npu  # noqa: F401  # pyright: ignore[reportMissingImports]

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 15.0
QUEUED = 4000
"""operators without a synchronise between them"""
sys.setswitchinterval(1e-3)  # threads take turns more often than usual
over = threading.Event()
rounds = [0] * 6
wrong: list[BaseException] = []


class Quiet:
    """Many threads compute, or one empties the cache. The plugin's empty_cache keeps the interpreter lock while it
    waits for the lock of its allocator; a thread that has that one and calls us needs the interpreter lock."""

    def __init__(self) -> None:
        self.changed, self.computing, self.asked = threading.Condition(), 0, False

    def __enter__(self) -> None:
        with self.changed:
            self.changed.wait_for(lambda: not self.asked)
            self.computing += 1

    def __exit__(self, *_: object) -> None:
        with self.changed:
            self.computing -= 1
            self.changed.notify_all()

    def empty_cache(self) -> None:
        with self.changed:
            self.asked = True
            self.changed.wait_for(lambda: not self.computing)
            torch.npu.empty_cache()
            self.asked = False
            self.changed.notify_all()


quiet = Quiet()


def until_over(number: int, work) -> None:
    try:
        while not over.is_set():
            work()
            rounds[number] += 1
    except BaseException as error:
        wrong.append(error)
        over.set()


def computes() -> None:
    with quiet:
        stream = torch.npu.Stream()
        with torch.npu.stream(stream):
            x = torch.full((16, 16), 1.0, device="npu")
            for _ in range(20):
                x = x + 1
            done = torch.npu.Event()
            done.record()
        done.synchronize()
        assert x.sum().item() == 21 * 256
        del x


def makes_garbage() -> None:
    with quiet:
        event = torch.npu.Event(enable_timing=True)
        event.record()
        circle: list[object] = [torch.ones(64, device="npu"), event]
        circle.append(circle)
        del circle
        gc.collect()
    quiet.empty_cache()
    time.sleep(0.05)


def trains(weight: torch.Tensor, x: torch.Tensor) -> None:
    loss = ((x @ weight).tanh() ** 2).mean()
    loss.backward()
    with torch.no_grad():
        weight -= 0.1 * weight.grad
    weight.grad = None
    assert loss.isfinite().item()


torch.ones(1).npu()  # one thread has to use the device and a side stream first: see docs/clients/pytorch.md
torch.npu.Stream()
threads = [threading.Thread(target=until_over, args=(number, computes)) for number in range(4)]
threads.append(threading.Thread(target=until_over, args=(4, makes_garbage)))
for thread in threads:
    thread.start()
weight = torch.randn(16, 16).npu().requires_grad_()
x, count = torch.randn(32, 16).npu(), torch.zeros(1).npu()
end = time.monotonic() + SECONDS


def main() -> None:
    with quiet:
        trains(weight, x)
    count.zero_()
    queued = 0
    while queued < QUEUED and time.monotonic() < end:
        count.add_(1)
        queued += 1
    with quiet:
        assert count.item() == queued
    if time.monotonic() > end and all(rounds[:-1]):  # a busy computer may not have run them all yet
        over.set()


until_over(5, main)
for thread in threads:
    thread.join()
assert not wrong, wrong
assert all(rounds), rounds
print("done")
