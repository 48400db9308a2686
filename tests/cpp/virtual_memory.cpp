// Programs that use virtual memory: a pool that grows, memory of the host, handles for other processes, and mistakes.
// They end with 0, or with the line of the first check that failed.
#include "acl/acl.h"
#include "aclnnop/aclnn_softmax_backward.h"

#include <sys/mman.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#define EXPECT(condition)                                      \
    do {                                                       \
        if (!(condition)) {                                    \
            fprintf(stderr, "%d: " #condition "\n", __LINE__); \
            exit(__LINE__ % 256);                              \
        }                                                      \
    } while (0)
#define SUCCEEDS(call) EXPECT((call) == ACL_SUCCESS)

static aclrtPhysicalMemProp describe(aclrtMemLocationType place)
{
    aclrtPhysicalMemProp prop{};
    prop.handleType = ACL_MEM_HANDLE_TYPE_NONE;
    prop.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED;
    prop.memAttr = ACL_HBM_MEM_HUGE;
    prop.location.type = place;
    prop.location.id = 0;
    return prop;
}

static const size_t PAGE = 2 << 20;
static const aclrtPhysicalMemProp DEVICE = describe(ACL_MEM_LOCATION_TYPE_DEVICE);
static const aclrtPhysicalMemProp HOST = describe(ACL_MEM_LOCATION_TYPE_HOST);

// A pool of device memory: it reserves addresses once, and maps more memory behind the last when it needs some.
class Pool {
public:
    explicit Pool(size_t most) : most_(most)
    {
        aclrtPhysicalMemProp prop = DEVICE;
        SUCCEEDS(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED, &granularity_));
        SUCCEEDS(aclrtReserveMemAddress(&start_, most, 0, nullptr, 1));
    }
    ~Pool()
    {
        for (auto &each : mapped_) {
            SUCCEEDS(aclrtUnmapMem(each.first));
            SUCCEEDS(aclrtFreePhysical(each.second));
        }
        SUCCEEDS(aclrtReleaseMemAddress(start_));
    }
    Pool(const Pool &) = delete;
    Pool &operator=(const Pool &) = delete;

    // The address of `size` bytes; null when the device has no more.
    void *take(size_t size)
    {
        size = (size + 511) / 512 * 512;
        if (used_ + size > size_ && !grow(used_ + size - size_)) return nullptr;
        void *found = static_cast<char *>(start_) + used_;
        used_ += size;
        return found;
    }
    void give(size_t size) { used_ -= (size + 511) / 512 * 512; }
    size_t handles() const { return mapped_.size(); }
    aclError last() const { return last_; }

private:
    bool grow(size_t more)
    {
        more = (more + granularity_ - 1) / granularity_ * granularity_;
        if (size_ + more > most_) return false;
        aclrtDrvMemHandle handle = nullptr;
        last_ = aclrtMallocPhysical(&handle, more, &DEVICE, 0);
        if (last_ != ACL_SUCCESS) return false;
        void *behind = static_cast<char *>(start_) + size_;
        SUCCEEDS(aclrtMapMem(behind, more, 0, handle, 0));
        aclrtMemAccessDesc access{};
        access.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE;
        access.location = DEVICE.location;
        SUCCEEDS(aclrtMemSetAccess(behind, more, &access, 1));
        mapped_.emplace_back(behind, handle);
        size_ += more;
        return true;
    }

    void *start_ = nullptr;
    size_t most_, size_ = 0, used_ = 0, granularity_ = 0;
    aclError last_ = ACL_SUCCESS;
    std::vector<std::pair<void *, aclrtDrvMemHandle>> mapped_;
};

static aclTensor *tensor(void *address, int64_t count)
{
    return aclCreateTensor(&count, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, &count, 1, address);
}

