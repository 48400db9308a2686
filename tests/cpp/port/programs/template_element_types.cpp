#include <cstdio>
#include <vector>
#include "acl/acl.h"
#include "aclnnop/aclnn_add.h"

#define CHECK_RET(cond, return_expr) \
  do { \
    if (!(cond)) { \
      return_expr; \
    } \
  } while (0)

#define LOG_PRINT(message, ...) \
  do { \
    printf(message, ##__VA_ARGS__); \
  } while (0)

int64_t GetShapeSize(const std::vector<int64_t>& shape) {
  int64_t shapeSize = 1;
  for (auto i : shape) {
    shapeSize *= i;
  }
  return shapeSize;
}

int Init(int32_t deviceId, aclrtStream* stream) {
  auto ret = aclInit(nullptr);
  CHECK_RET(ret == ACL_SUCCESS, LOG_PRINT("aclInit failed. ERROR: %d\n", ret); return ret);
  ret = aclrtSetDevice(deviceId);
  CHECK_RET(ret == ACL_SUCCESS, LOG_PRINT("aclrtSetDevice failed. ERROR: %d\n", ret); return ret);
  ret = aclrtCreateStream(stream);
  CHECK_RET(ret == ACL_SUCCESS, LOG_PRINT("aclrtCreateStream failed. ERROR: %d\n", ret); return ret);
  return 0;
}

template <typename T>
int CreateAclTensor(const std::vector<T>& hostData, const std::vector<int64_t>& shape, void** deviceAddr,
                    aclDataType dataType, aclTensor** tensor) {
  auto size = GetShapeSize(shape) * sizeof(T);
  auto ret = aclrtMalloc(deviceAddr, size, ACL_MEM_MALLOC_HUGE_FIRST);
  CHECK_RET(ret == ACL_SUCCESS, LOG_PRINT("aclrtMalloc failed. ERROR: %d\n", ret); return ret);
  ret = aclrtMemcpy(*deviceAddr, size, hostData.data(), size, ACL_MEMCPY_HOST_TO_DEVICE);
  CHECK_RET(ret == ACL_SUCCESS, LOG_PRINT("aclrtMemcpy failed. ERROR: %d\n", ret); return ret);
  std::vector<int64_t> strides(shape.size(), 1);
  for (int64_t i = shape.size() - 2; i >= 0; i--) {
    strides[i] = shape[i + 1] * strides[i + 1];
  }
  *tensor = aclCreateTensor(shape.data(), shape.size(), dataType, strides.data(), 0, aclFormat::ACL_FORMAT_ND,
                            shape.data(), shape.size(), *deviceAddr);
  return 0;
}

template <typename T>
int PrintOutResult(const char* name, const std::vector<int64_t>& shape, void** deviceAddr) {
  auto size = GetShapeSize(shape);
  std::vector<T> resultData(size, 0);
  auto ret = aclrtMemcpy(resultData.data(), resultData.size() * sizeof(resultData[0]), *deviceAddr,
                         size * sizeof(T), ACL_MEMCPY_DEVICE_TO_HOST);
  CHECK_RET(ret == ACL_SUCCESS, LOG_PRINT("copy result failed. ERROR: %d\n", ret); return ret);
  for (int64_t i = 0; i < size; i++) {
    LOG_PRINT("%s[%ld] is: %f\n", name, i, static_cast<float>(resultData[i]));
  }
  return 0;
}

template <typename T>
int AddTwice(const std::vector<T>& one, const std::vector<T>& other, aclDataType type, aclrtStream stream) {
  std::vector<int64_t> shape = {static_cast<int64_t>(one.size())};
  void* addrs[3] = {nullptr, nullptr, nullptr};
  aclTensor* self = nullptr;
  aclTensor* second = nullptr;
  aclTensor* out = nullptr;
  auto ret = CreateAclTensor<T>(one, shape, &addrs[0], type, &self);
  CHECK_RET(ret == ACL_SUCCESS, return ret);
  ret = CreateAclTensor<T>(other, shape, &addrs[1], type, &second);
  CHECK_RET(ret == ACL_SUCCESS, return ret);
  ret = CreateAclTensor<T>(one, shape, &addrs[2], type, &out);
  CHECK_RET(ret == ACL_SUCCESS, return ret);
  T alphaValue = 2;
  aclScalar* alpha = aclCreateScalar(&alphaValue, type);
  uint64_t workspaceSize = 0;
  aclOpExecutor* executor = nullptr;
  ret = aclnnAddGetWorkspaceSize(self, second, alpha, out, &workspaceSize, &executor);
  CHECK_RET(ret == ACL_SUCCESS, LOG_PRINT("aclnnAddGetWorkspaceSize failed. ERROR: %d\n", ret); return ret);
  void* workspaceAddr = nullptr;
  if (workspaceSize > static_cast<uint64_t>(0)) {
    ret = aclrtMalloc(&workspaceAddr, workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST);
    CHECK_RET(ret == ACL_SUCCESS, return ret);
  }
  ret = aclnnAdd(workspaceAddr, workspaceSize, executor, stream);
  CHECK_RET(ret == ACL_SUCCESS, return ret);
  ret = aclrtSynchronizeStream(stream);
  CHECK_RET(ret == ACL_SUCCESS, return ret);
  ret = PrintOutResult<T>("out", shape, &addrs[2]);
  aclDestroyTensor(self);
  aclDestroyTensor(second);
  aclDestroyTensor(out);
  aclDestroyScalar(alpha);
  for (int i = 0; i < 3; i++) {
    aclrtFree(addrs[i]);
  }
  if (workspaceSize > 0) {
    aclrtFree(workspaceAddr);
  }
  return ret;
}

template <typename T>
T Half(T value) {
  return value / 2;
}

int main() {
  printf("%d %.3f\n", Half(7), Half(7.0f));
  aclrtStream stream;
  auto ret = Init(0, &stream);
  CHECK_RET(ret == ACL_SUCCESS, return ret);
  std::vector<float> floats = {1.5, 2.5};
  std::vector<int32_t> ints = {1, -2, 3};
  std::vector<int64_t> longs = {10000000000, 4};
  AddTwice(floats, floats, aclDataType::ACL_FLOAT, stream);
  AddTwice(ints, ints, ACL_INT32, stream);
  AddTwice<int64_t>(longs, longs, ACL_INT64, stream);
  aclrtDestroyStream(stream);
  aclrtResetDevice(0);
  aclFinalize();
  return 0;
}
