// Ways in which public host programs use the headers; compiled with all warnings as errors under every standard, and
// run: it ends with 0, or with the line of the first check that failed.
#include "acl/acl.h"
#include "acl/acl_op.h"
#include "acl/acl_op_compiler.h"
#include "acl/acl_rt.h"
#include "acl/acl_rt_api.h"
#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_softmax_backward.h"
#include "aclnnop/aclnn_util.h"
#include "aclnnop/level2/aclnn_prelu_backward.h"
#include "opdev/op_errno.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#define LOG_PRINT(...) printf(__VA_ARGS__)
#define CHECK_RET(cond, return_expr) \
    do {                             \
        if (!(cond)) {               \
            return_expr;             \
        }                            \
    } while (0)
#define EXPECT(condition)                                   \
    do {                                                    \
        if (!(condition)) {                                 \
            fprintf(stderr, "%d: " #condition "\n", __LINE__); \
            return __LINE__ % 256;                          \
        }                                                   \
    } while (0)

// exact prototypes: const, result, parameters
static_assert(std::is_same<decltype(&aclDestroyTensor), aclnnStatus (*)(const aclTensor *)>::value, "");
static_assert(std::is_same<decltype(&aclDestroyAclOpExecutor), aclnnStatus (*)(aclOpExecutor *)>::value, "");
static_assert(std::is_same<decltype(&aclCreateScalar), aclScalar *(*)(void *, aclDataType)>::value, "");
static_assert(std::is_same<decltype(&aclCreateTensorList),
                           aclTensorList *(*)(const aclTensor *const *, uint64_t)>::value, "");
static_assert(std::is_same<decltype(&aclGetRecentErrMsg), const char *(*)()>::value, "");
static_assert(std::is_same<decltype(&aclnnSoftmaxBackwardGetWorkspaceSize),
                           aclnnStatus (*)(const aclTensor *, const aclTensor *, int64_t, aclTensor *, uint64_t *,
                                           aclOpExecutor **)>::value, "");
static_assert(std::is_same<decltype(&aclnnSoftmaxBackward),
                           aclnnStatus (*)(void *, uint64_t, aclOpExecutor *, aclrtStream)>::value, "");
static_assert(std::is_same<aclnnStatus, int32_t>::value && std::is_same<aclError, int>::value, "");
static_assert(std::is_same<aclFloat16, uint16_t>::value && std::is_same<aclrtStream, void *>::value, "");
static_assert(ACL_SUCCESS == 0 && ACLNN_SUCCESS == ACL_SUCCESS && OK == 0, "constants, in constant expressions");

class ScopedDevice {
public:
    explicit ScopedDevice(int32_t id) : id_(id), status_(aclrtSetDevice(id)) {}
    ~ScopedDevice() { (void)aclrtResetDevice(id_); }
    ScopedDevice(const ScopedDevice &) = delete;
    ScopedDevice &operator=(const ScopedDevice &) = delete;
    aclError status() const { return status_; }

private:
    int32_t id_;
    aclError status_;
};

static std::string nameOf(aclDataType type)
{
    switch (type) {
        case ACL_FLOAT: return "float32";
        case aclDataType::ACL_FLOAT16: return "float16";
        case ACL_BF16: return "bfloat16";
        default: return "other";
    }
}

static const char *meaningOf(int status)
{
    switch (status) {
        case ACL_SUCCESS: return "success";
        case ACL_ERROR_INVALID_PARAM: return "an invalid parameter";
        case ACLNN_ERR_PARAM_NULLPTR: return "a null pointer";
        default: return "another";
    }
}

template <typename T>
int CreateAclTensor(const std::vector<T> &hostData, const std::vector<int64_t> &shape, void **deviceAddr,
                    aclDataType dataType, aclTensor **tensor)
{
    auto size = hostData.size() * sizeof(T);
    auto ret = aclrtMalloc(deviceAddr, size, ACL_MEM_MALLOC_HUGE_FIRST);
    CHECK_RET(ret == ACL_SUCCESS, LOG_PRINT("aclrtMalloc failed. ERROR: %d\n", ret); return ret);
    ret = aclrtMemcpy(*deviceAddr, size, hostData.data(), size, ACL_MEMCPY_HOST_TO_DEVICE);
    CHECK_RET(ret == ACL_SUCCESS, LOG_PRINT("aclrtMemcpy failed. ERROR: %d\n", ret); return ret);
    std::vector<int64_t> strides(shape.size(), 1);
    for (int64_t i = static_cast<int64_t>(shape.size()) - 2; i >= 0; i--) {
        strides[static_cast<size_t>(i)] = shape[static_cast<size_t>(i) + 1] * strides[static_cast<size_t>(i) + 1];
    }
    *tensor = aclCreateTensor(shape.data(), shape.size(), dataType, strides.data(), 0, aclFormat::ACL_FORMAT_ND,
                              shape.data(), shape.size(), *deviceAddr);
    return 0;
}

static int softmax(aclrtStream stream)
{
    std::vector<int64_t> shape = {1, 2};
    void *gradAddr = nullptr, *yAddr = nullptr, *outAddr = nullptr;
    aclTensor *grad = nullptr, *y = nullptr, *out = nullptr;
    EXPECT(CreateAclTensor<float>({1, 3}, shape, &gradAddr, aclDataType::ACL_FLOAT, &grad) == ACL_SUCCESS);
    std::unique_ptr<aclTensor, aclnnStatus (*)(const aclTensor *)> gradTensor(grad, aclDestroyTensor);
    std::unique_ptr<void, aclError (*)(void *)> gradMemory(gradAddr, aclrtFree);
    EXPECT(CreateAclTensor<float>({0.5F, 0.5F}, shape, &yAddr, ACL_FLOAT, &y) == ACL_SUCCESS);
    std::unique_ptr<aclTensor, aclnnStatus (*)(const aclTensor *)> yTensor(y, aclDestroyTensor);
    std::unique_ptr<void, aclError (*)(void *)> yMemory(yAddr, aclrtFree);
    EXPECT(CreateAclTensor<float>({0, 0}, shape, &outAddr, ACL_FLOAT, &out) == ACL_SUCCESS);
    std::unique_ptr<aclTensor, decltype(&aclDestroyTensor)> outTensor(out, &aclDestroyTensor);
    std::unique_ptr<void, decltype(&aclrtFree)> outMemory(outAddr, &aclrtFree);
    uint64_t workspaceSize = 0;
    aclOpExecutor *executor;
    aclnnStatus ret = aclnnSoftmaxBackwardGetWorkspaceSize(grad, y, -1, out, &workspaceSize, &executor);
    CHECK_RET(ret == ACL_SUCCESS, LOG_PRINT("failed: %d %s\n", ret, aclGetRecentErrMsg()); return ret);
    std::unique_ptr<void, aclError (*)(void *)> workspace(nullptr, aclrtFree);
    if (workspaceSize > static_cast<uint64_t>(0)) {
        void *address = nullptr;
        EXPECT(aclrtMalloc(&address, workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS);
        workspace.reset(address);
    }
    ret = aclnnSoftmaxBackward(workspace.get(), workspaceSize, executor, stream);
    EXPECT(ret == ACLNN_SUCCESS);
    EXPECT(aclrtSynchronizeStream(stream) == ACL_SUCCESS);
    std::vector<float> result(2, 0);
    EXPECT(aclrtMemcpy(result.data(), result.size() * sizeof(result[0]), outAddr, result.size() * sizeof(result[0]),
                       ACL_MEMCPY_DEVICE_TO_HOST) == ACL_SUCCESS);
    EXPECT(std::fabs(result[0] + 0.5F) < 1e-6F && std::fabs(result[1] - 0.5F) < 1e-6F);
    int64_t *dims = nullptr;
    uint64_t count = 0;
    EXPECT(aclGetViewShape(out, &dims, &count) == OK);
    EXPECT(count == shape.size() && std::equal(shape.begin(), shape.end(), dims));
    delete[] dims;
    return 0;
}

// acl_rt_api.h: typed pointers, further arguments; the functions of C still work
static int overloads()
{
    float *numbers = nullptr, *pinned = nullptr;
    EXPECT(aclrtMalloc(&numbers, 64) == ACL_SUCCESS);
    EXPECT(aclrtFree(numbers) == ACL_SUCCESS);
    aclrtMallocAttribute attribute = {ACL_RT_MEM_ATTR_MODULE_ID, {}};
    attribute.value.moduleId = 3;
    aclrtMallocConfig config = {&attribute, 1};
    EXPECT(aclrtMalloc(&numbers, 64, ACL_MEM_MALLOC_HUGE_FIRST, &config) == ACL_SUCCESS);
    EXPECT(aclrtMallocHost(&pinned, 64) == ACL_SUCCESS);
    std::fill(pinned, pinned + 16, 2.5F);
    EXPECT(aclrtMemcpy(numbers, 64, pinned, 64, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_SUCCESS);
    std::array<float, 16> back;
    EXPECT(aclrtMemcpy(back.data(), 64, numbers, 64, ACL_MEMCPY_DEVICE_TO_HOST) == ACL_SUCCESS);
    EXPECT(back[15] >= 2.5F && back[15] <= 2.5F);
    EXPECT(aclrtFreeHost(pinned) == ACL_SUCCESS);
    EXPECT(aclrtMallocHost(&pinned, 64, &config) == ACL_SUCCESS);
    EXPECT(aclrtFreeHost(pinned) == ACL_SUCCESS);
    EXPECT(aclrtFree(numbers) == ACL_SUCCESS);
    void *plain = nullptr;
    EXPECT(aclrtMalloc(&plain, 64) == ACL_SUCCESS);
    EXPECT(aclrtFree(plain) == ACL_SUCCESS);
    aclrtStream stream = nullptr;
    EXPECT(aclrtCreateStream(&stream, 0U, ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC) == ACL_SUCCESS);
    aclrtEvent event = nullptr;
    EXPECT(aclrtCreateEvent(&event, ACL_EVENT_SYNC) == ACL_SUCCESS);
    EXPECT(aclrtRecordEvent(event, stream) == ACL_SUCCESS);
    EXPECT(aclrtStreamWaitEvent(stream, event) == ACL_SUCCESS);
    EXPECT(aclrtStreamWaitEvent(stream, event, 10) == ACL_SUCCESS);
    EXPECT(aclrtSynchronizeEvent(event, 1000) == ACL_SUCCESS);
    EXPECT(aclrtSynchronizeStream(stream, 1000) == ACL_SUCCESS);
    EXPECT(aclrtSynchronizeDevice(1000) == ACL_SUCCESS && aclrtSynchronizeDevice() == ACL_SUCCESS);
    uint64_t actual = 0;
    EXPECT(aclrtSetOpExecuteTimeOut(2000000, &actual) == ACL_SUCCESS && actual > 0);
    EXPECT(aclrtDestroyEvent(event) == ACL_SUCCESS && aclrtDestroyStream(stream) == ACL_SUCCESS);
    return 0;
}

// macros compared with an int and with a uint32_t, as functions return them
static int macros()
{
    int32_t major = 0, minor = 0, patch = 0, feature = 0;
    EXPECT(aclrtGetVersion(&major, &minor, &patch) == ACL_SUCCESS);
    EXPECT(major == ACL_MAJOR_VERSION && minor >= ACL_MINOR_VERSION);
    EXPECT(aclrtGetDeviceCapability(0, ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV, &feature) == ACL_SUCCESS);
    EXPECT(feature == ACL_DEV_FEATURE_SUPPORT || feature == ACL_DEV_FEATURE_NOT_SUPPORT);
    char version[ACL_PKG_VERSION_MAX_SIZE] = {0};
    for (int place = 0; place < ACL_PKG_VERSION_MAX_SIZE; place++) EXPECT(version[place] == 0);
    for (size_t place = 0; place < ACL_PKG_VERSION_MAX_SIZE; place++) EXPECT(version[place] == 0);
    const auto flag = ACL_EVENT_SYNC;
    uint32_t flags = ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE;
    EXPECT((flags & flag) == ACL_EVENT_SYNC && std::max(flags, ACL_STREAM_FAST_SYNC) == flags);
    ACL_APP_LOG(ACL_INFO, "no arguments");
    ACL_APP_LOG(ACL_INFO, "%d of %s", 1, "two");
    return 0;
}

int main()
{
    auto ret = aclInit(nullptr);
    CHECK_RET(ret == ACL_SUCCESS, LOG_PRINT("aclInit failed. ERROR: %d\n", ret); return ret);
    {
        ScopedDevice device(0);
        EXPECT(device.status() == ACL_SUCCESS);
        aclrtStream stream = nullptr;
        EXPECT(aclrtCreateStream(&stream) == ACL_SUCCESS);
        const std::map<aclDataType, size_t> sizes = {{ACL_FLOAT, 4}, {ACL_FLOAT16, 2}, {ACL_INT64, 8}};
        for (const auto &each : sizes) EXPECT(aclDataTypeSize(each.first) == each.second);
        EXPECT(nameOf(ACL_BF16) == "bfloat16" && nameOf(ACL_INT8) == "other");
        const aclFloat16 half = aclFloatToFloat16(1.5F);
        EXPECT(aclFloat16ToFloat(half) >= 1.5F && half == 0x3E00);
        const std::function<aclError(void *)> release = aclrtFree;
        EXPECT(release(nullptr) == ACL_ERROR_INVALID_PARAM);
        EXPECT(std::string(meaningOf(aclrtFree(nullptr))) == "an invalid parameter");
        EXPECT(aclnnSoftmaxBackwardGetWorkspaceSize(nullptr, nullptr, 0, nullptr, nullptr, nullptr) != ACLNN_SUCCESS);
        EXPECT(std::string(aclGetRecentErrMsg()).find("devPtr") != std::string::npos);
        int line = softmax(stream);
        line = line != 0 ? line : overloads();
        line = line != 0 ? line : macros();
        if (line != 0) return line;
        float scale = 2.0F;
        aclScalar *scalar = aclCreateScalar(&scale, ACL_FLOAT);
        EXPECT(scalar != nullptr && aclDestroyScalar(scalar) == OK);
        aclIntArray *none = aclCreateIntArray(nullptr, 0);
        EXPECT(aclDestroyIntArray(none) == OK);
        EXPECT(aclrtDestroyStream(stream) == ACL_SUCCESS);
        LOG_PRINT("done %s\n", aclrtGetSocName());
    }
    return aclFinalize();
}
