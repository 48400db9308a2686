// Random numbers, an allocator of the program, and what a chip can do.
#include "programs.h"

#include "acl/acl_rt_allocator.h"

#include <cmath>
#include <cstring>

int runtime_compatibility(int, char **)
{
    char package[] = "runtime", version[ACL_PKG_VERSION_MAX_SIZE] = "";
    const aclCannAttr *attributes = nullptr;
    size_t count = 0;
    int32_t compatible = -1, capable = -1, supported[3] = {};
    CHECK(begin());
    CHECK(aclsysGetVersionStr(package, version));
    INFO("version: %d", version[0] != '\0');
    CHECK(aclGetCannAttributeList(&attributes, &count));
    for (size_t i = 0; i < count && i < 3; ++i) {
        CHECK(aclGetCannAttribute(attributes[i], &supported[i]));
    }
    INFO("attributes: %zu, supported: %d %d %d", count, supported[0], supported[1], supported[2]);
    CHECK(aclrtCheckArchCompatibility(aclrtGetSocName(), &compatible));
    INFO("compatible: %d", compatible);
    CHECK(aclrtGetDeviceCapability(0, ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV, &capable));
    INFO("capable: %d", capable);
    return end();
}

static const size_t NUMBERS = 128;

template <typename T>
static aclrtRandomParaInfo parameter(T value)
{
    aclrtRandomParaInfo result{};
    result.size = sizeof(value);
    std::memcpy(result.valueOrAddr, &value, sizeof(value));
    return result;
}

