#include <cstdio>
#include <vector>
#include "acl/acl.h"

int value = 1;

int Read() { return value; }

int main() {
  auto ret = aclInit(nullptr);
  int size = 10;
  {
    int size = 20;
    size++;
    printf("%d\n", size);
  }
  for (int size = 0; size < 2; size++) {
    printf("%d\n", size);
  }
  for (int i = 0; i < 2; i++) {
    float i_value = i * 0.5f;
    int ret = i + 100;
    printf("%f %d\n", i_value, ret);
  }
  if (int value = Read(); value > 0) {
    value += 41;
    printf("%d\n", value);
  }
  int value = 5;
  value++;
  printf("%d %d %d %d\n", size, ret, value, Read());
  int len = 3, list = 4, in = 5, print = 6;
  printf("%d\n", len + list + in + print);
  std::vector<int> range(len, in);
  printf("%zu\n", range.size());
  aclFinalize();
  return 0;
}
