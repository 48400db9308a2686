#include <cstdint>
#include <cstdio>
#include <vector>
#include "acl/acl.h"

int main() {
  aclInit(nullptr);
  aclrtSetDevice(0);
  float data[6] = {1, 2, 3, 4, 5, 6};
  int64_t dims[] = {2, 3};
  uint16_t halves[4] = {0};
  std::vector<double> doubles(3, 0.5);
  double value = 1;
  printf("%zu %zu %zu\n", sizeof(data), sizeof(dims) / sizeof(dims[0]), sizeof(halves));
  printf("%zu %zu %zu %zu\n", sizeof(int32_t), sizeof(value), sizeof(doubles[0]), sizeof(void*));
  printf("%zu %zu\n", sizeof(uint16_t) * 4 - 9, doubles.size() * sizeof(double));
  size_t count = sizeof(data) / sizeof(float);
  void* addr = nullptr;
  aclrtMalloc(&addr, sizeof(data), ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMemcpy(addr, sizeof(data), data, sizeof(data), ACL_MEMCPY_HOST_TO_DEVICE);
  float back[6];
  aclrtMemcpy(back, sizeof(back), addr, count * sizeof(float), ACL_MEMCPY_DEVICE_TO_HOST);
  for (size_t i = 0; i < sizeof(back) / sizeof(back[0]); i++) {
    printf("%f ", back[i]);
  }
  printf("\n");
  aclrtFree(addr);
  aclrtResetDevice(0);
  aclFinalize();
  return 0;
}
