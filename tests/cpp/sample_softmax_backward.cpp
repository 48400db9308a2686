// The sample of aclnnSoftmaxBackward: prints what samples/aclnn_softmax_backward.py prints.
#include "aclnnop/aclnn_softmax_backward.h"
#include "sample.h"

int main()
{
    const int32_t device = 0;
    aclrtStream stream = nullptr;
    CHECK(begin(device, &stream));
    Tensor gradOutput, output, out;
    CHECK(create<float>({0, 1, 2, 3, 4, 5, 6, 7}, {4, 2}, &gradOutput));
    CHECK(create<float>({1, 1, 1, 2, 2, 2, 3, 3}, {4, 2}, &output));
    CHECK(create(std::vector<float>(8), {4, 2}, &out));
    uint64_t workspaceSize = 0;
    aclOpExecutor *executor = nullptr;
    const int64_t dim = 0;
    CHECK(aclnnSoftmaxBackwardGetWorkspaceSize(gradOutput.handle, output.handle, dim, out.handle, &workspaceSize,
                                               &executor));
    CHECK(launch(aclnnSoftmaxBackward, workspaceSize, executor, stream));
    CHECK(print("result", out));
    CHECK(release({&gradOutput, &output, &out}));
    return end(device, stream);
}
