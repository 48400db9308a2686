// Copies between host and device around a kernel, sums of vectors, and a kernel on mapped memory of the host.
#include "programs.h"

#include <thread>
#include <vector>

static const int NUMBER = 123;
static const size_t SIZE = sizeof(int);

struct Buffers {
    int *host = nullptr;
    int *device = nullptr;
    int *other = nullptr;
    aclrtStream stream = nullptr;
};

static int begin(Buffers &all)
{
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&all.stream));
    CHECK(aclrtMallocHost(reinterpret_cast<void **>(&all.host), SIZE));
    CHECK(aclrtMalloc(reinterpret_cast<void **>(&all.device), SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMalloc(reinterpret_cast<void **>(&all.other), SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    *all.host = NUMBER;
    return 0;
}

static int end(Buffers &all)
{
    CHECK(aclrtFreeHost(all.host));
    CHECK(aclrtFree(all.device));
    CHECK(aclrtFree(all.other));
    CHECK(aclrtDestroyStreamForce(all.stream));
    CHECK(aclrtResetDeviceForce(0));
    CHECK(aclFinalize());
    return 0;
}

int copy_to_device(int, char **)
{
    Buffers all;
    CHECK(begin(all));
    INFO("Host data: %d", *all.host);
    CHECK(aclrtMemcpy(all.device, SIZE, all.host, SIZE, ACL_MEMCPY_HOST_TO_DEVICE));
    ReadDo(1, all.stream, all.device);
    CHECK(aclrtSynchronizeStream(all.stream));
    return end(all);
}

int copy_to_device_async(int, char **)
{
    Buffers all;
    CHECK(begin(all));
    INFO("Host data: %d", *all.host);
    CHECK(aclrtMemcpyAsync(all.device, SIZE, all.host, SIZE, ACL_MEMCPY_HOST_TO_DEVICE, all.stream));
    ReadDo(1, all.stream, all.device);
    CHECK(aclrtSynchronizeStream(all.stream));
    return end(all);
}

int copy_to_host(int, char **)
{
    Buffers all;
    CHECK(begin(all));
    *all.host = 0;
    WriteDo(1, all.stream, all.device, NUMBER);
    CHECK(aclrtSynchronizeStream(all.stream));
    CHECK(aclrtMemcpy(all.host, SIZE, all.device, SIZE, ACL_MEMCPY_DEVICE_TO_HOST));
    INFO("Host data: %d", *all.host);
    return end(all);
}

int copy_to_host_async(int, char **)
{
    Buffers all;
    CHECK(begin(all));
    *all.host = 0;
    WriteDo(1, all.stream, all.device, NUMBER);
    CHECK(aclrtMemcpyAsync(all.host, SIZE, all.device, SIZE, ACL_MEMCPY_DEVICE_TO_HOST, all.stream));
    CHECK(aclrtSynchronizeStream(all.stream));
    INFO("Host data: %d", *all.host);
    return end(all);
}

int copy_on_device(int, char **)
{
    Buffers all;
    CHECK(begin(all));
    WriteDo(1, all.stream, all.device, NUMBER);
    CHECK(aclrtSynchronizeStream(all.stream));
    CHECK(aclrtMemcpy(all.other, SIZE, all.device, SIZE, ACL_MEMCPY_DEVICE_TO_DEVICE));
    ReadDo(1, all.stream, all.other);
    CHECK(aclrtSynchronizeStream(all.stream));
    return end(all);
}

int copy_on_device_async(int, char **)
{
    Buffers all;
    CHECK(begin(all));
    WriteDo(1, all.stream, all.device, NUMBER);
    CHECK(aclrtMemcpyAsync(all.other, SIZE, all.device, SIZE, ACL_MEMCPY_DEVICE_TO_DEVICE, all.stream));
    ReadDo(1, all.stream, all.other);
    CHECK(aclrtSynchronizeStream(all.stream));
    return end(all);
}

// The three vectors on the device, and the result of a kernel on them.
template <typename Launch>
static int on_vectors(const std::vector<float> &a, const std::vector<float> &b, std::vector<float> &result, Launch launch)
{
    const size_t size = a.size() * sizeof(float);
    float *x = nullptr, *y = nullptr, *z = nullptr;
    aclrtStream stream = nullptr;
    for (float **each : {&x, &y, &z}) {
        CHECK(aclrtMalloc(reinterpret_cast<void **>(each), size, ACL_MEM_MALLOC_HUGE_FIRST));
    }
    CHECK(aclrtCreateStream(&stream));
    CHECK(aclrtMemcpy(x, size, a.data(), size, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK(aclrtMemcpy(y, size, b.data(), size, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK(launch(stream, x, y, z, static_cast<uint32_t>(a.size())));
    CHECK(aclrtSynchronizeStream(stream));
    CHECK(aclrtMemcpy(result.data(), size, z, size, ACL_MEMCPY_DEVICE_TO_HOST));
    for (float *each : {x, y, z}) {
        CHECK(aclrtFree(each));
    }
    CHECK(aclrtDestroyStream(stream));
    return 0;
}

int vector_add(int, char **)
{
    std::vector<float> a(8), b(8), result(8);
    for (int i = 0; i < 8; ++i) {
        a[i] = static_cast<float>(i + 1);
        b[i] = 0.5f * static_cast<float>(i + 1);
    }
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    CHECK(on_vectors(a, b, result, [](aclrtStream stream, float *x, float *y, float *z, uint32_t n) {
        return VectorAddDo(1, stream, x, y, z, 1.0f, n);
    }));
    for (float each : result) {
        std::printf("%.1f ", each);
    }
    std::printf("\n");
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return 0;
}

static int worker(aclrtContext context, uint32_t blocks, std::vector<float> &result)
{
    std::vector<float> a(10), b(10);
    for (int i = 0; i < 10; ++i) {
        a[i] = b[i] = static_cast<float>(i);
    }
    CHECK(aclrtSetCurrentContext(context));
    return on_vectors(a, b, result, [blocks](aclrtStream stream, float *x, float *y, float *z, uint32_t n) {
        AddDo(blocks, stream, x, y, z, n);
        return 0;
    });
}

int device_multi_thread(int, char **)
{
    uint32_t count = 0, limit = 0;
    aclrtDeviceStatus health = ACL_RT_DEVICE_STATUS_END;
    aclrtRunMode mode = ACL_DEVICE;
    aclrtContext context = nullptr;
    std::vector<float> result(10);
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    INFO("soc name: %s", aclrtGetSocName());
    CHECK(aclrtGetDeviceCount(&count));
    CHECK(aclrtQueryDeviceStatus(0, &health));
    CHECK(aclrtGetRunMode(&mode));
    INFO("devices: %u, status: %d, run mode: %d", count, static_cast<int>(health), static_cast<int>(mode));
    CHECK(aclrtSetDeviceResLimit(0, ACL_RT_DEV_RES_VECTOR_CORE, 1));
    CHECK(aclrtGetDeviceResLimit(0, ACL_RT_DEV_RES_VECTOR_CORE, &limit));
    INFO("vector cores: %u", limit);
    CHECK(aclrtGetCurrentContext(&context));
    int status = -1;
    std::thread thread([&] { status = worker(context, limit, result); });
    thread.join();
    CHECK(status);
    for (float each : result) {
        std::printf("%g ", each);
    }
    std::printf("\n");
    CHECK(aclrtResetDeviceResLimit(0));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return 0;
}
