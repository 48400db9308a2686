// Queries, errors, built-in tasks of the runtime, copies between hosts and devices, and a value that a stream waits for.
#include "programs.h"

#include <dlfcn.h>

int system_info(int, char **)
{
    char package[] = "runtime", version[ACL_PKG_VERSION_MAX_SIZE] = "";
    int32_t number = 0;
    aclrtRunMode mode = ACL_DEVICE;
    CHECK(begin());
    CHECK(aclsysGetVersionStr(package, version));
    CHECK(aclsysGetVersionNum(package, &number));
    CHECK(aclrtGetRunMode(&mode));
    INFO("version: %d %d, run mode: %d", version[0] != '\0', number > 0, mode);
    const aclFloat16 half = aclFloatToFloat16(1.625f);
    INFO("1.625: 0x%x, %.3f", half, aclFloat16ToFloat(half));
    INFO("sizes: %zu %zu %zu", aclDataTypeSize(ACL_FLOAT), aclDataTypeSize(ACL_FLOAT16), aclDataTypeSize(ACL_INT64));
    return end();
}

int error_handling(int, char **)
{
    aclrtErrorInfo details{};
    CHECK(begin());
    const int status = aclrtGetRunMode(nullptr);
    const int peeked = aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), last = aclrtGetLastError(ACL_RT_THREAD_LEVEL);
    INFO("null: %d, peek: %d, last: %d, message: %d", status, peeked, last, aclGetRecentErrMsg() != nullptr);
    CHECK(aclrtGetErrorVerbose(0, &details));
    INFO("error type: %d", static_cast<int>(details.errorType));
    INFO("peek: %d, last: %d, message: %d", aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL),
         aclrtGetLastError(ACL_RT_THREAD_LEVEL), aclGetRecentErrMsg() != nullptr);
    return end();
}

int context_query(int, char **)
{
    aclrtContext context = nullptr;
    aclrtStream stream = nullptr;
    uint32_t cube = 0, vector = 0;
    CHECK(begin());
    CHECK(aclrtGetCurrentContext(&context));
    CHECK(aclrtCtxGetCurrentDefaultStream(&stream));
    CHECK(aclrtGetStreamResLimit(stream, ACL_RT_DEV_RES_CUBE_CORE, &cube));
    CHECK(aclrtGetStreamResLimit(stream, ACL_RT_DEV_RES_VECTOR_CORE, &vector));
    INFO("default stream: %d, cores: %u %u", stream != nullptr, cube, vector);
    return end();
}

int reduce_task(int, char **)
{
    float values[4] = {1, 2, 3, 4};
    void *source = nullptr, *sum = nullptr;
    aclrtStream stream = nullptr;
    CHECK(begin());
    CHECK(aclrtCreateStream(&stream));
    for (void **each : {&source, &sum}) {
        CHECK(aclrtMalloc(each, sizeof(values), ACL_MEM_MALLOC_HUGE_FIRST));
        CHECK(aclrtMemcpy(*each, sizeof(values), values, sizeof(values), ACL_MEMCPY_HOST_TO_DEVICE));
    }
    CHECK(aclrtReduceAsync(sum, source, sizeof(values), ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, stream, nullptr));
    CHECK(aclrtSynchronizeStream(stream));
    CHECK(aclrtMemcpy(values, sizeof(values), sum, sizeof(values), ACL_MEMCPY_DEVICE_TO_HOST));
    INFO("%g %g %g %g", values[0], values[1], values[2], values[3]);
    CHECK(aclrtFree(source));
    CHECK(aclrtFree(sum));
    CHECK(aclrtDestroyStream(stream));
    return end();
}

static int status_of(aclrtStream stream, void *status)
{
    uint8_t bytes[64] = {1};
    CHECK(aclrtGetOverflowStatus(status, sizeof(bytes), stream));
    CHECK(aclrtSynchronizeStream(stream));
    CHECK(aclrtMemcpy(bytes, sizeof(bytes), status, sizeof(bytes), ACL_MEMCPY_DEVICE_TO_HOST));
    return bytes[0];
}

