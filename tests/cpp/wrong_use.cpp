// One wrong use in each run; the argument names it. The line that the report must name ends in a comment with this
// name. A second argument is the number of right launches before it.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "aclnnop/aclnn_embedding_dense_backward.h"
#include "aclnnop/aclnn_softmax_backward.h"
#include "sample.h"

static aclrtStream stream;
static Tensor gradOutput, output, out;
static void *workspace;
static aclOpExecutor *used;

static int earlier; // launches before the wrong use

static int launch()
{
    CHECK(create(std::vector<float>(8, 1), {4, 2}, &gradOutput));
    CHECK(create(std::vector<float>(8, 1), {4, 2}, &output));
    CHECK(create(std::vector<float>(8), {4, 2}, &out));
    uint64_t size = 0;
    CHECK(aclnnSoftmaxBackwardGetWorkspaceSize(gradOutput.handle, output.handle, 0, out.handle, &size, &used));
    if (size > 0) CHECK(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclnnSoftmaxBackward(workspace, size, used, stream));
    return ACL_SUCCESS;
}

// Launched, and not waited for.
static int launched()
{
    for (; earlier > 0; --earlier) {
        CHECK(launch());
        CHECK(aclrtSynchronizeStream(stream));
        CHECK(release({&gradOutput, &output, &out}));
        if (workspace != nullptr) CHECK(aclrtFree(workspace));
        workspace = nullptr;
    }
    return launch();
}

static int settled()
{
    CHECK(aclrtSynchronizeStream(stream));
    CHECK(release({&gradOutput, &output, &out}));
    if (workspace != nullptr) CHECK(aclrtFree(workspace));
    return end(0, stream);
}

// The host changes pinned memory while a queued copy uses it; this is not a call.
static int touched(aclrtMemcpyKind kind, bool by_library = false)
{
    CHECK(create(std::vector<float>(8, 1), {4, 2}, &out));
    float *host = nullptr;
    CHECK(aclrtMallocHost(reinterpret_cast<void **>(&host), 32));
    std::memset(host, 0, 32);
    volatile float *values = host;
    if (kind == ACL_MEMCPY_DEVICE_TO_HOST) {
        CHECK(aclrtMemcpyAsync(host, 32, out.address, 32, kind, stream));
        std::vector<float> copy(8);
        if (by_library) std::memcpy(copy.data(), host, 4 * copy.size());  // pinned-memory-copied
        std::printf("%g\n", static_cast<double>(values[2]));  // pinned-memory-read
    } else {
        CHECK(aclrtMemcpyAsync(out.address, 32, host, 32, kind, stream));
        values[2] = 1;  // pinned-reuse
    }
    CHECK(aclrtSynchronizeStream(stream));
    CHECK(release({&out}));
    CHECK(aclrtFreeHost(host));
    return end(0, stream);
}

