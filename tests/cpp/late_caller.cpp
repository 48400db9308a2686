// A library that a Python program loads. It calls when the interpreter of the process has ended: in a destructor, and in a
// thread that nobody waits for.
#include "acl/acl.h"

#include <atomic>
#include <cstdio>
#include <thread>

namespace {
std::atomic<int> calls{0};
bool started = false;

struct Late {
    ~Late()
    {
        int before = calls, device = 77;
        aclError status = aclrtGetDevice(&device);
        while (started && calls < before + 1000) std::this_thread::yield(); // the thread does not wait for the interpreter either
        std::printf("late: %d, device %d, %s\n", status, device, aclrtGetSocName() ? "a name" : "null");
        std::fflush(stdout);
    }
} late;
} // namespace

extern "C" void start(int thread)
{
    started = thread;
    if (!thread) return;
    std::thread([] {
        for (;;) {
            int device = 0;
            aclrtGetDevice(&device);
            ++calls;
        }
    }).detach();
}
