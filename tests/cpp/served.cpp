// Descriptors, in ways that the library serves without Python and in ways that it leaves to Python. The argument names
// the case. The output has to be the same with ACL_EMULATOR_FAST_CALLS=0.
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "acl/acl.h"
#include "aclnn_emulator.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_cat.h"
#include "aclnnop/aclnn_clamp.h"
#include "aclnnop/aclnn_embedding_dense_backward.h"
#include "aclnnop/aclnn_permute.h"
#include "aclnnop/aclnn_pow.h"
#include "aclnnop/aclnn_softmax_backward.h"

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

static char *At(int place) { return static_cast<char *>(memory) + place; }

static aclTensor *Matrix(std::vector<int64_t> shape, char *at, std::vector<int64_t> strides = {})
{
    if (strides.empty()) strides = {shape[1], 1};
    const int64_t storage[] = {shape[0] * shape[1]};
    return aclCreateTensor(shape.data(), 2, ACL_FLOAT, strides.data(), 0, ACL_FORMAT_ND, storage, 1, at);
}

using Second = int (*)(void *, uint64_t, aclOpExecutor *, aclrtStream);

// The second phase, and the first floats of the result.
static void Run(int status, uint64_t size, aclOpExecutor *executor, Second second, char *out)
{
    void *workspace = nullptr;
    if (size > 0) aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST);
    std::printf("%d %d", status, status == 0 ? second(workspace, size, executor, stream) : -1);
    float values[6] = {};
    Shown(" synchronise", aclrtSynchronizeStream(stream));
    aclrtMemcpy(values, sizeof values, out, sizeof values, ACL_MEMCPY_DEVICE_TO_HOST);
    for (float value : values)
        std::printf("%g ", static_cast<double>(value));
    std::printf("size %d\n", static_cast<int>(size));
    if (workspace != nullptr) aclrtFree(workspace);
}

// Calls that are alike but for one thing each, three times: the first ones are planned, the others find their plans.
static void Plans()
{
    void *own = memory;
    aclrtMalloc(&memory, 1024, ACL_MEM_MALLOC_HUGE_FIRST);
    const float numbers[] = {1, 2, 3, 4, 5, 6};
    for (int at : {0, 32, 64, 96, 128, 160})
        aclrtMemcpy(At(at), 24, numbers, 24, ACL_MEMCPY_HOST_TO_DEVICE);
    uint64_t size = 0;
    aclOpExecutor *executor = nullptr;
    for (int turn = 0; turn < 3; ++turn) {
        for (int same : {0, 1}) {
            aclTensor *one = Matrix({2, 3}, At(0)), *other = same ? one : Matrix({2, 3}, At(32), {1, 2});
            aclTensor *out = Matrix({2, 3}, At(64));
            aclScalar *alpha = Scalar(static_cast<float>(turn + 1));
            int status = aclnnAddGetWorkspaceSize(one, other, alpha, out, &size, &executor);
            Run(status, size, executor, aclnnAdd, At(64));
            aclDestroyTensor(one), aclDestroyTensor(out), aclDestroyScalar(alpha);
            if (!same) aclDestroyTensor(other);
        }
        for (float exponent : {2.0f, 0.0f, 3.0f, -0.0f}) {
            aclTensor *one = Matrix({2, 3}, At(0)), *out = Matrix({2, 3}, At(64));
            aclScalar *power = Scalar(exponent);
            int status = aclnnPowTensorScalarGetWorkspaceSize(one, power, out, &size, &executor);
            Run(status, size, executor, aclnnPowTensorScalar, At(64));
            aclDestroyTensor(one), aclDestroyTensor(out), aclDestroyScalar(power);
        }
        for (std::vector<int64_t> order : {std::vector<int64_t>{1, 0}, {0, 1}, {-1, -2}, {0, 0}}) {
            aclIntArray *dims = aclCreateIntArray(order.data(), 2);
            aclTensor *one = Matrix({2, 3}, At(0)), *out = order[0] == 0 ? Matrix({2, 3}, At(64)) : Matrix({3, 2}, At(64));
            int status = aclnnPermuteGetWorkspaceSize(one, dims, out, &size, &executor);
            Run(status, size, executor, aclnnPermute, At(64));
            aclDestroyTensor(one), aclDestroyTensor(out), aclDestroyIntArray(dims);
        }
        for (int64_t dim : {0, 1}) {
            aclTensor *members[] = {Matrix({1, 3}, At(0)), Matrix({1, 3}, At(32))};
            aclTensorList *list = aclCreateTensorList(members, 2);
            aclTensor *out = dim == 0 ? Matrix({2, 3}, At(64)) : Matrix({1, 6}, At(64));
            int status = aclnnCatGetWorkspaceSize(list, dim, out, &size, &executor);
            Run(status, size, executor, aclnnCat, At(64));
            aclDestroyTensorList(list), aclDestroyTensor(out);
        }
        for (int with : {0, 1, 2}) {
            aclTensor *one = Matrix({2, 3}, At(0)), *out = Matrix({2, 3}, At(64));
            aclScalar *low = with == 1 ? nullptr : Scalar(2), *high = with == 2 ? nullptr : Scalar(5);
            int status = aclnnClampGetWorkspaceSize(one, low, high, out, &size, &executor);
            Run(status, size, executor, aclnnClamp, At(64));
            aclDestroyTensor(one), aclDestroyTensor(out), aclDestroyScalar(low), aclDestroyScalar(high);
        }
        for (int64_t dim : {0, 1, 7}) {
            aclTensor *one = Matrix({2, 3}, At(0)), *other = Matrix({2, 3}, At(32)), *out = Matrix({2, 3}, At(64));
            int status = aclnnSoftmaxBackwardGetWorkspaceSize(one, other, dim, out, &size, &executor);
            Run(status, size, executor, aclnnSoftmaxBackward, At(64));
            aclDestroyTensor(one), aclDestroyTensor(other), aclDestroyTensor(out);
        }
        Shown("null", aclnnSoftmaxBackwardGetWorkspaceSize(nullptr, nullptr, 0, nullptr, &size, &executor));
        Shown("no size", aclnnSoftmaxBackwardGetWorkspaceSize(nullptr, nullptr, 0, nullptr, nullptr, &executor));
    }
    aclrtFree(memory);
    memory = own;
}

