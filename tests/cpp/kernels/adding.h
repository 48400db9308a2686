// Vectors of the device, and the built-in operators Add and Mul on them.
#ifndef ADDING_H
#define ADDING_H

#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_mul.h"
#include "programs.h"

#include <functional>
#include <memory>
#include <vector>

// A vector of floats on the device: `first`, and each next value greater by `step`.
struct Vector {
    void *address = nullptr;
    aclTensor *tensor = nullptr;
    int64_t size;

    Vector(int64_t count, float first, float step = 0) : size(count)
    {
        std::vector<float> values(count);
        for (int64_t i = 0; i < count; ++i) {
            values[i] = first + step * static_cast<float>(i);
        }
        set(values);
    }
    explicit Vector(const std::vector<float> &values) : size(static_cast<int64_t>(values.size())) { set(values); }
    Vector(const Vector &) = delete;
    Vector &operator=(const Vector &) = delete;
    ~Vector()
    {
        aclDestroyTensor(tensor);
        aclrtFree(address);
    }
    void print() const
    {
        std::vector<float> values(size);
        aclrtMemcpy(values.data(), size * sizeof(float), address, size * sizeof(float), ACL_MEMCPY_DEVICE_TO_HOST);
        for (float each : values) {
            std::printf("%.1f ", each);
        }
        std::printf("\n");
    }

private:
    void set(const std::vector<float> &values)
    {
        const size_t bytes = values.size() * sizeof(float);
        aclrtMalloc(&address, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
        aclrtMemcpy(address, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE);
        tensor = aclCreateTensor(&size, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, &size, 1, address);
    }
};

// An operator that can be launched more than once; its workspace lives as long as it does.
struct Operator {
    std::function<aclnnStatus(uint64_t *, aclOpExecutor **)> plan;
    aclnnStatus (*run)(void *, uint64_t, aclOpExecutor *, aclrtStream);
    std::vector<void *> workspaces = {};

    int launch(aclrtStream stream)
    {
        uint64_t size = 0;
        aclOpExecutor *executor = nullptr;
        void *workspace = nullptr;
        CHECK(plan(&size, &executor));
        if (size > 0) {
            CHECK(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
            workspaces.push_back(workspace);
        }
        CHECK(run(workspace, size, executor, stream));
        return 0;
    }
    ~Operator()
    {
        for (void *each : workspaces) {
            aclrtFree(each);
        }
    }
};

// out = x + alpha * y
inline Operator adding(const Vector &x, const Vector &y, float alpha, const Vector &out)
{
    const std::shared_ptr<aclScalar> factor(aclCreateScalar(&alpha, ACL_FLOAT), aclDestroyScalar);
    return {[&x, &y, &out, factor](uint64_t *size, aclOpExecutor **executor) {
                return aclnnAddGetWorkspaceSize(x.tensor, y.tensor, factor.get(), out.tensor, size, executor);
            },
            aclnnAdd};
}

// out = x * y
inline Operator multiplying(const Vector &x, const Vector &y, const Vector &out)
{
    return {[&x, &y, &out](uint64_t *size, aclOpExecutor **executor) {
                return aclnnMulGetWorkspaceSize(x.tensor, y.tensor, out.tensor, size, executor);
            },
            aclnnMul};
}

#endif
