// A library of a Python program: Ctrl-C comes while its code runs, so Python handles it in the call behind.
#include <csignal>
#include "acl/acl.h"

extern "C" int interrupted()
{
    raise(SIGINT);
    return aclrtSetDevice(0);
}
