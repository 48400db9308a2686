/* A model with dynamic image sizes: the structs of the queries, a chosen size, a result of that size. */
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "acl/acl.h"

static void check(aclError status, const char *what)
{
    if (status != ACL_SUCCESS) {
        const char *text = aclGetRecentErrMsg();
        std::printf("%s: %d %s\n", what, static_cast<int>(status), text ? text : "");
        std::exit(1);
    }
}
#define CHECK(call) check((call), #call)

static aclmdlDataset *dataSet(const std::vector<size_t> &sizes)
{
    aclmdlDataset *set = aclmdlCreateDataset();
    for (size_t size : sizes) {
        void *memory = nullptr;
        CHECK(aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST));
        CHECK(aclrtMemset(memory, size, 1, size));
        CHECK(aclmdlAddDatasetBuffer(set, aclCreateDataBuffer(memory, size)));
    }
    return set;
}

static void destroy(aclmdlDataset *set)
{
    for (size_t i = 0; i < aclmdlGetDatasetNumBuffers(set); ++i) {
        aclDataBuffer *buffer = aclmdlGetDatasetBuffer(set, i);
        CHECK(aclrtFree(aclGetDataBufferAddr(buffer)));
        CHECK(aclDestroyDataBuffer(buffer));
    }
    CHECK(aclmdlDestroyDataset(set));
}

int main(int, char **argv)
{
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    uint32_t model = 0;
    CHECK(aclmdlLoadFromFile(argv[1], &model));
    aclmdlDesc *desc = aclmdlCreateDesc();
    CHECK(aclmdlGetDesc(desc, model));
    aclmdlHW sizes;
    CHECK(aclmdlGetDynamicHW(desc, static_cast<size_t>(-1), &sizes));
    for (size_t i = 0; i < sizes.hwCount; ++i) {
        std::printf("%" PRIu64 " x %" PRIu64 "\n", static_cast<uint64_t>(sizes.hw[i][0]),
                    static_cast<uint64_t>(sizes.hw[i][1]));
    }
    size_t index = 0;
    CHECK(aclmdlGetInputIndexByName(desc, ACL_DYNAMIC_TENSOR_NAME, &index));
    aclmdlDataset *inputs =
        dataSet({aclmdlGetInputSizeByIndex(desc, 0), aclmdlGetInputSizeByIndex(desc, index)});
    aclmdlDataset *outputs = dataSet({aclmdlGetOutputSizeByIndex(desc, 0)});
    CHECK(aclmdlSetDynamicHWSize(model, inputs, index, sizes.hw[0][0], sizes.hw[0][1]));
    CHECK(aclmdlExecute(model, inputs, outputs));
    aclmdlIODims dims;
    CHECK(aclmdlGetCurOutputDims(desc, 0, &dims));
    std::vector<uint8_t> result(static_cast<size_t>(dims.dims[1] * dims.dims[2]));
    CHECK(aclrtMemcpy(result.data(), result.size(), aclGetDataBufferAddr(aclmdlGetDatasetBuffer(outputs, 0)),
                      result.size(), ACL_MEMCPY_DEVICE_TO_HOST));
    std::printf("%s %zu: %d\n", dims.name, result.size(), result.back());
    destroy(inputs);
    destroy(outputs);
    CHECK(aclmdlDestroyDesc(desc));
    CHECK(aclmdlUnload(model));
    CHECK(aclrtResetDevice(0));
    return aclFinalize();
}
