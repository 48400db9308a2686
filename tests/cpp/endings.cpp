// Every way in which a process ends while the library is in use; the argument names one. None may hang or crash.
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "sample.h"

static void say(const char *text)
{
    if (write(1, text, std::strlen(text)) < 0) std::abort();
}

struct Guard {  // of a program that cleans up in static destructors, as many do
    bool on = false;
    void *address = nullptr;
    ~Guard()
    {
        if (on && aclrtFree(address) == ACL_SUCCESS && aclrtResetDevice(0) == ACL_SUCCESS &&
            aclFinalize() == ACL_SUCCESS)
            say("cleaned up in a static destructor\n");
    }
};
static Guard guard;

struct Late {
    bool on = false;
    ~Late()
    {
        uint32_t count = 0;
        if (on && aclrtGetDeviceCount(&count) == ACL_SUCCESS) say("called in a thread_local destructor\n");
    }
};
static thread_local Late late;

static int start()
{
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    return ACL_SUCCESS;
}

static int stop()
{
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return ACL_SUCCESS;
}

static int callFor(int rounds)
{
    uint32_t count = 0;
    for (int round = 0; round < rounds; round++) CHECK(aclrtGetDeviceCount(&count));
    return ACL_SUCCESS;
}

int main(int, char **arguments)
{
    const std::string how = arguments[1];
    if (how == "fork-before-the-first-call") {
        const pid_t child = fork();
        CHECK(start());
        CHECK(stop());
        if (child == 0) return 0;
        int status = -1;
        waitpid(child, &status, 0);
        std::printf("both called, the child ended with %d\n", status);
        return status;
    }
    if (how == "thread-local-destructor") {
        late.on = true;
        std::thread([] {
            late.on = true;
            callFor(1);
        }).join();
        return callFor(1);
    }
    CHECK(start());
    if (how == "static-destructor") {
        guard.on = true;
        CHECK(aclrtMalloc(&guard.address, 64, ACL_MEM_MALLOC_HUGE_FIRST));
        return 0;
    }
    if (how == "atexit") {
        std::atexit([] {
            if (stop() == ACL_SUCCESS) say("cleaned up in atexit\n");
        });
        return 0;
    }
    if (how == "exit-in-a-thread") {
        guard.on = true;
        CHECK(aclrtMalloc(&guard.address, 64, ACL_MEM_MALLOC_HUGE_FIRST));
        std::thread([] {
            callFor(1);
            std::exit(7);
        }).join();
    }
    if (how == "quick-exit") {
        std::at_quick_exit([] {
            if (stop() == ACL_SUCCESS) say("cleaned up in quick_exit\n");
        });
        std::quick_exit(5);
    }
    if (how == "detached-threads") {  // still calling when main returns
        static std::atomic<int> calling(0);
        for (int number = 0; number < 4; number++)
            std::thread([] {
                for (;;) {
                    callFor(1);
                    calling++;
                }
            }).detach();
        while (calling < 100) std::this_thread::yield();
        CHECK(stop());
        return 0;
    }
    if (how == "exit-beside-calling-threads") {  // with a leak, and threads that change the memory meanwhile
        static std::atomic<int> calling(0);
        static void *address = nullptr;
        CHECK(aclrtMalloc(&address, 64, ACL_MEM_MALLOC_HUGE_FIRST));
        for (int number = 0; number < 4; number++)
            std::thread([] {
                aclrtSetDevice(0);
                for (;;) {
                    aclrtMemset(address, 64, 1, 64);
                    calling++;
                }
            }).detach();
        while (calling < 100) std::this_thread::yield();
        std::exit(0);
    }
    if (how == "caught-exception") {
        try {
            void *address = nullptr;
            if (aclrtMalloc(&address, 0, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS)
                throw std::runtime_error(aclGetRecentErrMsg());
        } catch (const std::runtime_error &error) {
            std::printf("caught: %s\n", error.what());
        }
        return stop();
    }
    if (how == "failed-call") return aclrtSetDevice(99) == ACL_ERROR_RT_INVALID_DEVICEID ? 3 : 1;
    if (how == "exit-1") std::exit(1);
    if (how == "uncaught-exception") throw std::runtime_error("no handler catches this");
    if (how == "exception-in-a-callback") {
        aclrtStream stream = nullptr;
        CHECK(aclrtCreateStream(&stream));
        CHECK(aclrtLaunchHostFunc(stream, [](void *) { throw std::runtime_error("out of a callback"); }, nullptr));
        try {
            aclrtSynchronizeStream(stream);
            say("the synchronise returned\n");
        } catch (const std::runtime_error &) {
            say("an exception came through the library\n");
        }
        return 0;
    }
    if (how == "fork-after-the-first-call") {
        const pid_t child = fork();
        if (child == 0) {
            const aclError status = aclrtSynchronizeDevice();
            return status == ACL_SUCCESS ? 0 : 9;
        }
        int status = -1;
        waitpid(child, &status, 0);
        std::printf("the child ended with %d\n", WEXITSTATUS(status));
        return stop();
    }
    if (how == "fork-beside-calling-threads") {
        static std::atomic<bool> over(false);
        static std::atomic<int> calling(0);
        std::vector<std::thread> threads;
        for (int number = 0; number < 4; number++)
            threads.emplace_back([] {
                while (!over) {
                    callFor(1);
                    calling++;
                }
            });
        while (calling < 100) std::this_thread::yield();
        int good = 0;
        for (int round = 0; round < 20; round++) {
            const pid_t child = fork();
            if (child == 0) _exit(aclrtSynchronizeDevice() == ACL_SUCCESS ? 0 : 9);
            int status = -1;
            waitpid(child, &status, 0);
            good += WIFEXITED(status) && WEXITSTATUS(status) == 9 ? 1 : 0;
        }
        over = true;
        for (std::thread &each : threads) each.join();
        std::printf("%d of 20 children were refused\n", good);
        return stop();
    }
    std::fprintf(stderr, "no such ending: %s\n", how.c_str());
    return 1;
}
