// Mistakes in helpers: reports name the functions that called them.
#include <cstring>
#include <thread>
#include "acl/acl.h"
#include "aclnnop/aclnn_exp.h"

static void *buffer()
{
    void *memory = nullptr;
    aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST); // malloc
    return memory;
}

static void upload(void *memory)
{
    float values[16] = {};
    aclrtMemcpy(memory, 64, values, 64, ACL_MEMCPY_HOST_TO_DEVICE);
}

static aclTensor *tensor(void *memory)
{
    int64_t shape[] = {16}, strides[] = {1};
    return aclCreateTensor(shape, 1, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, shape, 1, memory); // create
}

static void exponential(void *x, void *y)
{
    uint64_t size = 0;
    aclOpExecutor *executor = nullptr;
    aclTensor *input = tensor(x); // input
    aclTensor *output = tensor(y);
    aclnnExpGetWorkspaceSize(input, output, &size, &executor);
    aclnnExp(nullptr, 0, executor, nullptr); // launch
    aclDestroyTensor(output);
}

static inline __attribute__((always_inline)) void fetch(void *memory)
{
    float values[16];
    aclrtMemcpy(values, 64, memory, 64, ACL_MEMCPY_DEVICE_TO_HOST); // fetch
}

static void work(bool late)
{
    aclrtSetDevice(0);
    void *x = buffer();
    void *y = buffer(); // y
    upload(x);
    exponential(x, y); // exponential
    fetch(y);          // inlined
    aclrtSynchronizeDevice();
    if (late)
        fetch(buffer()); // never written
    aclrtResetDevice(0);
}

int main(int, char **arguments)
{
    aclInit(nullptr);
    if (std::strcmp(arguments[1], "thread") == 0)
        std::thread([] { work(false); }).join();
    else
        work(std::strcmp(arguments[1], "twice") == 0); // work
    aclFinalize();
    return 0;
}