// A tensor that is changed or destroyed between the phases, and executors that are launched again or never.
static void Between()
{
    for (int what = 0; what < 7; ++what) {
        aclTensor *one = Matrix({1, 4}, At(0)), *other = Matrix({1, 4}, At(16)), *out = Matrix({1, 4}, At(32));
        aclScalar *alpha = Scalar();
        uint64_t size = 0;
        aclOpExecutor *executor = nullptr;
        std::printf("%d: %d\n", what, aclnnAddGetWorkspaceSize(one, other, alpha, out, &size, &executor));
        if (what == 1) Shown("changed", aclSetRawTensorAddr(one, At(16)));
        if (what == 2) Shown("destroyed", aclDestroyTensor(one));
        if (what == 3) Shown("repeatable", aclSetAclOpExecutorRepeatable(executor));
        if (what == 4) Shown("destroyed", aclDestroyScalar(alpha));
        if (what != 5) Shown("launched", aclnnAdd(nullptr, 0, executor, stream));
        if (what == 3) {
            Shown("address", aclSetInputTensorAddr(executor, 0, one, At(32)));
            Shown("launched", aclnnAdd(nullptr, 0, executor, stream));
            Shown("destroyed", aclDestroyTensor(other));
            Shown("launched", aclnnAdd(nullptr, 0, executor, stream));
            Shown("executor", aclDestroyAclOpExecutor(executor));
        }
        if (what == 6) Shown("launched", aclnnAdd(nullptr, 0, executor, stream));
        if (what != 2) aclDestroyTensor(one);
        if (what != 3) aclDestroyTensor(other);
        if (what != 4) aclDestroyScalar(alpha);
        aclDestroyTensor(out);
        Shown("synchronised", aclrtSynchronizeStream(stream));
    }
}

