#include <cstdio>
#include <vector>
#include "acl/acl.h"

int main() {
  aclInit(nullptr);
  std::vector<int> numbers = {7, -7};
  std::vector<int> others = {2, -2, 3};
  for (auto number : numbers) {
    for (auto other : others) {
      printf("%d/%d = %d rest %d\n", number, other, number / other, number % other);
    }
  }
  int64_t total = -9;
  total /= 2;
  printf("%ld\n", total);
  total %= 3;
  printf("%ld\n", total);
  size_t size = 100;
  printf("%zu %zu\n", size / 32, (size + 31) / 32 * 32);
  int x = -5;
  printf("%d %d %d\n", x >> 1, x / 2 * 2, -x / 2);
  double real = x / 2;
  float ratio = 1 / 3 + 1.0f / 3;
  printf("%f %f\n", real, ratio);
  printf("%f %f\n", 1.0 / (size - 100.0), -1.0f / (x + 5));
  aclFinalize();
  return 0;
}
