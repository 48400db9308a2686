#include <cstdio>
#include <vector>
#include "acl/acl.h"

void PrintShape(const std::vector<int64_t>& shape) {
  printf("%zu:", shape.size());
  for (size_t i = 0; i < shape.size(); ++i) {
    printf(" %ld", shape[i]);
  }
  printf("\n");
}

std::vector<int64_t> Reversed(const std::vector<int64_t>& shape) {
  std::vector<int64_t> result;
  for (int64_t i = static_cast<int64_t>(shape.size()) - 1; i >= 0; i--) {
    result.push_back(shape[i]);
  }
  return result;
}

int main() {
  aclInit(nullptr);
  aclrtSetDevice(0);
  std::vector<int64_t> shape{2, 3};
  shape.push_back(4);
  shape.emplace_back(5);
  PrintShape(shape);
  PrintShape(Reversed(shape));
  shape.insert(shape.begin(), 1);
  shape.pop_back();
  shape.resize(6);
  PrintShape(shape);
  shape.resize(2);
  PrintShape(shape);
  printf("%ld %ld %d\n", shape.front(), shape.back(), shape.empty());
  std::vector<std::vector<int64_t>> shapes = {{1, 2}, {3}};
  shapes.push_back(shape);
  shapes[1].push_back(9);
  for (const auto& each : shapes) {
    PrintShape(each);
  }
  std::vector<float> data;
  for (int i = 0; i < 5; i++) {
    data.push_back(i * 0.5f);
  }
  data.resize(8);
  std::vector<float> back(data.size());
  void* addr = nullptr;
  aclrtMalloc(&addr, data.size() * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMemcpy(addr, 32, data.data(), data.size() * sizeof(float), ACL_MEMCPY_HOST_TO_DEVICE);
  aclrtMemcpy(back.data(), 32, addr, 32, ACL_MEMCPY_DEVICE_TO_HOST);
  for (size_t i = 0; i < back.size(); i++) {
    printf("%f ", back[i]);
  }
  printf("\n");
  data.clear();
  printf("%zu\n", data.size());
  aclrtFree(addr);
  aclrtResetDevice(0);
  aclFinalize();
  return 0;
}
