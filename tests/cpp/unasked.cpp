// Calls that fail in a program that exits with 0, and queries after them; the argument names a program. The lines that
// the report must name end in a comment.
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

#include "aclnn_emulator.h"
#include "aclnnop/aclnn_softmax_backward.h"
#include "sample.h"

static void refused()
{
    uint64_t size = 0;
    aclOpExecutor *executor = nullptr;
    aclnnSoftmaxBackwardGetWorkspaceSize(nullptr, nullptr, 0, nullptr, &size, &executor);  // first-phase
    aclnnSoftmaxBackward(nullptr, size, executor, nullptr);  // second-phase
}

static void fails() { aclrtFree(nullptr); }  // fails

static void failsOnTwelveLines()
{
    aclrtFree(nullptr);  // line 1
    aclrtFree(nullptr);
    aclrtFree(nullptr);
    aclrtFree(nullptr);
    aclrtFree(nullptr);
    aclrtFree(nullptr);
    aclrtFree(nullptr);
    aclrtFree(nullptr);
    aclrtFree(nullptr);
    aclrtFree(nullptr);  // line 10
    aclrtFree(nullptr);  // line 11
    for (int time = 0; time < 3; time++) aclrtFree(nullptr);
}

static int run(const std::string &what)
{
    if (what == "drops") refused();
    if (what == "compares") return aclrtFree(nullptr) == ACL_ERROR_INVALID_PARAM ? 0 : 1;
    if (what == "asks for the text") {
        refused();
        aclGetRecentErrMsg();
    }
    if (what == "asks for the code") {
        refused();
        aclrtGetLastError(ACL_RT_THREAD_LEVEL);
    }
    if (what == "peeks at the code") {
        refused();
        aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL);
    }
    if (what == "asks too early") {
        refused();
        aclGetRecentErrMsg();
        fails();
    }
    if (what == "asks in another thread") {
        fails();
        std::thread([] { aclrtGetLastError(ACL_RT_THREAD_LEVEL); }).join();
    }
    if (what == "fails in a thread") std::thread(fails).join();
    if (what == "loops")
        for (int time = 0; time < 3; time++) fails();
    if (what == "twelve lines") failsOnTwelveLines();
    if (what == "questions") {
        aclInit(nullptr);
        aclrtProcessReport(1);
    }
    if (what == "requested") {
        void *memory = nullptr;
        aclnnEmulatorFail("aclrtMalloc", 1, 0);
        aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST);
    }
    if (what == "resets") {
        fails();
        return aclnnEmulatorReset();
    }
    if (what == "returns 1") {
        refused();
        return 1;
    }
    if (what == "exits with 3") {
        refused();
        std::atexit([] { std::exit(3); });
    }
    if (what == "a text twice") {
        fails();
        try {
            const char *first = aclGetRecentErrMsg();  // taken
            std::printf("%s\n", first == nullptr ? "none" : "a text");
            throw std::runtime_error(std::string(aclGetRecentErrMsg()));  // twice
        } catch (const std::logic_error &error) {
            std::printf("%s\n", error.what());
        }
    }
    if (what == "a text for each failure") {
        for (int time = 0; time < 2; time++) {
            fails();
            std::printf("%zu\n", std::string(aclGetRecentErrMsg()).size() / 1000);
        }
    }
    return 0;
}

int main(int, char **arguments)
{
    CHECK(aclInit(nullptr));
    const int status = run(arguments[1]);
    std::printf("done\n");
    return status;
}
