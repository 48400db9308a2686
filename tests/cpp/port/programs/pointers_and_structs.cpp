#include <cstdio>
#include <vector>
#include "acl/acl.h"
struct P { int x; std::vector<float> v; };
void Inc(int* p) { (*p)++; }
int Sum(const P& p) { int s = 0; for (auto e : p.v) s += e; return s; }
int main() {
  aclInit(nullptr);
  int n = 3;
  Inc(&n);
  int half = n / 2;
  auto f = [](int& r) { r -= 10; };
  f(n);
  printf("%d %d %d\n", n, half, n / 4);
  P p{1, {1.5f, 2.5f}};
  p.v[0] += 1;
  printf("%d %d\n", Sum(p), p.x);
  std::vector<P> ps(2);
  for (auto& each : ps) each.x = 4;
  P q = ps[1];
  q.x++;
  printf("%d %d\n", ps[1].x, q.x);
  int a[3] = {1, 2, 3};
  int* last = &a[2];
  *last = 7;
  printf("%d\n", a[2]);
  size_t count = 0;
  for (int i = -2; i < 3; i++) { if (i < 0) continue; count++; }
  printf("%zu\n", count);
  int x = 10;
  if (n < 0 && (x = 4) > 3) printf("%d\n", x);
  unsigned u = n;
  printf("%u\n", u);
  long total = 0;
  printf("%ld\n", total);
  bool same = (n & 1) == 0;
  printf("%d %s\n", same, same ? "even" : "odd");
  aclFinalize();
  return 0;
}
