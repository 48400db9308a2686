/* An image classifier, in the manner of programs for offline models: load, describe, copy an image, execute, sort the
   classes. `classify MODEL [MISTAKE]`; each MISTAKE is one that programs make. */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "acl/acl.h"

#define CHECK(call)                                                                              \
    do {                                                                                         \
        const aclError status = (call);                                                          \
        if (status != ACL_SUCCESS) {                                                             \
            const char *text = aclGetRecentErrMsg();                                             \
            std::printf("%s: %d %s\n", #call, static_cast<int>(status), text ? text : "");       \
            std::exit(1);                                                                        \
        }                                                                                        \
    } while (0)

struct Memory {
    void *address = nullptr;
    size_t size = 0;
};

static Memory onDevice(size_t size)
{
    Memory memory;
    memory.size = size;
    CHECK(aclrtMalloc(&memory.address, size, ACL_MEM_MALLOC_HUGE_FIRST));
    return memory;
}

static aclmdlDataset *dataSet(const std::vector<Memory> &buffers)
{
    aclmdlDataset *set = aclmdlCreateDataset();
    for (const Memory &memory : buffers) {
        CHECK(aclmdlAddDatasetBuffer(set, aclCreateDataBuffer(memory.address, memory.size)));
    }
    return set;
}

static void destroy(aclmdlDataset *set)
{
    for (size_t i = 0; i < aclmdlGetDatasetNumBuffers(set); ++i) {
        CHECK(aclDestroyDataBuffer(aclmdlGetDatasetBuffer(set, i)));
    }
    CHECK(aclmdlDestroyDataset(set));
}

int main(int argc, char **argv)
{
    const std::string mistake = argc > 2 ? argv[2] : "";
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    aclrtStream stream = nullptr;
    CHECK(aclrtCreateStream(&stream));
    uint32_t model = 0;
    CHECK(aclmdlLoadFromFile(argv[1], &model));
    aclmdlDesc *desc = aclmdlCreateDesc();
    CHECK(aclmdlGetDesc(desc, model));

    // the names stay valid as long as the description does
    const char *input = aclmdlGetInputNameByIndex(desc, 0), *output = aclmdlGetOutputNameByIndex(desc, 0);
    aclmdlIODims dims;
    CHECK(aclmdlGetInputDims(desc, 0, &dims));
    std::printf("%s [", input);
    for (size_t i = 0; i < dims.dimCount; ++i) {
        std::printf("%s%ld", i ? ", " : "", static_cast<long>(dims.dims[i]));
    }
    std::printf("] -> %s\n", output);

    std::vector<float> image(aclmdlGetInputSizeByIndex(desc, 0) / sizeof(float));
    std::iota(image.begin(), image.end(), 0.0f);
    Memory data = onDevice(image.size() * sizeof(float));
    CHECK(aclrtMemcpy(data.address, data.size, image.data(), data.size, ACL_MEMCPY_HOST_TO_DEVICE));
    Memory scores = onDevice(aclmdlGetOutputSizeByIndex(desc, 0) - (mistake == "short" ? 4 : 0));
    if (mistake == "host") {
        CHECK(aclrtFree(data.address));
        data.address = image.data();
    }
    aclmdlDataset *inputs = dataSet({data}), *outputs = dataSet({scores});

    CHECK(aclmdlExecuteAsync(model, inputs, outputs, stream));
    if (mistake != "early") {
        CHECK(aclrtSynchronizeStream(stream));
    }
    std::vector<float> result(scores.size / sizeof(float));
    CHECK(aclrtMemcpy(result.data(), scores.size, scores.address, scores.size, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK(aclrtSynchronizeStream(stream));

    std::vector<size_t> classes(result.size());
    std::iota(classes.begin(), classes.end(), 0u);
    std::stable_sort(classes.begin(), classes.end(), [&](size_t a, size_t b) { return result[a] > result[b]; });
    for (size_t i = 0; i < 3; ++i) {
        std::printf("class %zu: %.2f\n", classes[i], static_cast<double>(result[classes[i]]));
    }

    destroy(inputs);
    destroy(outputs);
    CHECK(aclmdlDestroyDesc(desc));
    if (mistake != "loaded") {
        CHECK(aclmdlUnload(model));
    }
    if (mistake != "host") {
        CHECK(aclrtFree(data.address));
    }
    CHECK(aclrtFree(scores.address));
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(0));
    return aclFinalize();
}
