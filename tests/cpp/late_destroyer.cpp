// A library that destroys events on threads of its own, as PyTorch's plugin does. Its caller waits for the thread, and may
// keep Python's lock meanwhile (ctypes.PyDLL).
#include "acl/acl.h"

#include <thread>

extern "C" int destroy_elsewhere(aclrtEvent event)
{
    aclError status = -1;
    std::thread([&] {
        status = aclrtDestroyEvent(event); // destroyed here
    }).join();
    return status;
}
