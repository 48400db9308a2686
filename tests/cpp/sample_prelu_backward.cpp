// The sample of aclnnPreluBackward, in a context of its own: prints what samples/aclnn_prelu_backward.py prints.
#include "aclnnop/aclnn_prelu_backward.h"
#include "sample.h"

int main()
{
    const int32_t device = 0;
    aclrtContext context = nullptr;
    aclrtStream stream = nullptr;
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(device));
    CHECK(aclrtCreateContext(&context, device));
    CHECK(aclrtSetCurrentContext(context));
    CHECK(aclrtCreateStream(&stream));
    Tensor self, weight, gradOutput, gradInput, gradWeight;
    CHECK(create<float>({0.5F, 0.5F}, {2}, &weight));
    CHECK(create<float>({0, 1, 2, 3, 4, 5, 6, 7}, {4, 2}, &self));
    CHECK(create(std::vector<float>(8, 1), {4, 2}, &gradOutput));
    CHECK(create(std::vector<float>(8), {4, 2}, &gradInput));
    CHECK(create(std::vector<float>(2), {2}, &gradWeight));
    uint64_t workspaceSize = 0;
    aclOpExecutor *executor = nullptr;
    CHECK(aclnnPreluBackwardGetWorkspaceSize(gradOutput.handle, self.handle, weight.handle, gradInput.handle,
                                             gradWeight.handle, &workspaceSize, &executor));
    CHECK(launch(aclnnPreluBackward, workspaceSize, executor, stream));
    CHECK(print("gradInput", gradInput));
    CHECK(print("gradWeight", gradWeight));
    CHECK(release({&gradOutput, &self, &weight, &gradInput, &gradWeight}));
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtDestroyContext(context));
    CHECK(aclrtResetDevice(device));
    return aclFinalize();
}
