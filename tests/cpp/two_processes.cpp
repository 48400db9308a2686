// Two processes in the manner of the public examples: A shares physical memory, or memory, a notify and an event; B
// imports them, reads 123, and answers with 124. With "devices" any process may import, and B uses another device.
// Process A starts process B, and sends handles and numbers by pipes.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "acl/acl.h"

#define DO(call)                                                                                                       \
    if (int status_ = (call)) {                                                                                        \
        std::fprintf(stderr, "%s: %d\n", #call, status_);                                                              \
        std::exit(1);                                                                                                  \
    }

extern char **environ;
static const size_t PAGE = 2 << 20;
static int from = 3, to = 4; // the pipes of process B

template <typename Value> static void say(const Value &value)
{
    if (write(to, &value, sizeof value) != ssize_t(sizeof value)) std::exit(2);
}

template <typename Value> static Value hear()
{
    Value value;
    if (read(from, &value, sizeof value) != ssize_t(sizeof value)) std::exit(3);
    return value;
}

static pid_t start(const char *program, const char *mode)
{
    int down[2], up[2];
    if (pipe(down) || pipe(up)) std::exit(4);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    for (int end : {down[1], up[0]}) posix_spawn_file_actions_addclose(&actions, end);
    posix_spawn_file_actions_adddup2(&actions, down[0], 100);
    posix_spawn_file_actions_adddup2(&actions, up[1], 101);
    posix_spawn_file_actions_adddup2(&actions, 100, 3);
    posix_spawn_file_actions_adddup2(&actions, 101, 4);
    char *const arguments[] = {const_cast<char *>(program), const_cast<char *>(mode), const_cast<char *>("B"), nullptr};
    pid_t pid;
    if (posix_spawn(&pid, program, &actions, nullptr, arguments, environ)) std::exit(5);
    close(down[0]);
    close(up[1]);
    from = up[0];
    to = down[1];
    return pid;
}

static void put(void *address, int value)
{
    DO(aclrtMemcpy(address, sizeof value, &value, sizeof value, ACL_MEMCPY_HOST_TO_DEVICE));
}

static int get(void *address)
{
    int value = 0;
    DO(aclrtMemcpy(&value, sizeof value, address, sizeof value, ACL_MEMCPY_DEVICE_TO_HOST));
    return value;
}

static int *pinned(int value)
{
    void *address;
    DO(aclrtMallocHost(&address, sizeof value));
    return &(*static_cast<int *>(address) = value);
}

static void *mapped(aclrtDrvMemHandle handle)
{
    void *address;
    DO(aclrtReserveMemAddress(&address, PAGE, 0, nullptr, 0));
    DO(aclrtMapMem(address, PAGE, 0, handle, 0));
    return address;
}

static void release(void *address, aclrtDrvMemHandle handle)
{
    DO(aclrtUnmapMem(address));
    DO(aclrtFreePhysical(handle));
    DO(aclrtReleaseMemAddress(address));
}

static void physicalA(int32_t peer)
{
    aclrtPhysicalMemProp prop = {};
    prop.memAttr = ACL_HBM_MEM_HUGE;
    prop.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    aclrtDrvMemHandle handle;
    uint64_t shared;
    DO(aclrtMallocPhysical(&handle, PAGE, &prop, 0));
    void *address = mapped(handle);
    put(address, 123);
    std::printf("Source data: %d\n", get(address));
    DO(aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, ACL_RT_VMM_EXPORT_FLAG_DEFAULT, &shared));
    DO(aclrtMemSetPidToShareableHandle(shared, &peer, 1));
    say(shared);
    hear<int>();
    std::printf("The answer: %d\n", get(address));
    release(address, handle);
}

static void physicalB()
{
    aclrtDrvMemHandle handle;
    DO(aclrtMemImportFromShareableHandle(hear<uint64_t>(), 0, &handle));
    void *address = mapped(handle);
    std::printf("Destination data: %d\n", get(address));
    put(address, 124);
    release(address, handle);
    std::fflush(stdout);
    say(0);
}

