// The sample of aclnnBatchNormReduceBackward: prints what samples/aclnn_batch_norm_reduce_backward.py prints.
#include "aclnnop/aclnn_batch_norm_backward_reduce.h"
#include "sample.h"

int main()
{
    const int32_t device = 0;
    aclrtStream stream = nullptr;
    CHECK(begin(device, &stream));
    Tensor gradOut, input, mean, invstd, weight, sumDy, sumDyXmu, gradWeight, gradBias;
    CHECK(create<float>({1, 1, 1, 2, 2, 2, 3, 3}, {4, 2}, &gradOut));
    CHECK(create<float>({0, 1, 2, 3, 4, 5, 6, 7}, {4, 2}, &input));
    for (Tensor *each : {&mean, &invstd, &weight, &sumDy, &sumDyXmu, &gradWeight, &gradBias})
        CHECK(create<float>({1, 1}, {2}, each));
    const bool inputG = true, weightG = true, biasG = true;
    uint64_t workspaceSize = 0;
    aclOpExecutor *executor = nullptr;
    CHECK(aclnnBatchNormReduceBackwardGetWorkspaceSize(
        gradOut.handle, input.handle, mean.handle, invstd.handle, weight.handle, inputG, weightG, biasG, sumDy.handle,
        sumDyXmu.handle, gradWeight.handle, gradBias.handle, &workspaceSize, &executor));
    CHECK(launch(aclnnBatchNormReduceBackward, workspaceSize, executor, stream));
    for (const Tensor *each : {&sumDy, &sumDyXmu, &gradWeight, &gradBias}) CHECK(print("result", *each));
    CHECK(release({&gradOut, &input, &mean, &invstd, &weight, &sumDy, &sumDyXmu, &gradWeight, &gradBias}));
    return end(device, stream);
}
