#include <cstdio>
#include <vector>
#include "acl/acl.h"

int64_t Product(std::vector<int64_t> shape) {
  int64_t product = 1;
  while (!shape.empty()) {
    product *= shape.back();
    shape.pop_back();
  }
  return product;
}

std::vector<float> Scaled(std::vector<float> data, float factor) {
  for (auto& each : data) {
    each *= factor;
  }
  return data;
}

std::vector<int64_t> Same(std::vector<int64_t> values) { return values; }

int main() {
  std::vector<int64_t> given = {1, 2};
  auto returned = Same(given);
  returned[0] = 77;
  printf("%ld %ld\n", (long)given[0], (long)returned[0]);
  aclInit(nullptr);
  aclrtSetDevice(0);
  std::vector<int64_t> shape = {2, 3, 4};
  auto copy = shape;
  copy[0] = 20;
  std::vector<int64_t> whole(shape.begin(), shape.end());
  whole.push_back(1);
  printf("%ld %ld %zu\n", Product(shape), Product(copy), shape.size());
  std::vector<float> data = {1, 2, 3};
  std::vector<float> scaled = Scaled(data, 2.0f);
  std::vector<float> other = data;
  other[0] = 50;
  data = scaled;
  scaled[1] = -1;
  std::vector<std::vector<int64_t>> nested = {{1}, {2, 3}};
  auto second = nested;
  second[1][0] = 77;
  nested[0].push_back(5);
  void* addr = nullptr;
  aclrtMalloc(&addr, data.size() * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMemcpy(addr, 12, data.data(), 12, ACL_MEMCPY_HOST_TO_DEVICE);
  aclrtMemcpy(other.data(), 8, addr, 8, ACL_MEMCPY_DEVICE_TO_HOST);
  printf("%f %f %f %f\n", data[1], other[0], other[2], scaled[1]);
  printf("%ld %ld %zu %zu %d\n", nested[1][0], second[1][0], nested[0].size(), second[0].size(), shape == copy);
  aclrtFree(addr);
  aclrtResetDevice(0);
  aclFinalize();
  return 0;
}