static void pool()
{
    Pool memory(size_t(32) << 30);
    const int64_t count = 300000;  // 1.2 MB: the second tensor lies in two handles
    const size_t bytes = count * sizeof(float);
    std::vector<float> values(count, 0.5f), result(count);
    std::vector<void *> addresses;
    for (int i = 0; i < 3; i++) addresses.push_back(memory.take(bytes));
    EXPECT(memory.handles() == 2);
    for (int i = 0; i < 2; i++) SUCCEEDS(aclrtMemcpy(addresses[i], bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    aclTensor *grad = tensor(addresses[0], count), *output = tensor(addresses[1], count);
    aclTensor *out = tensor(addresses[2], count);
    uint64_t size = 0;
    aclOpExecutor *executor = nullptr;
    SUCCEEDS(aclnnSoftmaxBackwardGetWorkspaceSize(grad, output, 0, out, &size, &executor));
    SUCCEEDS(aclnnSoftmaxBackward(size ? memory.take(size) : nullptr, size, executor, nullptr));
    SUCCEEDS(aclrtSynchronizeStream(nullptr));
    SUCCEEDS(aclrtMemcpy(result.data(), bytes, addresses[2], bytes, ACL_MEMCPY_DEVICE_TO_HOST));
    for (float each : {result[0], result[count - 1]}) EXPECT(each == 0.5f * (0.5f - 0.25f * count));
    for (aclTensor *each : {grad, output, out}) SUCCEEDS(aclDestroyTensor(each));
    printf("%zu handles\n", memory.handles());
}

static void exhausted()  // the budget of the host ends before the device's memory does
{
    Pool memory(size_t(32) << 30);
    aclError status = ACL_SUCCESS;
    int blocks = 0;
    for (void *block; status == ACL_SUCCESS && (block = memory.take(PAGE)) != nullptr; blocks++)
        status = aclrtMemset(block, PAGE, 1, PAGE);
    if (status == ACL_SUCCESS) status = memory.last();
    const char *text = aclGetRecentErrMsg();
    printf("%d after %d blocks, %s\n", status, blocks, text && strstr(text, "host_bytes") ? "host" : "device");
}

static void host()
{
    aclrtDrvMemHandle handles[2];
    void *address = nullptr, *device = nullptr;
    SUCCEEDS(aclrtReserveMemAddress(&address, 2 * PAGE, 0, nullptr, 1));
    char *bytes = static_cast<char *>(address);
    for (int i = 0; i < 2; i++) {
        SUCCEEDS(aclrtMallocPhysical(&handles[i], PAGE, &HOST, 0));
        SUCCEEDS(aclrtMapMem(bytes + i * PAGE, PAGE, 0, handles[i], 0));
    }
    for (size_t i = 0; i < 2 * PAGE; i++) bytes[i] = char(i / 4096);
    SUCCEEDS(aclrtMalloc(&device, 2 * PAGE, ACL_MEM_MALLOC_HUGE_FIRST));
    SUCCEEDS(aclrtMemcpyAsync(device, 2 * PAGE, bytes, 2 * PAGE, ACL_MEMCPY_HOST_TO_DEVICE, nullptr));
    SUCCEEDS(aclrtSynchronizeStream(nullptr));
    memset(bytes, 0, 2 * PAGE);
    SUCCEEDS(aclrtMemcpyAsync(bytes, 2 * PAGE, device, 2 * PAGE, ACL_MEMCPY_DEVICE_TO_HOST, nullptr));
    SUCCEEDS(aclrtSynchronizeStream(nullptr));
    for (size_t i = 0; i < 2 * PAGE; i++) EXPECT(bytes[i] == char(i / 4096));
    for (int i = 0; i < 2; i++) {
        SUCCEEDS(aclrtUnmapMem(bytes + i * PAGE));
        SUCCEEDS(aclrtFreePhysical(handles[i]));
    }
    SUCCEEDS(aclrtReleaseMemAddress(address));
    SUCCEEDS(aclrtFree(device));
}

static void share()
{
    aclrtDrvMemHandle handle = nullptr, found = nullptr;
    uint64_t number = 0;
    int32_t pid = 0;
    SUCCEEDS(aclrtMallocPhysical(&handle, PAGE, &DEVICE, 0));
    SUCCEEDS(aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, 0, &number));
    SUCCEEDS(aclrtDeviceGetBareTgid(&pid));
    SUCCEEDS(aclrtMemSetPidToShareableHandle(number, &pid, 1));
    printf("%d %" PRIu64 "\n", aclrtMemImportFromShareableHandle(number, 0, &found), number);
    EXPECT(aclGetRecentErrMsg() != nullptr);
    SUCCEEDS(aclrtFreePhysical(handle));
}

static void import(const char *number)
{
    aclrtDrvMemHandle found = nullptr;
    printf("%d\n", aclrtMemImportFromShareableHandle(strtoull(number, nullptr, 10), 0, &found));
    EXPECT(aclGetRecentErrMsg() != nullptr && found == nullptr);
}

// mistakes

static void *mapped(const aclrtPhysicalMemProp &prop, size_t reserved)
{
    void *address = nullptr;
    aclrtDrvMemHandle handle = nullptr;
    SUCCEEDS(aclrtReserveMemAddress(&address, reserved, 0, nullptr, 0));
    SUCCEEDS(aclrtMallocPhysical(&handle, PAGE, &prop, 0));
    SUCCEEDS(aclrtMapMem(address, PAGE, 0, handle, 0));
    SUCCEEDS(aclrtFreePhysical(handle));
    return address;
}

static void mistake(const std::string &what)
{
    void *address = nullptr;
    std::vector<char> values(2 * PAGE);
    if (what == "hole") {
        address = mapped(DEVICE, 2 * PAGE);
        (void)aclrtMemcpy(address, 2 * PAGE, values.data(), 2 * PAGE, ACL_MEMCPY_HOST_TO_DEVICE);  // hole
    } else if (what == "hole-of-the-host") {
        address = mapped(HOST, 2 * PAGE);
        void *device = mapped(DEVICE, PAGE);
        char *hole = static_cast<char *>(address) + PAGE;
        aclError status = aclrtMemcpy(device, 64, hole, 64, ACL_MEMCPY_HOST_TO_DEVICE);  // hole-of-the-host
        EXPECT(status == ACL_ERROR_RT_PARAM_INVALID);
        SUCCEEDS(aclrtUnmapMem(device));
        SUCCEEDS(aclrtReleaseMemAddress(device));
    } else if (what == "unmapped-early") {
        address = mapped(DEVICE, PAGE);
        SUCCEEDS(aclrtMemsetAsync(address, 64, 0, 64, nullptr));
        (void)aclrtUnmapMem(address);  // unmapped-early
        SUCCEEDS(aclrtSynchronizeStream(nullptr));
        SUCCEEDS(aclrtReleaseMemAddress(address));
        return;
    } else if (what == "leaked") {
        SUCCEEDS(aclrtReserveMemAddress(&address, PAGE, 0, nullptr, 0));  // leaked
        return;
    } else if (what == "dereference") {
        address = mapped(DEVICE, PAGE);
        static_cast<volatile char *>(address)[8] = 1;  // dereference
    } else if (what == "dereference-of-a-hole") {
        address = mapped(HOST, 2 * PAGE);
        static_cast<volatile char *>(address)[8] = 1;
        static_cast<volatile char *>(address)[PAGE] = 1;  // dereference-of-a-hole
    } else if (what == "dereference-of-released") {
        address = mapped(HOST, PAGE);
        SUCCEEDS(aclrtUnmapMem(address));
        SUCCEEDS(aclrtReleaseMemAddress(address));
        static_cast<volatile char *>(address)[0] = 1;  // dereference-of-released
    } else if (what == "struct-nowhere") {
        void *nowhere = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        aclrtDrvMemHandle handle = nullptr;
        auto *prop = static_cast<aclrtPhysicalMemProp *>(nowhere);
        EXPECT(aclrtMallocPhysical(&handle, PAGE, prop, 0) == ACL_ERROR_RT_PARAM_INVALID);  // struct-nowhere
        return;
    } else if (what == "output-nowhere") {
        void *nowhere = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        (void)aclrtReserveMemAddress(static_cast<void **>(nowhere), PAGE, 0, nullptr, 0);  // output-nowhere
    }
    SUCCEEDS(aclrtUnmapMem(address));
    SUCCEEDS(aclrtReleaseMemAddress(address));
}

int main(int, char **arguments)
{
    const std::string what = arguments[1];
    SUCCEEDS(aclInit(nullptr));
    SUCCEEDS(aclrtSetDevice(0));
    if (what == "pool") pool();
    else if (what == "exhausted") exhausted();
    else if (what == "host") host();
    else if (what == "share") share();
    else if (what == "import") import(arguments[2]);
    else mistake(what);
    SUCCEEDS(aclrtResetDevice(0));
    SUCCEEDS(aclFinalize());
    return 0;
}
