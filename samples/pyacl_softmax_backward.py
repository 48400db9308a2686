"""A sample of aclnnSoftmaxBackward in Python: pyACL for the runtime, ctypes for the operator library.

It is ours, with the numbers of the document of the operator. It runs unchanged where CANN is installed. Here:

    aclnn run --pyacl samples/pyacl_softmax_backward.py
"""

import ctypes
import struct
import sys

import acl

# pyACL defines no constants
ACL_SUCCESS = 0
ACL_ERROR_REPEAT_INITIALIZE = 100002
ACL_MEM_MALLOC_HUGE_FIRST = 0
ACL_MEMCPY_HOST_TO_DEVICE = 1
ACL_MEMCPY_DEVICE_TO_HOST = 2
ACL_FLOAT = 0
ACL_FORMAT_ND = 2

nnopbase = ctypes.CDLL("libnnopbase.so", mode=ctypes.RTLD_GLOBAL)
opapi = ctypes.CDLL("libopapi.so")

Int64s = ctypes.POINTER(ctypes.c_int64)
nnopbase.aclCreateTensor.restype = ctypes.c_void_p  # otherwise ctypes assumes a 32-bit int
nnopbase.aclCreateTensor.argtypes = [
    Int64s, ctypes.c_uint64, ctypes.c_int32, Int64s, ctypes.c_int64, ctypes.c_int32, Int64s, ctypes.c_uint64,
    ctypes.c_void_p,
]  # fmt: skip
nnopbase.aclDestroyTensor.argtypes = [ctypes.c_void_p]
opapi.aclnnSoftmaxBackwardGetWorkspaceSize.argtypes = [
    ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p, ctypes.POINTER(ctypes.c_uint64),
    ctypes.POINTER(ctypes.c_void_p),
]  # fmt: skip
opapi.aclnnSoftmaxBackward.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_void_p]


def check(name, ret):
    if ret != ACL_SUCCESS:
        raise RuntimeError(f"{name} failed, ret={ret}: {acl.get_recent_err_msg()}")


def create_tensor(values, shape):
    """A tensor on the device: its handle and its address."""
    host = struct.pack(f"{len(values)}f", *values)
    device, ret = acl.rt.malloc(len(host), ACL_MEM_MALLOC_HUGE_FIRST)
    check("acl.rt.malloc", ret)
    ret = acl.rt.memcpy(device, len(host), acl.util.bytes_to_ptr(host), len(host), ACL_MEMCPY_HOST_TO_DEVICE)
    check("acl.rt.memcpy", ret)
    strides = [1] * len(shape)
    for i in range(len(shape) - 2, -1, -1):
        strides[i] = shape[i + 1] * strides[i + 1]
    dims = (ctypes.c_int64 * len(shape))(*shape)
    steps = (ctypes.c_int64 * len(shape))(*strides)
    tensor = nnopbase.aclCreateTensor(dims, len(shape), ACL_FLOAT, steps, 0, ACL_FORMAT_ND, dims, len(shape), device)
    if not tensor:
        raise RuntimeError(f"aclCreateTensor failed: {acl.get_recent_err_msg()}")
    return tensor, device


def main():
    device_id = 0
    ret = acl.init()
    if ret != ACL_ERROR_REPEAT_INITIALIZE:
        check("acl.init", ret)
    check("acl.rt.set_device", acl.rt.set_device(device_id))
    stream, ret = acl.rt.create_stream()
    check("acl.rt.create_stream", ret)

    shape = [4, 2]
    grad_output, grad_output_device = create_tensor([0, 1, 2, 3, 4, 5, 6, 7], shape)
    output, output_device = create_tensor([1, 1, 1, 2, 2, 2, 3, 3], shape)
    out, out_device = create_tensor([0] * 8, shape)

    workspace_size = ctypes.c_uint64(0)
    executor = ctypes.c_void_p()
    ret = opapi.aclnnSoftmaxBackwardGetWorkspaceSize(
        grad_output, output, 0, out, ctypes.byref(workspace_size), ctypes.byref(executor)
    )
    check("aclnnSoftmaxBackwardGetWorkspaceSize", ret)
    workspace = 0
    if workspace_size.value > 0:
        workspace, ret = acl.rt.malloc(workspace_size.value, ACL_MEM_MALLOC_HUGE_FIRST)
        check("acl.rt.malloc", ret)
    ret = opapi.aclnnSoftmaxBackward(workspace, workspace_size.value, executor, stream)
    check("aclnnSoftmaxBackward", ret)
    check("acl.rt.synchronize_stream", acl.rt.synchronize_stream(stream))

    size = 8 * 4
    result, ret = acl.rt.malloc_host(size)
    check("acl.rt.malloc_host", ret)
    check("acl.rt.memcpy", acl.rt.memcpy(result, size, out_device, size, ACL_MEMCPY_DEVICE_TO_HOST))
    for i, value in enumerate(struct.unpack("8f", acl.util.ptr_to_bytes(result, size))):
        print(f"result[{i}] is: {value:f}")

    for tensor in (grad_output, output, out):
        nnopbase.aclDestroyTensor(tensor)
    for device in (grad_output_device, output_device, out_device):
        check("acl.rt.free", acl.rt.free(device))
    if workspace:
        check("acl.rt.free", acl.rt.free(workspace))
    check("acl.rt.free_host", acl.rt.free_host(result))
    check("acl.rt.destroy_stream", acl.rt.destroy_stream(stream))
    check("acl.rt.reset_device", acl.rt.reset_device(device_id))
    check("acl.finalize", acl.finalize())
    return 0


if __name__ == "__main__":
    sys.exit(main())
