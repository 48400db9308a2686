// Descriptors, in ways that the library serves without Python and in ways that it leaves to Python. The argument names
// the case. The output has to be the same with ACL_EMULATOR_FAST_CALLS=0.
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "acl/acl.h"
#include "aclnn_emulator.h"
#include "aclnnop/aclnn_add.h"

static aclrtStream stream;
static void *memory;

static aclTensor *Tensor(int64_t stride = 1, int64_t offset = 0, void *at = memory)
{
    const int64_t shape[] = {8}, strides[] = {stride};
    return aclCreateTensor(shape, 1, ACL_FLOAT, strides, offset, ACL_FORMAT_ND, shape, 1, at);
}

static aclScalar *Scalar(float value = 1) { return aclCreateScalar(&value, ACL_FLOAT); }

static void Shown(const char *what, int status) { std::printf("%s %d\n", what, status); }

static int First(aclTensor *one, aclTensor *other, aclScalar *alpha, aclTensor *out, aclOpExecutor **executor)
{
    uint64_t size = 7;
    int status = aclnnAddGetWorkspaceSize(one, other, alpha, out, &size, executor);
    std::printf("first phase %d, size %d\n", status, static_cast<int>(size));
    return status;
}

static void Add(aclTensor *one, aclTensor *other, aclScalar *alpha, aclTensor *out)
{
    aclOpExecutor *executor = nullptr;
    if (First(one, other, alpha, out, &executor) == 0)
        Shown("second phase", aclnnAdd(nullptr, 0, executor, stream));
}

static void Begin()
{
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtCreateStream(&stream);
    aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemset(memory, 64, 0, 64);
}

static void End()
{
    aclrtSynchronizeStream(stream);
    aclrtFree(memory);
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    aclFinalize();
}

static void Launches()
{
    for (int i = 0; i < 5; ++i) {
        aclTensor *one = Tensor(), *other = Tensor();
        aclScalar *alpha = Scalar(static_cast<float>(i % 3));
        Add(one, other, alpha, one);
        aclDestroyTensor(one), aclDestroyTensor(other), aclDestroyScalar(alpha);
    }
    float values[8];
    aclrtMemcpy(values, 32, memory, 32, ACL_MEMCPY_DEVICE_TO_HOST);
    for (float value : values)
        std::printf("%g\n", static_cast<double>(value));
}

static void Dead()
{
    aclTensor *one = Tensor(), *other = Tensor(), *out = Tensor();
    aclScalar *alpha = Scalar();
    Shown("destroy", aclDestroyTensor(one));
    Shown("destroy again", aclDestroyTensor(one));
    Add(one, other, alpha, out);
    Add(out, other, alpha, reinterpret_cast<aclTensor *>(alpha));
    Shown("another kind", aclDestroyTensor(reinterpret_cast<aclTensor *>(alpha)));
    Shown("no handle", aclDestroyTensor(reinterpret_cast<aclTensor *>(64)));
    Shown("null", aclDestroyTensor(nullptr));
    int64_t *shape = nullptr;
    uint64_t count = 0;
    Shown("query", aclGetViewShape(one, &shape, &count));
}

static void Refused()
{
    const int64_t shape[] = {8};
    const auto *bad = reinterpret_cast<const int64_t *>(0x10);
    for (const int64_t *each : {bad, static_cast<const int64_t *>(nullptr)})
        std::printf("%d\n", aclCreateTensor(each, 1, ACL_FLOAT, shape, 0, ACL_FORMAT_ND, shape, 1, memory) == nullptr);
    std::printf("%d\n", Tensor(-1) == nullptr);
    std::printf("%d\n", Tensor(1, -3) == nullptr);
    std::printf("%d\n", aclCreateScalar(nullptr, ACL_FLOAT) == nullptr);
    std::printf("%d\n", aclCreateScalar(reinterpret_cast<void *>(0x10), ACL_FLOAT) == nullptr);
    float value = 1;
    std::printf("%d\n", aclCreateScalar(&value, static_cast<aclDataType>(33)) == nullptr);
    std::printf("%d\n", aclCreateIntArray(bad, 3) == nullptr);
}