// First phases that were planned before, in a thread that plans none, with other results and after failures.
static void FirstPhases()
{
    aclTensor *one = Tensor(), *two = Matrix({2, 4}, At(0)), *three = Matrix({3, 4}, At(0));
    aclScalar *alpha = Scalar();
    uint64_t size = 0;
    aclOpExecutor *first = nullptr, *second = nullptr, *none = nullptr;
    for (int turn = 0; turn < 3; ++turn) {
        Add(one, one, alpha, one);
        Shown("no size", aclnnAddGetWorkspaceSize(one, one, alpha, one, nullptr, &first));
        Shown("no executor", aclnnAddGetWorkspaceSize(one, one, alpha, one, &size, nullptr));
        Add(one, one, alpha, one);
        First(one, one, alpha, one, &first);
        First(one, one, alpha, one, &second);
        Shown("repeatable", aclSetAclOpExecutorRepeatable(second));
        Shown("repeatable too late", aclSetAclOpExecutorRepeatable(first));
        for (aclOpExecutor *each : {first, second})
            std::printf("%d %d\n", aclnnAdd(nullptr, 0, each, stream), aclDestroyAclOpExecutor(each));
        First(two, three, alpha, one, &none);
        Shown("launched", aclnnAdd(nullptr, 0, none, stream));
        First(one, one, alpha, one, &first);
        Shown("launched", aclnnAdd(nullptr, 0, nullptr, stream));
        Shown("destroyed", aclDestroyAclOpExecutor(first));
        std::thread([&] {
            First(one, one, alpha, one, &none);
            aclrtSetDevice(0);
            for (int i = 0; i < 3; ++i)
                First(one, one, alpha, one, i == 0 ? &first : &second);
        }).join();
        for (aclOpExecutor *each : {first, second})
            Shown("repeatable", aclSetAclOpExecutorRepeatable(each));
        First(one, one, alpha, one, &first);
    }
}

// What else a first phase depends on.
static void Conditions()
{
    aclrtMalloc(&memory, 1024, ACL_MEM_MALLOC_HUGE_FIRST);
    const int64_t count[] = {2}, dense[] = {1};
    aclTensor *gradient = Matrix({2, 3}, At(0)), *out = Matrix({5, 3}, At(256));
    aclTensor *indices = aclCreateTensor(count, 1, ACL_INT64, dense, 0, ACL_FORMAT_ND, count, 1, At(512));
    aclTensor *one = Matrix({2, 3}, At(0));
    uint64_t size = 0;
    aclOpExecutor *executor = nullptr;
    aclrtContext own = nullptr, main = nullptr;
    aclrtGetCurrentContext(&main);
    auto plan = [&] {
        for (int i = 0; i < 3; ++i) {
            int status =
                aclnnEmbeddingDenseBackwardGetWorkspaceSize(gradient, indices, 5, 9, false, out, &size, &executor);
            std::printf("%d, size %d\n", status, static_cast<int>(size));
        }
    };
    for (int turn = 0; turn < 4; ++turn) {
        Shown("option", aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, turn % 2));
        plan();
    }
    aclScalar *alpha = Scalar();
    Add(one, one, alpha, one);
    Shown("context", aclrtCreateContext(&own, 0));
    Shown("option", aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 0));
    plan();
    Shown("context", aclrtSetCurrentContext(main));
    plan();
    Shown("context", aclrtSetCurrentContext(own));
    plan();
    First(one, one, alpha, one, &executor);
    First(one, one, alpha, one, &executor);
    Shown("without a context", aclrtDestroyContext(own));
    First(one, one, alpha, one, &executor);
    Shown("context", aclrtSetCurrentContext(main));
    First(one, one, alpha, one, &executor);
    First(one, one, alpha, one, &executor);
}