int overflow_detection(int, char **)
{
    aclrtStream stream = nullptr;
    void *status = nullptr;
    aclrtFloatOverflowMode mode = ACL_RT_OVERFLOW_MODE_UNDEF;
    uint32_t detects = 0;
    CHECK(begin());
    CHECK(aclrtCreateStream(&stream));
    CHECK(aclrtMalloc(&status, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_SATURATION));
    CHECK(aclrtGetDeviceSatMode(&mode));
    CHECK(aclrtSetStreamOverflowSwitch(stream, 1));
    CHECK(aclrtGetStreamOverflowSwitch(stream, &detects));
    INFO("mode: %d, switch: %u", static_cast<int>(mode), detects);
    INFO("status: %d", status_of(stream, status));
    CHECK(aclrtResetOverflowStatus(stream));
    INFO("status: %d", status_of(stream, status));
    CHECK(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_INFNAN));
    CHECK(aclrtFree(status));
    CHECK(aclrtDestroyStream(stream));
    return end();
}

int copy_between_hosts(int, char **)
{
    int *source = nullptr, *destination = nullptr;
    CHECK(begin());
    CHECK(aclrtMallocHost(reinterpret_cast<void **>(&source), sizeof(int)));
    CHECK(aclrtMallocHost(reinterpret_cast<void **>(&destination), sizeof(int)));
    *source = 123;
    CHECK(aclrtMemcpy(destination, sizeof(int), source, sizeof(int), ACL_MEMCPY_HOST_TO_HOST));
    INFO("Host data: %d %d", *source, *destination);
    CHECK(aclrtFreeHost(source));
    CHECK(aclrtFreeHost(destination));
    return end();
}

// A stream waits until another one writes a value.
int value_in_memory(int, char **)
{
    CHECK(begin());
    {
        OnDevice<uint64_t> cell(0), seen(0);
        aclrtStream waiting = nullptr, writing = nullptr;
        CHECK(aclrtCreateStream(&waiting));
        CHECK(aclrtCreateStream(&writing));
        CHECK(aclrtValueWait(cell.address, 123, ACL_STREAM_WAIT_VALUE_EQ, waiting));
        CHECK(aclrtMemcpyAsync(seen.address, 8, cell.address, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, waiting));
        CHECK(aclrtValueWrite(cell.address, 123, 0, writing));
        CHECK(aclrtSynchronizeStream(waiting));
        INFO("value: %d", static_cast<int>(seen.value()));
        CHECK(aclrtDestroyStream(waiting));
        CHECK(aclrtDestroyStream(writing));
    }
    return end();
}

int device_p2p(int, char **)
{
    int32_t access = 0;
    void *there = nullptr;
    int result = 0;
    CHECK(begin());
    CHECK(aclrtDeviceCanAccessPeer(&access, 0, 1));
    INFO("peer access: %d", access);
    {
        OnDevice<int> here(103);
        CHECK(aclrtDeviceEnablePeerAccess(1, 0));
        CHECK(aclrtSetDevice(1));
        CHECK(aclrtDeviceEnablePeerAccess(0, 0));
        CHECK(aclrtMalloc(&there, sizeof(int), ACL_MEM_MALLOC_HUGE_FIRST));
        CHECK(aclrtMemcpy(there, sizeof(int), here.address, sizeof(int), ACL_MEMCPY_DEVICE_TO_DEVICE));
        CHECK(aclrtMemcpy(&result, sizeof(int), there, sizeof(int), ACL_MEMCPY_DEVICE_TO_HOST));
        INFO("value: %d", result);
        CHECK(aclrtFree(there));
        CHECK(aclrtDeviceDisablePeerAccess(0));
        CHECK(aclrtResetDeviceForce(1));
        CHECK(aclrtSetDevice(0));
        CHECK(aclrtDeviceDisablePeerAccess(1));
    }
    return end();
}

// The libraries lack the functions of configurations, as those of the products do: the program goes on without them.
int stream_config_query(int, char **)
{
    for (const char *name : {"aclrtCreateStreamConfigHandle", "aclrtSetStreamConfigOpt", "aclrtCreateStreamV2"}) {
        if (dlsym(RTLD_DEFAULT, name) == nullptr) {
            INFO("skipped: no %s", name);
            return 0;
        }
    }
    return 1;
}
