// The life cycle of the public HCCL examples: one thread for each device, root information from the first device, a
// communicator, a stream, one operation, and a check of every result.
#include <thread>
#include <vector>

#include "hccl/hccl.h"
#include "sample.h"

static uint32_t ranks;

struct Rank {
    uint32_t number;
    HcclComm comm;
    aclrtStream stream;
};

// Device memory with these values.
static void *put(const std::vector<float> &values)
{
    void *address = nullptr;
    const size_t size = values.size() * sizeof(float);
    const bool there = aclrtMalloc(&address, size, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS;
    return there && aclrtMemcpy(address, size, values.data(), size, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_SUCCESS ? address
                                                                                                              : nullptr;
}

// An operation that is queued in the stream of a rank, and the values that it must leave in `out`.
using Example = int (*)(const Rank &, void *in, void *out, std::vector<float> &expected);
#define QUEUE(call) if (HcclResult result = (call)) return std::printf("%s\n", HcclGetErrorString(result)), 1

static int allReduce(const Rank &r, void *in, void *out, std::vector<float> &expected)
{
    for (uint32_t i = 0; i < ranks; ++i) expected[i] = static_cast<float>(ranks * i);
    QUEUE(HcclAllReduce(in, out, ranks, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, r.comm, r.stream));
    return 0;
}

static int reduce(const Rank &r, void *in, void *out, std::vector<float> &expected)
{
    for (uint32_t i = 0; i < ranks && r.number == 0; ++i) expected[i] = static_cast<float>(ranks * i);
    QUEUE(HcclReduce(in, out, ranks, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, 0, r.comm, r.stream));
    return 0;
}

static int broadcast(const Rank &r, void *, void *out, std::vector<float> &expected)
{
    void *own = put(std::vector<float>(ranks, static_cast<float>(r.number + 7)));
    expected.assign(ranks, 8);
    QUEUE(HcclBroadcast(own, ranks, HCCL_DATA_TYPE_FP32, 1, r.comm, r.stream));
    CHECK(aclrtMemcpyAsync(out, ranks * 4, own, ranks * 4, ACL_MEMCPY_DEVICE_TO_DEVICE, r.stream));
    CHECK(aclrtSynchronizeStream(r.stream));
    CHECK(aclrtFree(own));
    return 0;
}

static int allGather(const Rank &r, void *in, void *out, std::vector<float> &expected)
{
    for (uint32_t i = 0; i < ranks; ++i) expected[i] = static_cast<float>(i);
    QUEUE(HcclAllGather(static_cast<float *>(in) + r.number, out, 1, HCCL_DATA_TYPE_FP32, r.comm, r.stream));
    return 0;
}

static int reduceScatter(const Rank &r, void *in, void *out, std::vector<float> &expected)
{
    expected[0] = static_cast<float>(ranks * r.number);
    QUEUE(HcclReduceScatter(in, out, 1, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, r.comm, r.stream));
    return 0;
}

static int scatter(const Rank &r, void *in, void *out, std::vector<float> &expected)
{
    expected[0] = static_cast<float>(r.number);
    QUEUE(HcclScatter(r.number == 0 ? in : nullptr, out, 1, HCCL_DATA_TYPE_FP32, 0, r.comm, r.stream));
    return 0;
}

static int allToAll(const Rank &r, void *in, void *out, std::vector<float> &expected)
{
    expected.assign(ranks, static_cast<float>(r.number));
    QUEUE(HcclAlltoAll(in, 1, HCCL_DATA_TYPE_FP32, out, 1, HCCL_DATA_TYPE_FP32, r.comm, r.stream));
    return 0;
}

static int allToAllV(const Rank &r, void *in, void *out, std::vector<float> &expected)
{
    std::vector<uint64_t> ones(ranks, 1), places, turned;
    for (uint32_t i = 0; i < ranks; ++i) {
        places.push_back(i);
        turned.push_back(ranks - 1 - i);
    }
    expected.assign(ranks, static_cast<float>(r.number));
    QUEUE(HcclAlltoAllV(in, ones.data(), places.data(), HCCL_DATA_TYPE_FP32, out, ones.data(), turned.data(),
                        HCCL_DATA_TYPE_FP32, r.comm, r.stream));
    return 0;
}

static int allToAllVC(const Rank &r, void *in, void *out, std::vector<float> &expected)
{
    std::vector<uint64_t> matrix(ranks * ranks, 0);  // rank i sends one element to rank i + 1
    for (uint32_t i = 0; i < ranks; ++i) matrix[i * ranks + (i + 1) % ranks] = 1;
    expected[0] = 0;
    QUEUE(HcclAlltoAllVC(in, matrix.data(), HCCL_DATA_TYPE_FP32, out, HCCL_DATA_TYPE_FP32, r.comm, r.stream));
    return 0;
}

static int sendReceive(const Rank &r, void *in, void *out, std::vector<float> &expected)
{
    const uint32_t peer = r.number ^ 1;  // even ranks send to the odd ones
    if (peer >= ranks) return 0;
    if (r.number % 2 == 0) {
        QUEUE(HcclSend(in, ranks, HCCL_DATA_TYPE_FP32, peer, r.comm, r.stream));
        return 0;
    }
    for (uint32_t i = 0; i < ranks; ++i) expected[i] = static_cast<float>(i);
    QUEUE(HcclRecv(out, ranks, HCCL_DATA_TYPE_FP32, peer, r.comm, r.stream));
    return 0;
}

static int ring(const Rank &r, void *in, void *out, std::vector<float> &expected)
{
    HcclSendRecvItem items[2] = {
        {HCCL_SEND, static_cast<float *>(in) + r.number, 1, HCCL_DATA_TYPE_FP32, (r.number + 1) % ranks},
        {HCCL_RECV, out, 1, HCCL_DATA_TYPE_FP32, (r.number + ranks - 1) % ranks},
    };
    expected[0] = static_cast<float>((r.number + ranks - 1) % ranks);
    QUEUE(HcclBatchSendRecv(items, 2, r.comm, r.stream));
    return 0;
}

static const struct {
    const char *name;
    Example run;
} examples[] = {
    {"AllReduce", allReduce}, {"Reduce", reduce}, {"Broadcast", broadcast}, {"AllGather", allGather},
    {"ReduceScatter", reduceScatter}, {"Scatter", scatter}, {"AlltoAll", allToAll}, {"AlltoAllV", allToAllV},
    {"AlltoAllVC", allToAllVC}, {"Send, Recv", sendReceive}, {"BatchSendRecv", ring},
};

// The life of one rank; 0 if every result is right.
static int life(uint32_t number, const HcclRootInfo *root, Example example)
{
    CHECK(aclrtSetDevice(static_cast<int32_t>(number)));
    Rank rank = {number, nullptr, nullptr};
    std::vector<float> send(ranks), found(ranks, -1), expected(ranks, -1);
    for (uint32_t i = 0; i < ranks; ++i) send[i] = static_cast<float>(i);
    void *in = put(send), *out = put(found);
    QUEUE(HcclCommInitRootInfo(ranks, root, number, &rank.comm));
    CHECK(aclrtCreateStream(&rank.stream));
    if (int failed = example(rank, in, out, expected)) return failed;
    CHECK(aclrtSynchronizeStream(rank.stream));
    CHECK(aclrtMemcpy(found.data(), ranks * 4, out, ranks * 4, ACL_MEMCPY_DEVICE_TO_HOST));
    QUEUE(HcclCommDestroy(rank.comm));
    CHECK(aclrtFree(in));
    CHECK(aclrtFree(out));
    CHECK(aclrtDestroyStream(rank.stream));
    CHECK(aclrtResetDevice(static_cast<int32_t>(number)));
    return found == expected ? 0 : std::printf("rank %u: got %g, expected %g\n", number, found[0], expected[0]);
}

// Rank 1 makes its communicator, and its thread ends: rank 0 waits for it in vain.
static int ended()
{
    HcclRootInfo root;
    CHECK(aclrtSetDevice(0));
    QUEUE(HcclGetRootInfo(&root));
    HcclComm comms[2];
    std::thread other([&root, &comms] {
        aclrtSetDevice(1);
        HcclCommInitRootInfo(2, &root, 1, &comms[1]);
    });
    QUEUE(HcclCommInitRootInfo(2, &root, 0, &comms[0]));
    other.join();
    aclrtStream stream = nullptr;
    CHECK(aclrtCreateStream(&stream));
    QUEUE(HcclBarrier(comms[0], stream));
    std::printf("%d\n", aclrtSynchronizeStream(stream));
    return 0;
}

int main(int argc, char **)
{
    if (argc > 1) return ended();
    CHECK(aclInit(nullptr));
    CHECK(aclrtGetDeviceCount(&ranks));
    for (const auto &example : examples) {
        CHECK(aclrtSetDevice(0));
        void *root = nullptr;
        CHECK(aclrtMallocHost(&root, sizeof(HcclRootInfo)));
        QUEUE(HcclGetRootInfo(static_cast<HcclRootInfo *>(root)));
        std::vector<int> results(ranks, -1);
        std::vector<std::thread> threads;
        for (uint32_t number = 0; number < ranks; ++number)
            threads.emplace_back([&results, number, root, &example] {
                results[number] = life(number, static_cast<HcclRootInfo *>(root), example.run);
            });
        for (auto &thread : threads) thread.join();
        CHECK(aclrtFreeHost(root));
        CHECK(aclrtResetDevice(0));
        std::printf("%s: %s\n", example.name, results == std::vector<int>(ranks, 0) ? "right" : "wrong");
    }
    CHECK(aclFinalize());
    return 0;
}