static void Values()
{
    const int64_t numbers[] = {1, -2, 3};
    const float reals[] = {0.5f, -0.0f};
    const bool truths[] = {true, false, true};
    aclIntArray *ints = aclCreateIntArray(numbers, 3), *none = aclCreateIntArray(nullptr, 3);
    aclFloatArray *floats = aclCreateFloatArray(reals, 2);
    aclBoolArray *bools = aclCreateBoolArray(truths, 3);
    aclTensor *members[] = {Tensor(), nullptr, Tensor()};
    aclScalar *scalars[] = {Scalar(), Scalar(2)};
    aclTensorList *tensors = aclCreateTensorList(members, 3);
    aclScalarList *list = aclCreateScalarList(scalars, 2);
    uint64_t size = 0;
    for (int status : {aclGetIntArraySize(ints, &size), aclGetIntArraySize(none, &size),
                       aclGetFloatArraySize(floats, &size), aclGetBoolArraySize(bools, &size),
                       aclGetTensorListSize(tensors, &size), aclGetScalarListSize(list, &size)})
        std::printf("%d %d\n", status, static_cast<int>(size));
    Shown("list", aclDestroyTensorList(tensors));
    Shown("its member", aclDestroyTensor(members[0]));
    Shown("a member first", aclDestroyScalar(scalars[1]));
    Shown("then the list", aclDestroyScalarList(list));
    Shown("ints", aclDestroyIntArray(ints) + aclDestroyFloatArray(floats) + aclDestroyBoolArray(bools));
}

static void Leaks()
{
    for (int i = 0; i < 3; ++i)
        Tensor();
    aclTensor *members[] = {Tensor(), Tensor()};
    aclCreateTensorList(members, 2);
    Scalar();
    aclTensor *one = Tensor();
    aclOpExecutor *executor = nullptr;
    First(one, one, Scalar(), one, &executor);
    aclrtStream other = nullptr;
    aclrtCreateStream(&other);
}

// An object that Python has changed.
static void Changed()
{
    aclTensor *one = Tensor(), *out = Tensor();
    aclScalar *alpha = Scalar();
    Add(one, one, alpha, out);
    const int64_t shape[] = {4}, strides[] = {2};
    Shown("init", aclInitTensor(one, shape, 1, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, shape, 1, nullptr));
    Add(one, one, alpha, out);
    Shown("address", aclSetRawTensorAddr(out, static_cast<char *>(memory) + 4));
    Add(out, out, alpha, out);
    aclDestroyTensor(one), aclDestroyTensor(out), aclDestroyScalar(alpha);
    Shown("destroy again", aclDestroyTensor(one));
}

static void Failures()
{
    aclTensor *one = Tensor();
    aclnnEmulatorFail("aclCreateTensor", 2, 0);
    aclTensor *two = Tensor(), *three = Tensor(), *four = Tensor();
    std::printf("%d %d %d\n", two == nullptr, three == nullptr, four == nullptr);
    aclDestroyTensor(one), aclDestroyTensor(two), aclDestroyTensor(four);
}

static void Machines()
{
    aclTensor *old = Tensor();
    aclrtFree(memory), aclrtDestroyStream(stream), aclrtResetDevice(0), aclFinalize();
    Shown("reset", aclnnEmulatorReset());
    Begin();
    aclTensor *one = Tensor();
    Shown("old", aclDestroyTensor(old));
    Add(one, one, Scalar(), old);
    Shown("new", aclDestroyTensor(one));
}

static void Threads()
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([i] {
            aclrtSetDevice(0);
            for (int k = 0; k < 2000; ++k) {
                aclTensor *one = Tensor();
                aclTensorList *list = aclCreateTensorList(&one, 1);
                int64_t *shape = nullptr;
                uint64_t count = 0;
                if (k % 50 == i) aclGetViewShape(one, &shape, &count);
                aclDestroyTensorList(list);
            }
            aclrtResetDevice(0);
        });
    for (std::thread &each : threads)
        each.join();
    aclTensor *last = Tensor();
    std::printf("%d\n", aclDestroyTensor(last));
    aclDestroyTensor(last);
}

static void Child()
{
    aclTensor *one = Tensor();
    std::fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        std::printf("%d %d\n", Tensor() == nullptr, aclDestroyTensor(one));
        std::fflush(stdout);
        _exit(0);
    }
    waitpid(child, nullptr, 0);
    Shown("parent", aclDestroyTensor(one));
}

static void LongAgo()
{
    aclTensor *first = Tensor();
    aclDestroyTensor(first);
    for (int i = 0; i < 30000; ++i)
        aclDestroyTensor(Tensor());
    aclDestroyTensor(first);
}

static void Memory()
{
    long before = 0;
    for (int i = 0; i < 300000; ++i) {
        aclDestroyTensor(Tensor());
        if (i % 100000 == 50000) {
            rusage usage;
            getrusage(RUSAGE_SELF, &usage);
            std::printf("%s\n", before == 0 || usage.ru_maxrss - before < 1024 ? "steady" : "growing");
            before = usage.ru_maxrss;
        }
    }
}

int main(int, char **arguments)
{
    const std::map<std::string, std::function<void()>> cases = {
        {"launches", Launches}, {"dead", Dead}, {"refused", Refused}, {"values", Values}, {"leaks", Leaks},
        {"changed", Changed}, {"failures", Failures}, {"machines", Machines}, {"threads", Threads}, {"child", Child},
        {"long-ago", LongAgo}, {"memory", Memory},
    };
    Begin();
    cases.at(arguments[1])();
    End();
    return 0;
}
