#include <cstdio>
#include <string>
#include <vector>
#include "acl/acl.h"
int g = 1;
int Add(int a, int b = 2) { g += a; return a + b; }
std::vector<int> Make(int n) { std::vector<int> v; for (int i = 0; i < n; ++i) v.push_back(i * i); return v; }
int main() {
  aclInit(nullptr);
  int total = 0;
  auto outer = [&](int k) { int mine = k; mine += total; total = mine * 2; return mine; };
  outer(3);
  int second = outer(1);
  printf("%d %d\n", total, second);
  for (auto v : Make(4)) { int v2 = v; v2 += 1; total += v2; }
  int r = Add(3);
  printf("%d %d %d\n", total, r, g);
  int64_t big = 3000000000;
  int small = big;
  uint32_t u = big * 2;
  printf("%d %u %ld\n", small, u, big * big);
  std::string s;
  for (int i = 0; i < 3; i++) { s += "ab"; s += std::to_string(i); }
  printf("%s %zu\n", s.c_str(), s.size());
  float f = 1; f /= 3; double d = f; d += 1e-9;
  printf("%.9f %.12f %d\n", f, d, f == d);
  int x = 5; x <<= 3; x |= 1; x ^= 0xff; x = -x >> 2; x %= 7;
  printf("%d\n", x);
  int arr[2][2] = {{1, 2}, {3, 4}};
  arr[1][0] *= 10;
  printf("%d %d\n", arr[1][0], arr[0][1]);
  const char* names[] = {"a", "b"};
  for (int i = 0; i < 2; i++) printf("%s ", names[i]);
  uint8_t b = 7; b = ~b; printf("%d %d\n", b, (uint8_t)(b << 1));
  bool ok = total; ok = !ok; printf("%d\n", ok);
  aclFinalize();
  return -3;
}