int main(int count, char **arguments)
{
    const std::string what = arguments[1];
    if (count > 2) earlier = std::atoi(arguments[2]);
    CHECK(begin(0, &stream));
    if (what == "none") {
        CHECK(launched());
        return settled();
    }
    if (what == "device-pointer-read") {
        CHECK(create(std::vector<float>(8, 1), {4, 2}, &gradOutput));
        const volatile float *values = static_cast<float *>(gradOutput.address);
        std::printf("%f\n", static_cast<double>(values[2]));  // device-pointer-read
    }
    if (what == "device-pointer-copied") {
        CHECK(create(std::vector<float>(8, 1), {4, 2}, &gradOutput));
        std::vector<float> values(6);
        const float *device = static_cast<float *>(gradOutput.address) + 2;
        std::copy(device, device + values.size(), values.begin());  // device-pointer-copied
        std::printf("%f\n", static_cast<double>(values[2]));
    }
    if (what == "device-pointer-written") {
        CHECK(create(std::vector<float>(8, 1), {4, 2}, &gradOutput));
        volatile float *values = static_cast<float *>(gradOutput.address);
        values[2] = 1;  // device-pointer-written
    }
    if (what == "freed-device-pointer") {
        void *address = nullptr;
        CHECK(aclrtMalloc(&address, 64, ACL_MEM_MALLOC_HUGE_FIRST));
        CHECK(aclrtFree(address));
        *static_cast<volatile char *>(address) = 1;  // freed-device-pointer
    }
    if (what == "handle") {
        CHECK(create(std::vector<float>(8, 1), {4, 2}, &gradOutput));
        std::printf("%d\n", *reinterpret_cast<volatile int *>(gradOutput.handle));  // handle
    }
    if (what == "stream-handle") *static_cast<volatile int *>(stream) = 1;  // stream-handle
    if (what == "null-pointer") *static_cast<volatile int *>(nullptr) = 1;  // null-pointer
    if (what == "tensor-double-destroy") {
        CHECK(create(std::vector<float>(8, 1), {4, 2}, &gradOutput));
        CHECK(aclDestroyTensor(gradOutput.handle));
        aclDestroyTensor(gradOutput.handle);  // tensor-double-destroy
        CHECK(aclrtFree(gradOutput.address));
        return end(0, stream);
    }
    if (what == "ws-freed-early") {
        CHECK(launched());
        aclrtFree(workspace);  // ws-freed-early
        workspace = nullptr;
        return settled();
    }
    if (what == "io-freed-early") {
        CHECK(launched());
        aclrtFree(out.address);  // io-freed-early
        CHECK(aclrtMalloc(&out.address, 32, ACL_MEM_MALLOC_HUGE_FIRST));
        return settled();
    }
    if (what == "read-before-sync") {
        CHECK(launched());
        float values[8];
        aclrtMemcpy(values, sizeof values, out.address, sizeof values, ACL_MEMCPY_DEVICE_TO_HOST);  // read-before-sync
        return settled();
    }
    if (what == "pinned-memory-read") return touched(ACL_MEMCPY_DEVICE_TO_HOST);
    if (what == "pinned-memory-copied") return touched(ACL_MEMCPY_DEVICE_TO_HOST, true);
    if (what == "pinned-reuse") return touched(ACL_MEMCPY_HOST_TO_DEVICE);
    if (what == "data-freed-under-tensor") {
        CHECK(create(std::vector<float>(8, 1), {4, 2}, &gradOutput));
        CHECK(create(std::vector<float>(8, 1), {4, 2}, &out));
        uint64_t size = 0;
        aclOpExecutor *executor = nullptr;
        CHECK(aclnnSoftmaxBackwardGetWorkspaceSize(gradOutput.handle, gradOutput.handle, 0, out.handle, &size,
                                                   &executor));
        CHECK(aclrtFree(gradOutput.address));
        aclnnSoftmaxBackward(nullptr, 0, executor, stream);  // data-freed-under-tensor
        aclrtSynchronizeStream(stream);
        CHECK(aclDestroyTensor(gradOutput.handle));
        CHECK(release({&out}));
        return end(0, stream);
    }
    if (what == "exec-reused") {
        CHECK(launched());
        CHECK(aclrtSynchronizeStream(stream));
        aclnnSoftmaxBackward(workspace, 512, used, stream);  // exec-reused
        return settled();
    }
    if (what == "index-range") {
        Tensor indices;
        CHECK(create(std::vector<float>(8, 1), {4, 2}, &gradOutput));
        CHECK(create(std::vector<int64_t>{0, 1, 2, 4}, {4}, &indices));
        CHECK(create(std::vector<float>(8), {4, 2}, &out));
        uint64_t size = 0;
        CHECK(aclnnEmbeddingDenseBackwardGetWorkspaceSize(gradOutput.handle, indices.handle, 4, 0, false, out.handle, &size,
                                                          &used));
        if (size > 0) CHECK(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
        CHECK(aclnnEmbeddingDenseBackward(workspace, size, used, stream));
        if (aclrtSynchronizeStream(stream) == ACL_SUCCESS) return 1;  // index-range
        CHECK(release({&gradOutput, &indices, &out}));
        if (workspace != nullptr) CHECK(aclrtFree(workspace));
        return end(0, stream);
    }
    if (what == "mem-leaked") {
        void *address = nullptr;
        CHECK(aclrtMalloc(&address, 64, ACL_MEM_MALLOC_HUGE_FIRST));  // mem-leaked
        return end(0, stream);
    }
    if (what == "foreign-pointers") {  // statuses, where the API has them
        int local = 0;
        const bool refused = aclrtFree(&local) != ACL_SUCCESS &&
                             aclrtFree(reinterpret_cast<void *>(8)) != ACL_SUCCESS &&
                             aclDestroyTensor(reinterpret_cast<aclTensor *>(&local)) != ACL_SUCCESS &&
                             aclrtSynchronizeStream(&local) != ACL_SUCCESS &&
                             aclrtMalloc(nullptr, 64, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS &&
                             aclrtCreateStream(nullptr) != ACL_SUCCESS && aclrtGetDeviceCount(nullptr) != ACL_SUCCESS;
        std::printf("%s\n", refused ? "all refused" : "one succeeded");
        return end(0, stream);
    }
    std::fprintf(stderr, "no such mistake: %s\n", what.c_str());
    return 1;
}
