// Calls timed from C++; tests/benchmarks/bridge.py times the same ones from Python.
#include <algorithm>
#include <chrono>

#include "acl/acl.h"
#include "aclnnop/aclnn_softmax_backward.h"

template <typename F> static void Time(const char *name, int many, F call)
{
    double best = 1e9;
    for (int round = 0; round < 9; ++round) {
        auto begin = std::chrono::steady_clock::now();
        for (int i = 0; i < many; ++i) {
            call();
        }
        std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
        best = std::min(best, took.count() / many);
    }
    printf("%s %.9f\n", name, best);
}

int main()
{
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtStream stream = nullptr;
    aclrtCreateStream(&stream);
    int64_t shape[] = {4, 2}, strides[] = {2, 1};
    float values[] = {1, 2, 3, 4, 5, 6, 7, 8};
    void *memory[3];
    aclTensor *tensors[3];
    for (int i = 0; i < 3; ++i) {
        aclrtMalloc(&memory[i], sizeof values, ACL_MEM_MALLOC_HUGE_FIRST);
        aclrtMemcpy(memory[i], sizeof values, values, sizeof values, ACL_MEMCPY_HOST_TO_DEVICE);
        tensors[i] = aclCreateTensor(shape, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, shape, 2, memory[i]);
    }
    int32_t device = 0;
    Time("aclrtGetDevice", 10000, [&] { aclrtGetDevice(&device); });
    Time("aclrtMalloc + aclrtFree", 2000, [&] {
        void *one = nullptr;
        aclrtMalloc(&one, 1024, ACL_MEM_MALLOC_HUGE_FIRST);
        aclrtFree(one);
    });
    Time("aclCreateTensor + aclDestroyTensor", 2000, [&] {
        aclDestroyTensor(aclCreateTensor(shape, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, shape, 2, memory[0]));
    });
    Time("both phases + synchronise", 1000, [&] {
        uint64_t size = 0;
        aclOpExecutor *executor = nullptr;
        aclnnSoftmaxBackwardGetWorkspaceSize(tensors[0], tensors[1], 1, tensors[2], &size, &executor);
        aclnnSoftmaxBackward(nullptr, size, executor, stream);
        aclrtSynchronizeStream(stream);
    });
    for (int i = 0; i < 3; ++i) {
        aclDestroyTensor(tensors[i]);
        aclrtFree(memory[i]);
    }
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    aclFinalize();
    return 0;
}
