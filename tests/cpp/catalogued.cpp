// Calls functions of the catalogue: one that has no kernel, one with references that this product does not support, and
// one without a second phase.
#include "aclnnop/aclnn_fatrelu_mul.h"
#include "aclnnop/aclnn_moe_distribute_combine_setup.h"
#include "aclnnop/aclnn_set_pytorch_random.h"
#include "sample.h"

int main()
{
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    void *memory[2] = {};
    for (void *&each : memory) CHECK(aclrtMalloc(&each, 8, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMemset(memory[0], 8, 0, 8));
    const int64_t shape[] = {1, 2}, half[] = {1, 1};
    aclTensor *self = aclCreateTensor(shape, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape, 2, memory[0]);
    aclTensor *out = aclCreateTensor(half, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, half, 2, memory[1]);
    uint64_t size = 1;
    aclOpExecutor *executor = nullptr;
    std::printf("null: %d\n", aclnnFatreluMulGetWorkspaceSize(nullptr, out, out, &size, &executor));
    std::printf("plan: %d", aclnnFatreluMulGetWorkspaceSize(self, out, out, &size, &executor));
    std::printf(", workspace %d\n", static_cast<int>(size));
    std::printf("launch: %d\n", aclnnFatreluMul(nullptr, 0, executor, nullptr));
    std::printf("%s\n", std::strstr(aclGetRecentErrMsg(), "no kernel") != nullptr ? "says why" : "says nothing");
    uint64_t message = 1, info = 2;
    std::printf("references: %d\n", aclnnMoeDistributeCombineSetupTeardownCalcOutputSize(
        self, self, self, "group", 8, 0, 8, 0, 1, 0, 0, 0, 0, "", message, info));
    std::printf("one phase: %d\n", aclnnSetPytorchRandom(1));
    CHECK(aclDestroyTensor(self));
    CHECK(aclDestroyTensor(out));
    for (void *each : memory) CHECK(aclrtFree(each));
    CHECK(aclrtResetDevice(0));
    return aclFinalize();
}
