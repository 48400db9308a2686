#include <cstdio>
#include <vector>
#include "acl/acl.h"

int main() {
  aclInit(nullptr);
  std::vector<int> found;
  for (int i = 0; i < 10; i += 3) {
    found.push_back(i);
  }
  for (int i = 5; i > 0; --i) {
    if (i == 3) continue;
    if (i == 1) break;
    found.push_back(i);
  }
  for (uint32_t i = 2; i <= 4; i++) found.push_back(static_cast<int>(i));
  for (int i = 0; i < 8; i++) {
    if (i % 2 == 0) {
      i++;
      continue;
    }
    found.push_back(100 + i);
  }
  int limit = 3;
  for (int i = 0; i < limit; i++) {
    if (i == 2 && limit < 5) {
      limit = 5;
    }
    found.push_back(200 + i);
  }
  for (size_t i = 0; i < found.size(); i++) {
    if (found[i] == 201) found.push_back(999);
  }
  for (int i = 0, j = 10; i < j; i++, j -= 2) {
    printf("%d %d\n", i, j);
  }
  int n = 20;
  while (n > 1) {
    n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    if (n == 16) break;
  }
  do {
    n--;
  } while (n > 10);
  int i;
  for (i = 0; i < 3; i++) {
  }
  for (;;) {
    i++;
    if (i > 6) break;
  }
  for (auto each : found) printf("%d ", each);
  printf("%d %d\n", n, i);
  aclFinalize();
  return 0;
}
