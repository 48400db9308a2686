"""PyTorch's own operator samples, on the emulated device and on the CPU.

    python -m tests.clients.torch_npu.samples             # all of them, in about 30 minutes
    python -m tests.clients.torch_npu.samples --most 1    # one sample for each operator and data type

`torch.testing._internal.common_methods_invocations.op_db` lists about 680 operators, with arguments to call them with.
`worker` runs in the Python that has torch and torch_npu: it calls an operator with the same arguments on both devices,
and writes one line of JSON for each operator and data type. `__main__` starts the workers, restarts one that crashed or
hangs, and writes the table of operators. `outcomes` says what became of a sample, and `table` shows the result.
"""
