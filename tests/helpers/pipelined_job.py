"""A typical job for a device: pinned operands, asynchronous copies, an operator."""

from dataclasses import dataclass

import numpy as np

from acl_runtime import *
from aclnn import *
from tests.helpers.builders import malloc, plan
from tests.helpers.creating import pinned
from tests.helpers.outcomes import ok

SHAPE = (16, 8)
SIZE = 4 * 16 * 8


@dataclass
class Job:
    """A SoftmaxBackward in one stream: copy the operands from pinned memory, compute, copy the result back to it."""

    seed: int

    def __post_init__(self) -> None:
        chosen = np.random.default_rng(self.seed)
        grad, output = chosen.random(SHAPE, np.float32), chosen.random(SHAPE, np.float32)
        self.expected = (grad - (grad * output).sum(1, keepdims=True)) * output
        self.hosts = [pinned(array.reshape(-1)) for array in (grad, output, np.zeros(SHAPE, np.float32))]
        self.devices = [malloc(SIZE) for _ in range(3)]
        self.workspace = 0

    def launch(self, stream: aclrtStream) -> None:
        """Copy in, compute, copy out; nothing waits."""
        for (host, _), device in zip(self.hosts[:2], self.devices, strict=False):
            ok(aclrtMemcpyAsync(device, SIZE, host, SIZE, ACL_MEMCPY_HOST_TO_DEVICE, stream))
        tensors = [
            aclCreateTensor(SHAPE, 2, ACL_FLOAT, None, 0, ACL_FORMAT_ND, SHAPE, 2, device) for device in self.devices
        ]
        planned = plan(aclnnSoftmaxBackwardGetWorkspaceSize, tensors[0], tensors[1], 1, tensors[2])
        assert planned.status == ACL_SUCCESS, planned.text
        self.workspace = malloc(planned.workspace_size) if planned.workspace_size else 0
        ok(aclnnSoftmaxBackward(self.workspace, planned.workspace_size, planned.executor, stream))
        for tensor in tensors:
            ok(aclDestroyTensor(tensor))
        ok(aclrtMemcpyAsync(self.hosts[2][0], SIZE, self.devices[2], SIZE, ACL_MEMCPY_DEVICE_TO_HOST, stream))

    def check(self) -> None:
        """Compare the result. Call it after a wait for the work."""
        np.testing.assert_allclose(self.hosts[2][1].reshape(SHAPE), self.expected, rtol=1e-4, atol=1e-5)

    def free(self) -> None:
        for device in (*self.devices, self.workspace):
            if device:
                ok(aclrtFree(device))
        for host, _ in self.hosts:
            ok(aclrtFreeHost(host))
