#include <cstdio>
#include "acl/acl.h"

int main(int argc, char* argv[]) {
  uint8_t narrow;
  int wide = narrow = 300;
  printf("%d %d\n", narrow, wide);
  int ret;
  if ((ret = aclInit(nullptr)) != ACL_SUCCESS) {
    return ret;
  }
  if ((ret = aclrtSetDevice(12345)) != ACL_SUCCESS) {
    printf("failed: %d\n", ret);
  }
  aclGetRecentErrMsg();
  int a, b;
  a = b = 7;
  int c = 0, d = 1;
  c = 2, d = 3;
  printf("%d %d %d %d %d\n", a, b, c, d, argc);
  int n = 5, steps = 0;
  while ((n = n - 2) > 0) {
    steps++;
  }
  printf("%d %d\n", n, steps);
  aclFinalize();
  return a - 7;
}
