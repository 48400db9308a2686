// Kernels of a binary: arguments by value and by place holder, limits of cores, mapped memory of the host.
#include "programs.h"

#include <string>
#include <vector>

static const size_t ELEMENTS = 16384;
static const size_t SIZE = ELEMENTS * sizeof(aclFloat16);
static const uint32_t BLOCKS = 8;

struct Loaded {
    aclrtBinHandle binary = nullptr;
    aclrtFuncHandle function = nullptr;
};

static int load(const std::string &folder, const std::string &mode, const char *kernel, Loaded &loaded)
{
    const std::string name = "ascendc_kernels_" + mode;
    const std::string path = folder + "/" + name + "/" + name + ".o";
    CHECK(aclrtBinaryLoadFromFile(path.c_str(), nullptr, &loaded.binary));
    CHECK(aclrtBinaryGetFunction(loaded.binary, kernel, &loaded.function));
    return 0;
}

static bool right(const aclFloat16 *z)
{
    for (size_t i = 0; i < ELEMENTS; ++i) {
        if (aclFloat16ToFloat(z[i]) != static_cast<float>(3 * (i % 100))) {
            return false;
        }
    }
    return true;
}

static void fill(aclFloat16 *x, aclFloat16 *y)
{
    for (size_t i = 0; i < ELEMENTS; ++i) {
        x[i] = aclFloatToFloat16(static_cast<float>(i % 100));
        y[i] = aclFloatToFloat16(static_cast<float>(2 * (i % 100)));
    }
}

static int append_pointers(aclrtArgsHandle arguments, void *(&addresses)[3])
{
    aclrtParamHandle parameter = nullptr;
    for (void *&each : addresses) {
        CHECK(aclrtKernelArgsAppend(arguments, &each, sizeof(each), &parameter));
    }
    return 0;
}

static int set_number(aclrtArgsHandle arguments, aclrtParamHandle parameter, int32_t number)
{
    void *buffer = nullptr;
    CHECK(aclrtKernelArgsGetPlaceHolderBuffer(arguments, parameter, sizeof(number), &buffer));
    *static_cast<int32_t *>(buffer) = number;
    return 0;
}

static int launched(const std::string &folder, const std::string &mode)
{
    Loaded loaded;
    std::vector<aclFloat16> x(ELEMENTS), y(ELEMENTS), z(ELEMENTS);
    void *addresses[3] = {};
    aclrtStream stream = nullptr;
    aclrtArgsHandle arguments = nullptr;
    fill(x.data(), y.data());
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&stream));
    for (void *&each : addresses) {
        CHECK(aclrtMalloc(&each, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    }
    CHECK(aclrtMemcpy(addresses[0], SIZE, x.data(), SIZE, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK(aclrtMemcpy(addresses[1], SIZE, y.data(), SIZE, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK(load(folder, mode, mode == "simple" ? "add_custom" : "add_placeholder", loaded));
    CHECK(aclrtKernelArgsInit(loaded.function, &arguments));
    CHECK(append_pointers(arguments, addresses));
    if (mode == "placeholder") {
        aclrtParamHandle length = nullptr, tiles = nullptr;
        CHECK(aclrtKernelArgsAppendPlaceHolder(arguments, &length));
        CHECK(aclrtKernelArgsAppendPlaceHolder(arguments, &tiles));
        CHECK(set_number(arguments, length, static_cast<int32_t>(ELEMENTS)));
        CHECK(set_number(arguments, tiles, 8));
    }
    CHECK(aclrtKernelArgsFinalize(arguments));
    CHECK(aclrtLaunchKernelWithConfig(loaded.function, BLOCKS, stream, nullptr, arguments, nullptr));
    CHECK(aclrtSynchronizeStream(stream));
    CHECK(aclrtMemcpy(z.data(), SIZE, addresses[2], SIZE, ACL_MEMCPY_DEVICE_TO_HOST));
    INFO("%s: %s", mode.c_str(), right(z.data()) ? "SUCCESS" : "wrong");
    CHECK(aclrtBinaryUnLoad(loaded.binary));
    for (void *each : addresses) {
        CHECK(aclrtFree(each));
    }
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return 0;
}

int launch_simple(int, char **argv) { return launched(argv[1], "simple"); }

int launch_placeholder(int, char **argv) { return launched(argv[1], "placeholder"); }

int launch_with_reslimit(int, char **)
{
    uint32_t limit = 0;
    aclrtStream stream = nullptr;
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&stream));
    CHECK(aclrtSetStreamResLimit(stream, ACL_RT_DEV_RES_CUBE_CORE, BLOCKS));
    CHECK(aclrtGetStreamResLimit(stream, ACL_RT_DEV_RES_CUBE_CORE, &limit));
    INFO("limit: %u", limit);
    CHECK(aclrtUseStreamResInCurrentThread(stream));
    PrintDo(BLOCKS, stream);
    CHECK(aclrtSynchronizeStream(stream));
    CHECK(aclrtUnuseStreamResInCurrentThread(stream));
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return 0;
}

// The sums of two arrays by a kernel, which uses memory of the host by these addresses.
static int sums(const char *folder, void *(&addresses)[3])
{
    Loaded loaded;
    aclrtStream stream = nullptr;
    aclrtArgsHandle arguments = nullptr;
    CHECK(aclrtCreateStream(&stream));
    CHECK(load(folder, "simple", "add_custom", loaded));
    CHECK(aclrtKernelArgsInit(loaded.function, &arguments));
    CHECK(append_pointers(arguments, addresses));
    CHECK(aclrtKernelArgsFinalize(arguments));
    CHECK(aclrtLaunchKernelWithConfig(loaded.function, BLOCKS, stream, nullptr, arguments, nullptr));
    CHECK(aclrtSynchronizeStream(stream));
    CHECK(aclrtBinaryUnLoad(loaded.binary));
    CHECK(aclrtDestroyStream(stream));
    return 0;
}

int zero_copy(int, char **argv)
{
    std::vector<aclFloat16> hosts[3];
    void *addresses[3] = {};
    CHECK(begin());
    for (int i = 0; i < 3; ++i) {
        hosts[i].resize(ELEMENTS);
        CHECK(aclrtHostRegister(hosts[i].data(), SIZE, ACL_HOST_REGISTER_MAPPED, &addresses[i]));
    }
    fill(hosts[0].data(), hosts[1].data());
    CHECK(sums(argv[1], addresses));
    INFO("zero copy: %s", right(hosts[2].data()) ? "SUCCESS" : "wrong");
    for (auto &each : hosts) {
        CHECK(aclrtHostUnregister(each.data()));
    }
    return end();
}

int managed_memory(int, char **argv)
{
    void *addresses[3] = {};
    CHECK(begin());
    for (void *&each : addresses) {
        CHECK(aclrtMemAllocManaged(&each, SIZE, 1));
    }
    fill(static_cast<aclFloat16 *>(addresses[0]), static_cast<aclFloat16 *>(addresses[1]));
    CHECK(sums(argv[1], addresses));
    INFO("managed memory: %s", right(static_cast<aclFloat16 *>(addresses[2])) ? "SUCCESS" : "wrong");
    for (void *each : addresses) {
        CHECK(aclrtFree(each));
    }
    return end();
}
