// Many threads make the first call of the process at the same moment. Python must start once.
#include <atomic>
#include <thread>

#include "sample.h"

int main()
{
    std::atomic<int> waiting(0), same(0);
    std::vector<std::thread> threads;
    for (int number = 0; number < 16; number++)
        threads.emplace_back([&] {
            waiting++;
            while (waiting < 16) std::this_thread::yield();
            uint32_t devices = 0;
            if (aclrtGetDeviceCount(&devices) == ACL_SUCCESS && devices == 1) same++;
        });
    for (std::thread &each : threads) each.join();
    std::printf("%d of 16\n", same.load());
    return same == 16 ? 0 : 1;
}
