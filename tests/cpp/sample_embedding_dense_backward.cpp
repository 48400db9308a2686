// The sample of aclnnEmbeddingDenseBackward: prints what samples/aclnn_embedding_dense_backward.py prints.
#include "aclnnop/aclnn_embedding_dense_backward.h"
#include "sample.h"

int main()
{
    const int32_t device = 0;
    aclrtStream stream = nullptr;
    CHECK(begin(device, &stream));
    const uint64_t numWeights = 4, paddingIdx = 0;
    const bool scaleGradByFreq = false;
    Tensor gradOutput, indices, out;
    CHECK(create<float>({1, 2, 3, 4, 5, 6}, {2, 3}, &gradOutput));
    CHECK(create<int64_t>({1, 2}, {2}, &indices));
    CHECK(create(std::vector<float>(12), {4, 3}, &out));
    uint64_t workspaceSize = 0;
    aclOpExecutor *executor = nullptr;
    CHECK(aclnnEmbeddingDenseBackwardGetWorkspaceSize(gradOutput.handle, indices.handle, numWeights, paddingIdx,
                                                      scaleGradByFreq, out.handle, &workspaceSize, &executor));
    CHECK(launch(aclnnEmbeddingDenseBackward, workspaceSize, executor, stream));
    CHECK(print("resultData", out));
    CHECK(release({&gradOutput, &indices, &out}));
    return end(device, stream);
}
