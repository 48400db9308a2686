// Built-in operators alone and under dump, profiling and marks.
#include "adding.h"

#include "acl/acl_dump.h"
#include "acl/acl_prof.h"
#include "mstx/ms_tools_ext.h"
#include "profiling/aprof_pub.h"
#include "securec.h"

#include <cstring>
#include <thread>
#include <unistd.h>

static int sum_of(const std::vector<float> &first, const std::vector<float> &second, float alpha)
{
    const Vector x(first), y(second), z(x.size, 0);
    aclrtStream stream = nullptr;
    CHECK(aclrtCreateStream(&stream));
    Operator add = adding(x, y, alpha, z);
    CHECK(add.launch(stream));
    CHECK(aclrtSynchronizeStream(stream));
    z.print();
    CHECK(aclrtDestroyStream(stream));
    return 0;
}

int hello_cann(int, char **)
{
    CHECK(begin());
    CHECK(sum_of({1, 2, 3, 4, 5, 6, 7, 8}, {0.5f, 1, 1.5f, 2, 2.5f, 3, 3.5f, 4}, 1));
    return end();
}

static int weighted_sum() { return sum_of({0, 1, 2, 3, 4, 5, 6, 7}, {1, 1, 1, 2, 2, 2, 3, 3}, 1.2f); }

// Marks and ranges by domain around the operator.
int mstx_with_domain(int, char **)
{
    CHECK(begin());
    mstxDomainHandle_t domain = mstxDomainCreateA("sample");
    mstxDomainMarkA(domain, "before", nullptr);
    const mstxRangeId range = mstxDomainRangeStartA(domain, "add", nullptr);
    CHECK(weighted_sum());
    mstxDomainRangeEnd(domain, range);
    mstxDomainDestroy(domain);
    const mstxRangeId other = mstxRangeStartA("all", nullptr);
    mstxMarkA("after", nullptr);
    mstxRangeEnd(other);
    return end();
}

static int32_t chunks = 0;

static int32_t count_chunk(const acldumpChunk *, int32_t)
{
    ++chunks;
    return 0;
}

static int plain_sum() { return sum_of({0, 1, 2, 3, 4, 5, 7, 8}, {1, 1, 1, 2, 2, 2, 3, 3}, 1); }

// Dump of arguments, a callback for chunks of dumps, and a dump by a file of configuration.
int dumps(int, char **)
{
    CHECK(begin());
    CHECK(aclopStartDumpArgs(ACL_OP_DUMP_OP_AICORE_ARGS, "/tmp"));
    INFO("path: %d", acldumpGetPath(DATA_DUMP) != nullptr);
    CHECK(plain_sum());
    CHECK(aclopStopDumpArgs(ACL_OP_DUMP_OP_AICORE_ARGS));
    CHECK(acldumpRegCallback(count_chunk, 0));
    CHECK(plain_sum());
    acldumpUnregCallback();
    INFO("chunks: %d", chunks);
    std::FILE *file = std::fopen("dump.json", "w");
    CHECK(file == nullptr);
    std::fputs("{\"dump\": {\"dump_path\": \"/tmp\", \"dump_mode\": \"output\", \"dump_op_switch\": \"on\", \"dump_list\": []}}", file);
    std::fclose(file);
    CHECK(aclmdlInitDump());
    CHECK(aclmdlSetDump("dump.json"));
    CHECK(plain_sum());
    CHECK(aclmdlFinalizeDump());
    return end();
}

// Tensors of an operator are saved if the dump of failures is on, which it is not here.
int save_exception_info(int, char **)
{
    char path[256];
    CHECK(begin());
    CHECK(plain_sum());
    CHECK(memset_s(path, sizeof(path), 0, sizeof(path)));
    INFO("path: %d", acldumpGetExceptionInfoPath(path, sizeof(path)));
    const char tensor[1024] = {};
    INFO("saved: %d", acldumpSaveExceptionInfo("sum", "user", reinterpret_cast<const acldumpTensorInfo *>(tensor), 1));
    return end();
}

// A thread reads the records of a subscription until the other end of the pipe is closed.
int subscribe_model(int, char **)
{
    int ends[2] = {};
    size_t bytes = 0;
    CHECK(begin());
    CHECK(pipe(ends));
    std::thread reader([&] {
        char record[64];
        for (ssize_t count; (count = read(ends[0], record, sizeof(record))) > 0;) {
            bytes += static_cast<size_t>(count);
        }
    });
    aclprofSubscribeConfig *config = aclprofCreateSubscribeConfig(1, ACL_AICORE_NONE, &ends[1]);
    CHECK(MsprofSetDeviceIdByGeModelIdx(1, 0));
    INFO("subscribed: %d", aclprofModelSubscribe(1, config));
    CHECK(weighted_sum());
    INFO("unsubscribed: %d", aclprofModelUnSubscribe(1));
    CHECK(aclprofDestroySubscribeConfig(config));
    CHECK(close(ends[1]));
    reader.join();
    CHECK(close(ends[0]));
    INFO("bytes: %zu", bytes);
    return end();
}

static void *stamp_of(const char *message)
{
    void *stamp = aclprofCreateStamp();
    aclprofSetStampTraceMessage(stamp, message, static_cast<uint32_t>(std::strlen(message)));
    return stamp;
}

// Ranges of stamps: of the stack and of threads.
static int mark_ranges(aclrtStream stream)
{
    uint32_t range = 0;
    void *outer = stamp_of("outer"), *inner = stamp_of("inner");
    INFO("stamps: %d", outer != nullptr && inner != nullptr);
    CHECK(aclprofPush(outer));
    CHECK(aclprofRangeStart(inner, &range));
    CHECK(aclprofMark(inner));
    CHECK(aclprofMarkEx("model", 5, stream));
    CHECK(aclrtSynchronizeStream(stream));
    CHECK(aclprofRangeStop(range));
    CHECK(aclprofPop());
    aclprofDestroyStamp(inner);
    aclprofDestroyStamp(outer);
    return 0;
}

// A configuration from its creation to its end, with an operator and with marks while the profiling runs.
int profiling(int, char **)
{
    const char *path = "./profiling", *frequency = "50";
    uint32_t devices[1] = {0};
    aclrtStream stream = nullptr;
    CHECK(begin());
    CHECK(aclrtCreateStream(&stream));
    CHECK(aclprofInit(path, std::strlen(path)));
    CHECK(aclprofSetConfig(ACL_PROF_SYS_HARDWARE_MEM_FREQ, frequency, std::strlen(frequency)));
    aclprofConfig *config =
        aclprofCreateConfig(devices, 1, ACL_AICORE_PIPE_UTILIZATION, nullptr, ACL_PROF_ACL_API | ACL_PROF_TASK_TIME | ACL_PROF_MSPROFTX);
    CHECK(config == nullptr);
    CHECK(aclprofStart(config));
    CHECK(weighted_sum());
    CHECK(mark_ranges(stream));
    CHECK(aclprofStop(config));
    CHECK(aclprofDestroyConfig(config));
    CHECK(aclprofFinalize());
    CHECK(aclrtDestroyStream(stream));
    return end();
}
