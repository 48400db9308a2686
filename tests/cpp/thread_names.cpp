// Texts about threads have the names that the program knows.
#include <pthread.h>
#include <cstdio>
#include <thread>
#include "acl/acl.h"

static void ask(const char *who)
{
    void *memory = nullptr;
    aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST);
    const char *text = aclGetRecentErrMsg();
    std::printf("%s: %s\n", who, text == nullptr ? "no text" : text);
}

int main()
{
    ask("main");
    std::thread([] { pthread_setname_np(pthread_self(), "loader"); ask("named"); }).join();
    std::thread([] { ask("unnamed"); }).join();
    return 0;
}