// Results that cannot be written end the program. First phases before have made the plan.
static void ReadOnly()
{
    aclTensor *one = Tensor();
    aclScalar *alpha = Scalar();
    for (int turn = 0; turn < 3; ++turn)
        Add(one, one, alpha, one);
    void *page = mmap(reinterpret_cast<void *>(0x7000'0000'0000), 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    aclOpExecutor *executor = nullptr;
    std::fflush(stdout);
    Shown("never", aclnnAddGetWorkspaceSize(one, one, alpha, one, static_cast<uint64_t *>(page), &executor));
}

// More shapes than the library keeps plans.
static void Shapes()
{
    aclScalar *alpha = Scalar();
    void *own = memory;
    aclrtMalloc(&memory, 1 << 14, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemset(memory, 1 << 14, 0, 1 << 14);
    aclOpExecutor *waiting = nullptr;
    for (int64_t turn = 0; turn < 2; ++turn)
        for (int64_t length = 1; length < 2300; ++length) {
            aclTensor *one = Matrix({1, length}, At(0));
            uint64_t size = 0;
            aclOpExecutor *executor = nullptr;
            for (int i = 0; i < 2; ++i) {
                int status = aclnnAddGetWorkspaceSize(one, one, alpha, one, &size, &executor);
                if (status != 0 || size != 0) std::printf("%d: %d\n", static_cast<int>(length), status);
                if (length == 50 && i == 1) waiting = executor;
                else aclDestroyAclOpExecutor(executor);
            }
            if (length != 50) aclDestroyTensor(one);
        }
    Shown("long planned", aclnnAdd(nullptr, 0, waiting, stream));
    aclrtSynchronizeStream(stream), aclrtFree(memory);
    memory = own;
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

static void Forgotten()
{
    aclTensor *other = Tensor();
    aclScalar *alpha = Scalar();
    for (int i = 0; i < 3000; ++i) // descriptors are forgotten together, and these two live on
        aclDestroyTensor(Tensor());
    aclTensor *one = Tensor();
    aclOpExecutor *planned = nullptr, *executor = nullptr;
    First(other, other, alpha, other, &planned); // it has objects, and the next one finds its plan
    First(one, one, alpha, one, &executor);
    Shown("second phase", aclnnAdd(nullptr, 0, planned, stream));
    aclDestroyTensor(one);
    for (int i = 0; i < 30000; ++i)
        aclDestroyTensor(Tensor());
    Shown("launched", aclnnAdd(nullptr, 0, executor, stream));
    aclDestroyTensor(other), aclDestroyScalar(alpha);
}

// Scalars and a list that are destroyed long before the launch. The executor needs them.
static void Kept()
{
    void *workspace = nullptr;
    uint64_t size = 0;
    aclrtMalloc(&workspace, 4096, ACL_MEM_MALLOC_HUGE_FIRST);
    const auto between = [](int count) { // descriptors are forgotten together
        for (int i = 0; i < count; ++i)
            aclDestroyTensor(Tensor());
    };
    for (int turn = 0; turn < 4; ++turn) {
        aclTensor *one = Tensor(), *out = Tensor();
        between(1500);
        aclScalar *low = Scalar(2), *high = Scalar(5);
        between(1500);
        aclOpExecutor *executor = nullptr;
        Shown("first phase", aclnnClampGetWorkspaceSize(one, low, high, out, &size, &executor));
        between(1500);
        aclDestroyScalar(low), aclDestroyScalar(high);
        between(turn < 2 ? 0 : 30000);
        Shown("launched", aclnnClamp(workspace, size, executor, stream));
        float value = 0;
        Shown("synchronised", aclrtSynchronizeStream(stream));
        aclrtMemcpy(&value, sizeof value, memory, sizeof value, ACL_MEMCPY_DEVICE_TO_HOST);
        std::printf("%g\n", static_cast<double>(value));
        aclDestroyTensor(one), aclDestroyTensor(out);
    }
    for (int turn = 0; turn < 4; ++turn) {
        between(1500);
        aclTensor *members[] = {Matrix({1, 4}, At(0)), Matrix({1, 4}, At(16))}, *out = Matrix({2, 4}, At(32));
        aclTensorList *list = aclCreateTensorList(members, 2);
        between(1500);
        aclOpExecutor *executor = nullptr;
        Shown("first phase", aclnnCatGetWorkspaceSize(list, 0, out, &size, &executor));
        between(1500);
        if (turn == 3) aclDestroyTensorList(list), between(30000);
        Shown("launched", aclnnCat(workspace, size, executor, stream));
        Shown("synchronised", aclrtSynchronizeStream(stream));
        if (turn < 3) aclDestroyTensorList(list);
        aclDestroyTensor(out);
    }
    aclrtFree(workspace);
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
        {"changed", Changed}, {"plans", Plans}, {"between", Between}, {"failures", Failures}, {"machines", Machines}, {"threads", Threads}, {"child", Child},
        {"long-ago", LongAgo}, {"forgotten", Forgotten}, {"memory", Memory}, {"kept", Kept}, {"first-phases", FirstPhases},
        {"conditions", Conditions}, {"read-only", ReadOnly}, {"shapes", Shapes},
    };
    Begin();
    cases.at(arguments[1])();
    End();
    return 0;
}
