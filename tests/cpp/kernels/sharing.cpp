// Physical memory that two processes share: with a list of processes, without one, and by a handle for other servers.
#include "processes.h"

#include <cstring>

static const int TIMES = 3;
static const char *const NAMES[TIMES] = {"with pid", "without pid", "cross server"};

// A mapping of physical memory of the device.
struct Mapped {
    aclrtDrvMemHandle memory = nullptr;
    void *address = nullptr;
    size_t size = 0;

    int map()
    {
        CHECK(aclrtReserveMemAddress(&address, size, 0, nullptr, 0));
        CHECK(aclrtMapMem(address, size, 0, memory, 0));
        return 0;
    }
    int unmap()
    {
        CHECK(aclrtUnmapMem(address));
        CHECK(aclrtReleaseMemAddress(address));
        CHECK(aclrtFreePhysical(memory));
        return 0;
    }
};

static aclrtPhysicalMemProp properties()
{
    aclrtPhysicalMemProp result = {};
    result.handleType = ACL_MEM_HANDLE_TYPE_NONE;
    result.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED;
    result.memAttr = ACL_HBM_MEM_HUGE;
    result.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    return result;
}

static int exported(const Mapped &shared, int round, int32_t pid, aclrtMemFabricHandle &handle)
{
    uint64_t number = 0;
    if (round == 2) {
        CHECK(aclrtMemExportToShareableHandleV2(shared.memory, ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION,
            ACL_MEM_SHARE_HANDLE_TYPE_FABRIC, &handle));
        return 0;
    }
    const uint64_t flags = round == 0 ? ACL_RT_VMM_EXPORT_FLAG_DEFAULT : ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION;
    CHECK(aclrtMemExportToShareableHandle(shared.memory, ACL_MEM_HANDLE_TYPE_NONE, flags, &number));
    if (round == 0) {
        CHECK(aclrtMemSetPidToShareableHandle(number, &pid, 1));
    }
    std::memcpy(&handle, &number, sizeof(number));
    return 0;
}

// Process A allocates, writes and exports.
static int offer(int to, int from)
{
    int32_t pid = 0;
    CHECK(begin());
    CHECK(!receives(from, pid));
    for (int round = 0; round < TIMES; ++round) {
        Mapped shared;
        aclrtPhysicalMemProp wanted = properties();
        aclrtMemAccessDesc access = {ACL_RT_MEM_ACCESS_FLAGS_READWRITE, wanted.location, {}};
        aclrtMemFabricHandle handle = {};
        char done = 0;
        CHECK(aclrtMemGetAllocationGranularity(&wanted, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &shared.size));
        CHECK(aclrtMallocPhysical(&shared.memory, shared.size, &wanted, 0));
        CHECK(shared.map());
        CHECK(aclrtMemSetAccess(shared.address, shared.size, &access, 1));
        WriteDo(1, nullptr, static_cast<int *>(shared.address), 123 + round);
        CHECK(aclrtSynchronizeStream(nullptr));
        CHECK(exported(shared, round, pid, handle));
        CHECK(!sends(to, handle));
        CHECK(!receives(from, done));
        CHECK(shared.unmap());
    }
    return end();
}

// Process B imports and reads.
int share_importer(int, char **)
{
    const Pipes pipes;
    int32_t pid = 0;
    CHECK(begin());
    CHECK(aclrtDeviceGetBareTgid(&pid));
    CHECK(!sends(pipes.to, pid));
    for (int round = 0; round < TIMES; ++round) {
        Mapped shared;
        aclrtPhysicalMemProp same = properties();
        aclrtMemFabricHandle handle = {};
        int value = 0;
        CHECK(!receives(pipes.from, handle));
        uint64_t number = 0;
        std::memcpy(&number, &handle, sizeof(number));
        if (round == 2) {
            CHECK(aclrtMemImportFromShareableHandleV2(&handle, ACL_MEM_SHARE_HANDLE_TYPE_FABRIC, 0, &shared.memory));
        } else {
            CHECK(aclrtMemImportFromShareableHandle(number, 0, &shared.memory));
        }
        CHECK(aclrtMemGetAllocationGranularity(&same, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &shared.size));
        CHECK(shared.map());
        CHECK(aclrtMemcpy(&value, sizeof(value), shared.address, sizeof(value), ACL_MEMCPY_DEVICE_TO_HOST));
        INFO("%s: %d", NAMES[round], value);
        CHECK(shared.unmap());
        CHECK(!sends(pipes.to, '1'));
    }
    return end();
}

int physical_memory_sharing(int, char **argv) { return two_processes(argv, offer, "share_importer"); }
