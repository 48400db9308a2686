"""torch.multiprocessing: tensors and events of the device go from one process to another, and back."""

import torch
import torch.multiprocessing as multiprocessing
import torch_npu  # noqa: F401


def work(requests, answers):
    torch.npu.set_device(0)
    events = []
    while (request := requests.get()) is not None:
        tensor, event = request
        event.wait()
        tensor.add_(1)
        done = torch.npu.Event(interprocess=True)
        done.record()
        answers.put((tensor.sum().item(), done))
        events += [event, done]  # until the other process has opened them
        del request, tensor


def main():
    torch.npu.set_device(0)
    context = multiprocessing.get_context("spawn")
    requests, answers = context.SimpleQueue(), context.SimpleQueue()
    process = context.Process(target=work, args=(requests, answers), daemon=True)
    process.start()
    events = []
    for shape, dtype in (
        ((4,), torch.float32),
        ((3, 1000), torch.float16),
        ((1 << 20,), torch.int32),
        ((5,), torch.int64),
    ):
        tensor = torch.ones(shape, dtype=dtype).npu()[1:]
        tensor.mul_(2)
        event = torch.npu.Event(interprocess=True)
        event.record()
        requests.put((tensor, event))
        total, done = answers.get()
        done.synchronize()
        assert tensor.cpu().eq(3).all(), tensor
        assert total == 3 * tensor.numel(), total
        events += [event, done]
    requests.put(None)
    process.join()
    assert process.exitcode == 0, process.exitcode
    print("shared: right")


if __name__ == "__main__":
    main()
