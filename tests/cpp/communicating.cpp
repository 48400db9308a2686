// An operator that communicates, in the manner of the public examples: HcclCommInitAll, the name of each communicator, and
// a thread for each device. The operator is launched, and then captured and executed three times.
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "aclnnop/aclnn_matmul_all_reduce.h"
#include "hccl/hccl.h"
#include "sample.h"

constexpr int64_t INNER = 256, COLUMNS = 2;
constexpr uint16_t ONE = 0x3C00, TWO = 0x4000, SUM = 0x6200;  // FLOAT16: 1, 2 and 256 * (1 + 2) = 768

struct Half {
    void *address = nullptr;
    aclTensor *tensor = nullptr;
};

static int make(std::vector<int64_t> shape, uint16_t value, Half *half)
{
    std::vector<uint16_t> values(static_cast<size_t>(sizeOf(shape)), value);
    const size_t size = values.size() * sizeof(uint16_t);
    CHECK(aclrtMalloc(&half->address, size, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMemcpy(half->address, size, values.data(), size, ACL_MEMCPY_HOST_TO_DEVICE));
    half->tensor = aclCreateTensor(shape.data(), shape.size(), ACL_FLOAT16, nullptr, 0, ACL_FORMAT_ND, shape.data(),
                                   shape.size(), half->address);
    return 0;
}

static int checked(const Half &output, aclrtStream stream)
{
    uint16_t values[COLUMNS] = {};
    CHECK(aclrtSynchronizeStream(stream));
    CHECK(aclrtMemcpy(values, sizeof values, output.address, sizeof values, ACL_MEMCPY_DEVICE_TO_HOST));
    for (const uint16_t value : values) {
        if (value != SUM) return std::printf("%#x is not %#x\n", value, SUM), 1;
    }
    CHECK(aclrtMemset(output.address, sizeof values, 0, sizeof values));
    return 0;
}

static int launch(const Half &x1, const Half &x2, const Half &output, const char *group, aclrtStream stream,
                  void **workspace)
{
    uint64_t size = 0;
    aclOpExecutor *executor = nullptr;
    CHECK(aclnnMatmulAllReduceGetWorkspaceSize(x1.tensor, x2.tensor, nullptr, group, "sum", 0, 1, output.tensor, &size,
                                               &executor));
    if (size) CHECK(aclrtMalloc(workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclnnMatmulAllReduce(*workspace, size, executor, stream));
    return 0;
}

static int work(int device, HcclComm comm)
{
    CHECK(aclrtSetDevice(device));
    aclrtStream stream = nullptr;
    CHECK(aclrtCreateStream(&stream));
    char group[COMM_NAME_MAX_LENGTH] = {};
    if (HcclGetCommName(comm, group) != HCCL_SUCCESS) return 1;
    Half x1, x2, output;
    if (make({1, INNER}, device ? TWO : ONE, &x1) || make({INNER, COLUMNS}, ONE, &x2) || make({1, COLUMNS}, 0, &output))
        return 1;
    void *workspaces[2] = {};
    if (launch(x1, x2, output, group, stream, &workspaces[0]) || checked(output, stream)) return 1;
    CHECK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
    if (launch(x1, x2, output, group, stream, &workspaces[1])) return 1;
    aclmdlRI model = nullptr;
    CHECK(aclmdlRICaptureEnd(stream, &model));
    for (int i = 0; i < 3; ++i) {
        CHECK(aclmdlRIExecuteAsync(model, stream));
        if (checked(output, stream)) return 1;
    }
    CHECK(aclmdlRIDestroy(model));
    for (const Half &each : {x1, x2, output}) {
        CHECK(aclDestroyTensor(each.tensor));
        CHECK(aclrtFree(each.address));
    }
    for (void *workspace : workspaces) {
        if (workspace) CHECK(aclrtFree(workspace));
    }
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(device));
    return 0;
}

int main()
{
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    int32_t devices[] = {0, 1};
    HcclComm comms[2] = {};
    if (HcclCommInitAll(2, devices, comms) != HCCL_SUCCESS) return 1;
    int results[2] = {};
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i) threads.emplace_back([&, i] { results[i] = work(i, comms[i]); });
    for (std::thread &each : threads) each.join();
    for (int i = 0; i < 2; ++i) {
        std::printf("rank %d: %s\n", i, results[i] ? "wrong" : "right");
        HcclCommDestroy(comms[i]);
    }
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return results[0] || results[1];
}
