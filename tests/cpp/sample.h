// The common part of the sample programs: a status check, tensors from vectors, and the frame around an operator.
#pragma once
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"

#define CHECK(call)                                                                              \
    do {                                                                                         \
        const int status_ = (call);                                                              \
        if (status_ != ACL_SUCCESS) {                                                            \
            std::fprintf(stderr, "%s:%d: %s gave %d: %s\n", __FILE__, __LINE__, #call, status_, \
                         aclGetRecentErrMsg());                                                  \
            return status_;                                                                      \
        }                                                                                        \
    } while (0)

struct Tensor {
    std::vector<int64_t> shape;
    void *address = nullptr;
    aclTensor *handle = nullptr;
};

inline aclDataType typeOf(float) { return ACL_FLOAT; }
inline aclDataType typeOf(int64_t) { return ACL_INT64; }

inline int64_t sizeOf(const std::vector<int64_t> &shape)
{
    int64_t size = 1;
    for (const int64_t dim : shape) size *= dim;
    return size;
}

// Device memory with the values of a host vector, and the contiguous tensor over it.
template <typename T>
int create(const std::vector<T> &values, const std::vector<int64_t> &shape, Tensor *tensor)
{
    const size_t bytes = values.size() * sizeof(T);
    tensor->shape = shape;
    CHECK(aclrtMalloc(&tensor->address, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMemcpy(tensor->address, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    std::vector<int64_t> strides(shape.size(), 1);
    for (size_t dim = shape.size(); dim > 1; dim--) strides[dim - 2] = shape[dim - 1] * strides[dim - 1];
    tensor->handle = aclCreateTensor(shape.data(), shape.size(), typeOf(T()), strides.data(), 0, ACL_FORMAT_ND,
                                     shape.data(), shape.size(), tensor->address);
    return tensor->handle == nullptr ? ACL_ERROR_FAILURE : ACL_SUCCESS;
}

inline int print(const char *name, const Tensor &tensor)
{
    std::vector<float> values(static_cast<size_t>(sizeOf(tensor.shape)));
    const size_t bytes = values.size() * sizeof(float);
    CHECK(aclrtMemcpy(values.data(), bytes, tensor.address, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
    for (size_t place = 0; place < values.size(); place++)
        std::printf("%s[%zu] is: %f\n", name, place, static_cast<double>(values[place]));
    return ACL_SUCCESS;
}

inline int release(std::vector<Tensor *> tensors)
{
    for (const Tensor *tensor : tensors) {
        CHECK(aclDestroyTensor(tensor->handle));
        CHECK(aclrtFree(tensor->address));
    }
    return ACL_SUCCESS;
}

inline int begin(int32_t device, aclrtStream *stream)
{
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(device));
    CHECK(aclrtCreateStream(stream));
    return ACL_SUCCESS;
}

// Run the second phase of an operator, with a workspace of the size that the first one returned, and wait for its end.
inline int launch(aclnnStatus (*second)(void *, uint64_t, aclOpExecutor *, aclrtStream), uint64_t workspaceSize,
                  aclOpExecutor *executor, aclrtStream stream)
{
    void *workspace = nullptr;
    if (workspaceSize > 0) CHECK(aclrtMalloc(&workspace, workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(second(workspace, workspaceSize, executor, stream));
    CHECK(aclrtSynchronizeStream(stream));
    if (workspaceSize > 0) CHECK(aclrtFree(workspace));
    return ACL_SUCCESS;
}

inline int end(int32_t device, aclrtStream stream)
{
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(device));
    CHECK(aclFinalize());
    return ACL_SUCCESS;
}