struct Shared {
    char memory[65], notify[65];
    aclrtIpcEventHandle event;
};

// peer: the only process that may import, or 0 for any process
static void keysA(int32_t peer)
{
    const bool any = peer == 0;
    Shared shared = {};
    void *address;
    aclrtNotify notify;
    aclrtEvent event;
    aclrtStream stream;
    DO(aclrtMalloc(&address, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    DO(aclrtCreateStream(&stream));
    DO(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT));
    DO(aclrtCreateEventExWithFlag(&event, ACL_EVENT_IPC));
    const uint64_t flags = any ? ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION : ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT;
    DO(aclrtIpcMemGetExportKey(address, 64, shared.memory, sizeof shared.memory, flags));
    DO(aclrtNotifyGetExportKey(notify, shared.notify, sizeof shared.notify, any ? 2 : 0));
    if (!any) {
        DO(aclrtIpcMemSetImportPid(shared.memory, &peer, 1));
        DO(aclrtNotifySetImportPid(notify, &peer, 1));
    }
    DO(aclrtIpcGetEventHandle(event, &shared.event));
    int *value = pinned(123);
    DO(aclrtMemcpyAsync(address, 4, value, 4, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    DO(aclrtRecordEvent(event, stream));
    DO(aclrtWaitAndResetNotify(notify, stream, 0)); // for process B
    std::printf("Source data: %d\n", *value);
    std::fflush(stdout);
    say(shared);
    DO(aclrtSynchronizeStream(stream));
    std::printf("The answer: %d\n", get(address));
    say(0);
    hear<int>(); // B has closed the memory
    DO(aclrtIpcMemClose(shared.memory));
    DO(aclrtFree(address));
    DO(aclrtDestroyNotify(notify));
    DO(aclrtDestroyEvent(event));
    DO(aclrtDestroyStream(stream));
    DO(aclrtFreeHost(value));
}

static void keysB()
{
    const Shared shared = hear<Shared>();
    void *address;
    aclrtNotify notify;
    aclrtEvent event;
    aclrtStream stream;
    DO(aclrtIpcMemImportByKey(&address, shared.memory, 1));
    DO(aclrtNotifyImportByKey(&notify, shared.notify, 0));
    DO(aclrtIpcOpenEventHandle(shared.event, &event));
    DO(aclrtCreateStream(&stream));
    DO(aclrtStreamWaitEvent(stream, event));
    DO(aclrtSynchronizeStream(stream));
    aclrtEventRecordedStatus status;
    DO(aclrtQueryEventStatus(event, &status));
    std::printf("Destination data: %d, status %d\n", get(address), status);
    std::fflush(stdout);
    int *value = pinned(124);
    DO(aclrtMemcpyAsync(address, 4, value, 4, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    DO(aclrtRecordNotify(notify, stream));
    hear<int>(); // A asks for the record, and this thread only reads a pipe meanwhile
    DO(aclrtSynchronizeStream(stream));
    DO(aclrtIpcMemClose(shared.memory));
    DO(aclrtDestroyNotify(notify));
    DO(aclrtDestroyEvent(event));
    DO(aclrtDestroyStream(stream));
    DO(aclrtFreeHost(value));
    say(0);
}

int main(int count, char **words)
{
    const std::string mode = words[1];
    const bool first = count == 2;
    const pid_t child = first ? start(words[0], words[1]) : 0;
    DO(aclInit(nullptr));
    const int32_t device = mode == "devices" && !first ? 1 : 0;
    DO(aclrtSetDevice(device));
    int32_t own;
    DO(aclrtDeviceGetBareTgid(&own));
    if (mode == "devices") own = 0;
    if (first) mode == "physical" ? physicalA(hear<int32_t>()) : keysA(hear<int32_t>());
    if (!first) {
        say(own);
        mode == "physical" ? physicalB() : keysB();
    }
    DO(aclrtResetDevice(device));
    DO(aclFinalize());
    int status = 0;
    if (first) waitpid(child, &status, 0);
    return status;
}
