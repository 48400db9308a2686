// Variables of compiled-in kernels, and launches of kernels with threads.
#include "programs.h"

#include <string>

// The sum of a table of the device, to which the host adds.
int symbol_copies(int, char **)
{
    int32_t value = 0, *result = nullptr;
    size_t size = 0;
    void *address = nullptr;
    aclrtStream stream = nullptr;
    CHECK(begin());
    CHECK(aclrtCreateStream(&stream));
    CHECK(aclrtGetSymbolSize(table, &size));
    CHECK(aclrtGetSymbolAddress(&total, &address));
    INFO("bytes: %zu, here: %d", size, address == &total);
    CHECK(aclrtMemcpyFromSymbol(&value, &total, sizeof(value), 0, ACL_MEMCPY_DEVICE_TO_HOST));
    INFO("first value: %d, middle of the table: %d", value, static_cast<int>(table[1]));
    value = 30;
    CHECK(aclrtMemcpyToSymbol(&total, &value, sizeof(value), 0, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK(aclrtMallocHost(reinterpret_cast<void **>(&result), sizeof(*result)));
    SumDo(1, stream);
    CHECK(aclrtMemcpyFromSymbolAsync(result, &total, sizeof(*result), 0, ACL_MEMCPY_DEFAULT, stream));
    CHECK(aclrtSynchronizeStream(stream));
    INFO("sum: %d, on the host: %d", *result, total);
    CHECK(aclrtFreeHost(result));
    INFO("no symbol: %d", aclrtGetSymbolSize(&value, &size));
    INFO("message: %d", aclGetRecentErrMsg() != nullptr);
    CHECK(aclrtDestroyStream(stream));
    return end();
}

int launch_with_threads(int, char **argv)
{
    const std::string name = "ascendc_kernels_simple", path = std::string(argv[1]) + "/" + name + "/" + name + ".o";
    aclrtBinHandle binary = nullptr;
    aclrtFuncHandle function = nullptr;
    CHECK(begin());
    {
        OnDevice<uint64_t> counts(0);
        void *address = counts.address;
        void *values[1] = {&address};
        const dim3 grid = {3, 2, 1}, block = {32, 2, 2};
        CHECK(aclrtBinaryLoadFromFile(path.c_str(), nullptr, &binary));
        CHECK(aclrtBinaryGetFunction(binary, "count_threads", &function));
        CHECK(aclrtLaunchSIMTKernelWithArgsArray(function, grid, block, 0, nullptr, nullptr, values));
        CHECK(aclrtSynchronizeStream(nullptr));
        INFO("blocks: %d, threads: %d", static_cast<int>(counts.value() & 0xFFFFFFFF), static_cast<int>(counts.value() >> 32));
        CHECK(aclrtLaunchSIMTKernelWithHostArgs(function, block, grid, 0, nullptr, nullptr, &address, 8, nullptr, 0));
        CHECK(aclrtSynchronizeStream(nullptr));
        INFO("blocks: %d, threads: %d", static_cast<int>(counts.value() & 0xFFFFFFFF), static_cast<int>(counts.value() >> 32));
        CHECK(aclrtBinaryUnLoad(binary));
    }
    return end();
}
