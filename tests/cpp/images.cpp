// Images of height, width and channels through operators by name, as OpenCV's module for NPUs does it: a runner collects
// the tensors and attributes of an operator, and destroys them as soon as the call returns.
#include <cstring>
#include <string>

#include "acl/acl_op.h"
#include "acl/acl_op_compiler.h"
#include "sample.h"

struct Image {
    std::vector<int64_t> shape;  // 1, height, width, channels
    aclDataType type;
    void *data;
    size_t bytes() const { return static_cast<size_t>(sizeOf(shape)) * aclDataTypeSize(type); }
};

template <typename T>
static int upload(const std::vector<T> &pixels, std::vector<int64_t> shape, aclDataType type, Image *image)
{
    *image = {std::move(shape), type, nullptr};
    CHECK(aclrtMalloc(&image->data, image->bytes(), ACL_MEM_MALLOC_HUGE_FIRST));
    return pixels.empty() ? 0 : aclrtMemcpy(image->data, image->bytes(), pixels.data(), image->bytes(),
                                            ACL_MEMCPY_HOST_TO_DEVICE);
}

class Runner {
public:
    explicit Runner(const char *type) : type_(type), attributes_(aclopCreateAttr()) {}
    ~Runner()
    {
        for (aclTensorDesc *each : descs_) aclDestroyTensorDesc(each);
        for (aclDataBuffer *each : buffers_) aclDestroyDataBuffer(each);
        aclopDestroyAttr(attributes_);
    }
    Runner &input(const Image &image, const char *name)
    {
        inputs_++;
        return add(image, name);
    }
    // A few numbers on the host, which the call reads.
    Runner &input(const std::vector<int32_t> &numbers, const char *name)
    {
        const int64_t count = static_cast<int64_t>(numbers.size());
        aclTensorDesc *desc = aclCreateTensorDesc(ACL_INT32, 1, &count, ACL_FORMAT_ND);
        aclSetTensorDescName(desc, name);
        aclSetTensorPlaceMent(desc, ACL_MEMTYPE_HOST);
        aclSetTensorConst(desc, const_cast<int32_t *>(numbers.data()), numbers.size() * sizeof(int32_t));
        descs_.push_back(desc);
        buffers_.push_back(aclCreateDataBuffer(const_cast<int32_t *>(numbers.data()), numbers.size() * sizeof(int32_t)));
        inputs_++;
        return *this;
    }
    Runner &output(const Image &image) { return add(image, "y"); }
    Runner &attribute(const char *name, float value)
    {
        aclopSetAttrFloat(attributes_, name, value);
        return *this;
    }
    Runner &attribute(const char *name, int64_t value)
    {
        aclopSetAttrInt(attributes_, name, value);
        return *this;
    }
    Runner &attribute(const char *name, const std::vector<int64_t> &values)
    {
        aclopSetAttrListInt(attributes_, name, static_cast<int>(values.size()), values.data());
        return *this;
    }
    int run(aclrtStream stream)
    {
        const int outputs = static_cast<int>(descs_.size()) - inputs_;
        return aclopCompileAndExecute(type_, inputs_, descs_.data(), buffers_.data(), outputs, descs_.data() + inputs_,
                                      buffers_.data() + inputs_, attributes_, ACL_ENGINE_SYS, ACL_COMPILE_SYS, nullptr,
                                      stream);
    }

private:
    Runner &add(const Image &image, const char *name)
    {
        aclTensorDesc *desc =
            aclCreateTensorDesc(image.type, static_cast<int>(image.shape.size()), image.shape.data(), ACL_FORMAT_NHWC);
        aclSetTensorDescName(desc, name);
        descs_.push_back(desc);
        buffers_.push_back(aclCreateDataBuffer(image.data, image.bytes()));
        return *this;
    }
    const char *type_;
    aclopAttr *attributes_;
    std::vector<aclTensorDesc *> descs_;
    std::vector<aclDataBuffer *> buffers_;
    int inputs_ = 0;
};

template <typename T>
static int print(const char *name, const Image &image)
{
    std::vector<T> pixels(static_cast<size_t>(sizeOf(image.shape)));
    CHECK(aclrtMemcpy(pixels.data(), image.bytes(), image.data, image.bytes(), ACL_MEMCPY_DEVICE_TO_HOST));
    std::printf("%s:", name);
    for (const T pixel : pixels) std::printf(" %g", static_cast<double>(pixel));
    std::printf("\n");
    return 0;
}

int main()
{
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    aclrtStream stream = nullptr;
    CHECK(aclrtCreateStream(&stream));
    const std::vector<uint8_t> first = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    const std::vector<uint8_t> second = {10, 0, 10, 0, 10, 0, 10, 0, 10, 0, 10, 0};
    const std::vector<float> third = {1, 2, 3, 4};
    Image a, b, c, sum, mirrored, gray, wide, part;
    CHECK(upload(first, {1, 2, 2, 3}, ACL_UINT8, &a));
    CHECK(upload(second, {1, 2, 2, 3}, ACL_UINT8, &b));
    CHECK(upload(third, {1, 2, 2, 1}, ACL_FLOAT, &c));
    CHECK(upload<uint8_t>({}, {1, 2, 2, 3}, ACL_UINT8, &sum));
    CHECK(upload<uint8_t>({}, {1, 2, 2, 3}, ACL_UINT8, &mirrored));
    CHECK(upload<float>({}, {1, 2, 2, 1}, ACL_FLOAT, &gray));
    CHECK(upload<float>({}, {1, 2, 2, 2}, ACL_FLOAT, &wide));
    CHECK(upload<float>({}, {1, 1, 2, 2}, ACL_FLOAT, &part));

    CHECK(Runner("Add").input(a, "x1").input(b, "x2").output(sum).run(stream));
    CHECK(Runner("ReverseV2").input(sum, "x").input({2}, "axis").output(mirrored).run(stream));
    CHECK(Runner("Muls").input(c, "x").output(gray).attribute("value", 2.5F).run(stream));
    CHECK(Runner("ConcatD").input(c, "x0").input(gray, "x1").output(wide).attribute("concat_dim", INT64_C(3)).run(stream));
    CHECK(Runner("Crop").input(wide, "x").input(part, "size").output(part).attribute("axis", INT64_C(1))
              .attribute("offsets", {1, 0, 0}).run(stream));
    CHECK(aclrtSynchronizeStream(stream));
    CHECK(print<uint8_t>("sum", sum));
    CHECK(print<uint8_t>("mirrored", mirrored));
    CHECK(print<float>("wide", wide));
    CHECK(print<float>("part", part));

    const int refused = Runner("CvtColor").input(a, "x").output(sum).run(stream);
    std::printf("%d %d\n", refused, std::strstr(aclGetRecentErrMsg(), "CvtColor") != nullptr);
    for (const Image &each : {a, b, c, sum, mirrored, gray, wide, part}) CHECK(aclrtFree(each.data));
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(0));
    return aclFinalize();
}
