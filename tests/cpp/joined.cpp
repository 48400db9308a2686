// A library whose threads call the runtime while the caller waits for them. ctypes.PyDLL keeps Python's lock in the caller,
// as a plugin of PyTorch does at the end of a group of ranks.
#include "acl/acl.h"

#include <atomic>
#include <thread>

static aclError asked(aclrtEvent event)
{
    aclrtEventRecordedStatus status;
    aclError results[] = {aclrtSetDevice(0), aclrtQueryEventStatus(event, &status), aclrtDestroyEvent(event),
                          aclrtResetDevice(0)};
    for (aclError result : results)
        if (result)
            return result;
    return status == ACL_EVENT_RECORDED_STATUS_COMPLETE ? 0 : -2;
}

extern "C" int ask_elsewhere(aclrtEvent event)
{
    aclError result = -1;
    std::thread([&] { result = asked(event); }).join();
    return result;
}

static std::atomic<bool> called, over;
static std::thread later;

// A thread that calls, and ends when `end` is called.
extern "C" int begin(aclrtEvent event)
{
    static aclError result;
    later = std::thread([=] {
        result = asked(event);
        called = true;
        while (!over)
            std::this_thread::yield();
    });
    while (!called)
        std::this_thread::yield();
    return result;
}

extern "C" int end(void)
{
    over = true;
    later.join();
    return !later.joinable();
}
