#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <numeric>
#include <vector>
#include "acl/acl.h"

int64_t Size(const std::vector<int64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), static_cast<int64_t>(1), std::multiplies<int64_t>());
}

int main() {
  aclInit(nullptr);
  aclrtSetDevice(0);
  std::vector<int64_t> shape = {4, 2, 3};
  std::vector<float> data(Size(shape));
  std::iota(data.begin(), data.end(), 0);
  printf("%ld %d %f\n", Size(shape), std::accumulate(shape.begin(), shape.end(), 0), data[23]);
  printf("%d\n", std::accumulate(shape.begin(), shape.end(), 1 << 29, std::multiplies<>()));
  std::fill(data.begin(), data.end(), 2.5f);
  std::sort(shape.begin(), shape.end());
  std::reverse(shape.begin(), shape.end());
  int64_t a = 3, b = 9;
  std::swap(a, b);
  printf("%ld %ld %ld %ld\n", shape[0], shape[2], std::max(a, b), std::min<int64_t>(a, 4));
  printf("%f %f %f %d\n", std::sqrt(2.0f), std::fabs(-1.5), std::pow(2.0, 10), std::abs(-4));
  float sum = std::accumulate(data.begin(), data.end(), 0.0f);
  float largest = std::max(sum, data[0]);
  printf("%f %f %d %d\n", sum, largest, std::isnan(sum), std::isnan(std::sqrt(-sum)));
  void* addr = nullptr;
  aclrtMalloc(&addr, Size(shape) * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMemcpy(addr, 96, data.data(), 96, ACL_MEMCPY_HOST_TO_DEVICE);
  aclrtFree(addr);
  aclrtResetDevice(0);
  aclFinalize();
  return 0;
}
