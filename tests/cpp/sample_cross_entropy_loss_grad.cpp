// The sample of aclnnCrossEntropyLossGrad, with a 0-D tensor, a text and two optional tensors left out: prints what
// samples/aclnn_cross_entropy_loss_grad.py prints.
#include "aclnnop/aclnn_cross_entropy_loss_grad.h"
#include "sample.h"

int main()
{
    const int32_t device = 0;
    aclrtStream stream = nullptr;
    CHECK(begin(device, &stream));
    Tensor gradLoss, logProb, target, weight, out;
    CHECK(create<float>({0.1F}, {}, &gradLoss));
    CHECK(create(std::vector<float>(6, -0.2F), {2, 3}, &logProb));
    CHECK(create<int64_t>({0, 0}, {2}, &target));
    CHECK(create<float>({1, 1, 1}, {3}, &weight));
    CHECK(create(std::vector<float>(6), {2, 3}, &out));
    char reduction[] = "mean";
    const int64_t ignoreIndex = -100;
    const double labelSmoothing = 0.0, lseSquareScaleForZloss = 0.0;
    uint64_t workspaceSize = 0;
    aclOpExecutor *executor = nullptr;
    CHECK(aclnnCrossEntropyLossGradGetWorkspaceSize(gradLoss.handle, logProb.handle, target.handle, weight.handle,
                                                    nullptr, nullptr, reduction, ignoreIndex, labelSmoothing,
                                                    lseSquareScaleForZloss, out.handle, &workspaceSize, &executor));
    CHECK(launch(aclnnCrossEntropyLossGrad, workspaceSize, executor, stream));
    CHECK(print("result", out));
    CHECK(release({&gradLoss, &logProb, &target, &weight, &out}));
    return end(device, stream);
}
