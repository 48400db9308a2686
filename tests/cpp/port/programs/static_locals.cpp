#include <cstdio>
#include "acl/acl.h"

int Next() {
  static int counter = 10;
  counter++;
  return counter;
}

float Total(float value) {
  static float total = 0.5f;
  total += value;
  return total;
}

static int Twice(int value) { return value * 2; }

int main() {
  aclInit(nullptr);
  Next();
  int other = 1;
  int next = Next();
  printf("%d %d %d\n", next, other, Twice(Next()));
  Total(1);
  printf("%f\n", Total(2));
  aclFinalize();
  return 0;
}