// Queue a task with seed 0 and a counter of zeros; `first` to `last` are the bounds of the values.
template <typename T, typename Inside>
static int random(aclrtStream stream, aclDataType type, const aclrtRandomNumFuncParaInfo &function, const char *name, Inside inside)
{
    void *counter = nullptr, *memory = nullptr;
    T values[NUMBERS];
    CHECK(aclrtMalloc(&counter, 16, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMalloc(&memory, sizeof(values), ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMemset(counter, 16, 0, 16));
    CHECK(aclrtMemset(memory, sizeof(values), 0, sizeof(values)));
    aclrtRandomNumTaskInfo task{};
    task.dataType = type;
    task.randomNumFuncParaInfo = function;
    task.randomResultAddr = memory;
    task.randomCounterAddr = counter;
    task.randomSeed = parameter(uint64_t{0});
    task.randomNum = parameter(uint64_t{NUMBERS});
    CHECK(aclrtRandomNumAsync(&task, stream, nullptr));
    CHECK(aclrtSynchronizeStream(stream));
    CHECK(aclrtMemcpy(values, sizeof(values), memory, sizeof(values), ACL_MEMCPY_DEVICE_TO_HOST));
    size_t right = 0;
    bool differs = false;
    for (size_t i = 0; i < NUMBERS; ++i) {
        right += inside(values[i]);
        differs = differs || values[i] != values[0];
    }
    INFO("%s: %zu, %d", name, right, differs);
    CHECK(aclrtFree(counter));
    CHECK(aclrtFree(memory));
    return 0;
}

static float of_bfloat16(uint16_t bits)
{
    const uint32_t wide = static_cast<uint32_t>(bits) << 16;
    float value;
    std::memcpy(&value, &wide, sizeof(value));
    return value;
}

int random_numbers(int, char **)
{
    aclrtStream stream = nullptr;
    aclrtRandomNumFuncParaInfo function{};
    CHECK(begin());
    CHECK(aclrtCreateStream(&stream));
    function.funcType = ACL_RT_RANDOM_NUM_FUNC_TYPE_NORMAL_DIS;
    function.paramInfo.normalDisInfo = {parameter(3.0f), parameter(2.0f)};
    CHECK(random<float>(stream, ACL_FLOAT, function, "normal", [](float each) { return std::fabs(each - 3) < 12; }));
    function.funcType = ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS;
    function.paramInfo.normalDisInfo = {parameter(uint16_t{0x3F80}), parameter(uint16_t{0x4000})};
    CHECK(random<uint16_t>(stream, ACL_BF16, function, "truncated normal",
                           [](uint16_t each) { return std::fabs(of_bfloat16(each) - 1) <= 4; }));
    function.funcType = ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS;
    function.paramInfo.uniformDisInfo = {parameter(aclFloatToFloat16(1)), parameter(aclFloatToFloat16(2))};
    CHECK(random<aclFloat16>(stream, ACL_FLOAT16, function, "uniform halves", [](aclFloat16 each) {
        const float value = aclFloat16ToFloat(each);
        return value >= 1 && value <= 2;
    }));
    function.paramInfo.uniformDisInfo = {parameter(int32_t{1}), parameter(int32_t{100})};
    CHECK(random<int32_t>(stream, ACL_INT32, function, "uniform integers", [](int32_t each) { return each >= 1 && each < 100; }));
    function.funcType = ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK;
    function.paramInfo.dropoutBitmaskInfo = {parameter(0.5f)};
    CHECK(random<uint8_t>(stream, ACL_FLOAT, function, "bytes of the mask", [](uint8_t each) { return each != 0; }));
    CHECK(aclrtDestroyStream(stream));
    return end();
}

struct Pool {
    int allocations = 0;
    int frees = 0;
};

static void *allocate(aclrtAllocator pool, size_t size)
{
    void *block = nullptr;
    ++static_cast<Pool *>(pool)->allocations;
    INFO("allocation: %zu", size);
    return aclrtMalloc(&block, size, ACL_MEM_MALLOC_HUGE_FIRST) == 0 ? block : nullptr;
}

static void *allocate_near(aclrtAllocator pool, size_t size, aclrtAllocatorAddr)
{
    INFO("advice: %zu", size);
    return allocate(pool, size);
}

static void release(aclrtAllocator pool, aclrtAllocatorBlock block)
{
    ++static_cast<Pool *>(pool)->frees;
    INFO("free: %d", static_cast<int>(aclrtFree(block)));
}

static void *address_of(aclrtAllocatorBlock block) { return block; }

int custom_allocator(int, char **)
{
    Pool pool;
    aclrtStream stream = nullptr;
    aclrtAllocatorDesc same = nullptr;
    aclrtAllocator registered = nullptr;
    aclrtAllocatorAllocFunc allocates = nullptr;
    aclrtAllocatorFreeFunc frees = nullptr;
    aclrtAllocatorAllocAdviseFunc advises = nullptr;
    aclrtAllocatorGetAddrFromBlockFunc address = nullptr;
    CHECK(begin());
    CHECK(aclrtCreateStream(&stream));
    aclrtAllocatorDesc description = aclrtAllocatorCreateDesc();
    CHECK(aclrtAllocatorSetObjToDesc(description, &pool));
    CHECK(aclrtAllocatorSetAllocFuncToDesc(description, allocate));
    CHECK(aclrtAllocatorSetFreeFuncToDesc(description, release));
    CHECK(aclrtAllocatorSetAllocAdviseFuncToDesc(description, allocate_near));
    CHECK(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(description, address_of));
    CHECK(aclrtAllocatorRegister(stream, description));
    CHECK(aclrtAllocatorGetByStream(stream, &same, &registered, &allocates, &frees, &advises, &address));
    aclrtAllocatorBlock first = allocates(registered, 256), second = advises(registered, 128, nullptr);
    CHECK(address(first) == nullptr || address(second) == nullptr);
    frees(registered, first);
    frees(registered, second);
    INFO("allocations: %d, frees: %d", pool.allocations, pool.frees);
    CHECK(aclrtAllocatorUnregister(stream));
    CHECK(aclrtAllocatorDestroyDesc(description));
    CHECK(aclrtDestroyStream(stream));
    return end();
}
