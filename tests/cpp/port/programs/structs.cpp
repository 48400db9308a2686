#include <cstdio>
#include <string>
#include <vector>
#include "acl/acl.h"
#include "aclnn/acl_meta.h"

struct Buffer {
  void* addr = nullptr;
  size_t size = 0;
  bool used = false;
};

struct TensorInfo {
  std::string name;
  std::vector<int64_t> shape;
  aclDataType type = ACL_FLOAT;
  Buffer buffer;
  aclTensor* tensor = nullptr;
};

int Allocate(Buffer& buffer, size_t size) {
  auto ret = aclrtMalloc(&buffer.addr, size, ACL_MEM_MALLOC_HUGE_FIRST);
  if (ret != ACL_SUCCESS) {
    return ret;
  }
  buffer.size = size;
  buffer.used = true;
  return 0;
}

void Release(Buffer* buffer) {
  aclrtFree(buffer->addr);
  buffer->addr = nullptr;
  buffer->used = false;
}

int Create(TensorInfo& info) {
  int64_t count = 1;
  for (auto each : info.shape) {
    count *= each;
  }
  int ret = Allocate(info.buffer, count * aclDataTypeSize(info.type));
  info.tensor = aclCreateTensor(info.shape.data(), info.shape.size(), info.type, nullptr, 0, ACL_FORMAT_ND,
                                info.shape.data(), info.shape.size(), info.buffer.addr);
  return ret;
}

int main() {
  aclInit(nullptr);
  aclrtSetDevice(0);
  TensorInfo info;
  info.name = "x";
  info.shape = {2, 3};
  Create(info);
  TensorInfo other = {"y", {4}, ACL_INT64};
  Create(other);
  printf("%s %zu %d %d\n", info.name.c_str(), info.buffer.size, info.buffer.used, info.tensor != nullptr);
  printf("%s %zu %d\n", other.name.c_str(), other.buffer.size, other.type);
  std::vector<Buffer> buffers(2);
  for (auto& buffer : buffers) {
    Allocate(buffer, 128);
  }
  buffers[1].size += 5;
  for (size_t i = 0; i < buffers.size(); i++) {
    printf("%zu\n", buffers[i].size);
    Release(&buffers[i]);
  }
  printf("%d\n", buffers[0].addr == nullptr);
  aclDestroyTensor(info.tensor);
  aclDestroyTensor(other.tensor);
  Release(&info.buffer);
  Release(&other.buffer);
  aclrtResetDevice(0);
  aclFinalize();
  return 0;
}
