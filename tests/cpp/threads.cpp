// Each thread has its own device and its own error text, for its whole life. Prints how many threads saw the right
// ones. Arguments: number of threads at a time, number of repeats.
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "aclnnop/aclnn_softmax_backward.h"
#include "sample.h"

static std::atomic<int> right(0);

static int work(int number, uint32_t devices)
{
    int32_t device = -1;
    if (aclrtGetDevice(&device) != ACL_ERROR_RT_CONTEXT_NULL) return 1;  // a new thread has none
    const int32_t mine = number % static_cast<int32_t>(devices);
    aclrtStream stream = nullptr;
    CHECK(aclrtSetDevice(mine));
    CHECK(aclrtCreateStream(&stream));
    Tensor gradOutput, output, out;
    CHECK(create(std::vector<float>(8, static_cast<float>(number)), {4, 2}, &gradOutput));
    CHECK(create(std::vector<float>(8, 0.25F), {4, 2}, &output));
    CHECK(create(std::vector<float>(8, -1), {4, 2}, &out));
    for (int round = 0; round < 3; round++) {
        uint64_t workspaceSize = 0;
        aclOpExecutor *executor = nullptr;
        CHECK(aclnnSoftmaxBackwardGetWorkspaceSize(gradOutput.handle, output.handle, 0, out.handle, &workspaceSize,
                                                   &executor));
        CHECK(launch(aclnnSoftmaxBackward, workspaceSize, executor, stream));
        CHECK(aclrtGetDevice(&device));
        if (device != mine) return 2;
    }
    float values[8];
    CHECK(aclrtMemcpy(values, sizeof values, out.address, sizeof values, ACL_MEMCPY_DEVICE_TO_HOST));
    for (const float value : values)
        if (value != 0) return 3;
    if (aclrtSetDevice(1000 + number) == ACL_SUCCESS) return 4;
    const char *text = aclGetRecentErrMsg();  // contains the number that this thread passed
    if (text == nullptr || std::strstr(text, std::to_string(1000 + number).c_str()) == nullptr) return 5;
    CHECK(aclrtGetDevice(&device));
    if (device != mine || aclGetRecentErrMsg() != nullptr) return 6;
    CHECK(release({&gradOutput, &output, &out}));
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(mine));
    right++;
    return 0;
}

int main(int, char **arguments)
{
    const int many = std::atoi(arguments[1]), times = std::atoi(arguments[2]);
    uint32_t devices = 0;
    CHECK(aclInit(nullptr));
    CHECK(aclrtGetDeviceCount(&devices));
    for (int time = 0; time < times; time++) {
        std::vector<std::thread> threads;
        for (int number = 0; number < many; number++)
            threads.emplace_back([=] {
                if (const int status = work(number, devices)) std::fprintf(stderr, "thread %d: %d\n", number, status);
            });
        for (std::thread &each : threads) each.join();
    }
    CHECK(aclFinalize());
    std::printf("%d of %d threads on %u devices\n", right.load(), many * times, devices);
    return right == many * times ? 0 : 1;
}
