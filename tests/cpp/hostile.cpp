// Misuse of the process by a C program. Each run does one of them; the argument names it.
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_repeat_interleave.h"
#include "sample.h"

static aclrtStream stream;

// How a child that calls the API ends; it has 20 seconds.
static int child()
{
    const pid_t forked = fork();
    if (forked == 0) {
        alarm(20);
        _exit(aclrtSynchronizeDevice() == ACL_SUCCESS ? 0 : 9);
    }
    int status = -1;
    waitpid(forked, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void *unreadable() { return mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }

// The status of a stream after aclnnRepeatInterleave with these numbers, and the first two values of its result.
static int repeat(const std::vector<int64_t> &numbers)
{
    Tensor self, repeats, out;
    uint64_t size = 0;
    aclOpExecutor *executor = nullptr;
    CHECK(create<float>(std::vector<float>(numbers.size(), 5), {static_cast<int64_t>(numbers.size())}, &self));
    CHECK(create<int64_t>(numbers, self.shape, &repeats));
    CHECK(create<float>({0, 0}, {2}, &out));
    CHECK(aclnnRepeatInterleaveGetWorkspaceSize(self.handle, repeats.handle, 2, out.handle, &size, &executor));
    void *workspace = nullptr;
    if (size > 0) CHECK(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclnnRepeatInterleave(workspace, size, executor, stream));
    std::printf("%d\n", aclrtSynchronizeStream(stream));
    if (size > 0) CHECK(aclrtFree(workspace));
    CHECK(print("out", out));
    return release({&self, &repeats, &out});
}

int main(int, char **arguments)
{
    const std::string what = arguments[1];
    if (what == "closed-streams") {
        for (int number = 0; number < 3; number++) close(number);
        CHECK(begin(0, &stream));
        return 11;  // a device is left set, and there is no stderr to report it
    }
    if (what == "fork-during-the-first-calls") {  // the children have no machine to call on, or start their own
        std::vector<std::thread> threads;
        for (int number = 0; number < 4; number++)
            threads.emplace_back([] {
                uint32_t count = 0;
                aclrtGetDeviceCount(&count);
            });
        int good = 0;
        for (int round = 0; round < 10; round++) good += child() == 9;
        for (std::thread &each : threads) each.join();
        std::printf("%d of 10\n", good);
        return 0;
    }
    CHECK(begin(0, &stream));
    if (what == "garbage-repeats") {
        CHECK(repeat({INT64_MAX, INT64_MAX, 4}));
        CHECK(repeat({1, 0, 1}));
    }
    if (what == "interrupt") raise(SIGINT);
    if (what == "sent-fault") raise(SIGSEGV);
    if (what == "fork-in-a-thread") std::thread([] { std::printf("%d\n", child()); }).join();
    if (what == "main-thread-ends") {
        std::thread([] {
            CHECK(aclrtSetDevice(0));
            CHECK(end(0, stream));
            CHECK(aclrtResetDevice(0));
            return ACL_SUCCESS;
        }).detach();
        pthread_exit(nullptr);
    }
    if (what == "output-on-the-device") {
        void *address = nullptr;
        CHECK(aclrtMalloc(&address, 64, ACL_MEM_MALLOC_HUGE_FIRST));
        aclrtGetDeviceCount(static_cast<uint32_t *>(address));  // output-on-the-device
    }
    if (what == "output-nowhere") aclrtGetDeviceCount(static_cast<uint32_t *>(unreadable()));  // output-nowhere
    if (what == "text-nowhere") aclnnInit(static_cast<char *>(unreadable()));  // text-nowhere
    return end(0, stream);
}
