// Prints the statuses of three allocations and goes on, as a careful program does, to show injected faults.
#include "sample.h"

int main()
{
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    void *addresses[3] = {};
    for (void *&address : addresses) {
        const aclError status = aclrtMalloc(&address, 64, ACL_MEM_MALLOC_HUGE_FIRST);
        std::printf("%d%s\n", status, address == nullptr ? " and null" : "");
    }
    for (void *address : addresses)
        if (address != nullptr) CHECK(aclrtFree(address));
    CHECK(aclrtResetDevice(0));
    return aclFinalize();
}
