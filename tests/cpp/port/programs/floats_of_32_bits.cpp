#include <cmath>
#include <cstdio>
#include <vector>
#include "acl/acl.h"

float Mean(const std::vector<float>& data) {
  float sum = 0;
  for (size_t i = 0; i < data.size(); i++) {
    sum += data[i];
  }
  return sum / data.size();
}

float Wide(const std::vector<float>& data) {
  double sum = 0.0;
  for (auto each : data) {
    sum += each * 0.1;
  }
  return sum;
}

int main() {
  float two = 2.0f;
  double one_half = 0.5;
  printf("%.9f %.9f %.9f\n", sqrt(two), std::sqrt(two), sqrtf(2.1) * 3);
  printf("%.17g %.17g %d\n", std::fabs(two) / 3, fabs(-3) / 2, abs(-3));
  printf("%f %f %f\n", std::round(one_half - 6e-17), std::round(one_half), std::round(4503599627370497.0));
  aclInit(nullptr);
  float tenth = 0.1f;
  double exact = 0.1;
  printf("%.12f %.12f %.12f\n", tenth, exact, tenth * 3);
  printf("%.12f %.12f\n", tenth * 3.0, tenth + tenth + tenth);
  printf("%d %d\n", tenth == 0.1, tenth == 0.1f);
  float large = 16777216.0f;
  printf("%f %f\n", large + 1, large + 1.0);
  std::vector<float> data(1000, 0.1f);
  printf("%.9f %.9f\n", Mean(data), Wide(data));
  int n = 16777217;
  float converted = n;
  printf("%f %.3f %f\n", converted, n * 0.5f, n / 2.0f);
  float zero = 0;
  printf("%f %f %d\n", 1 / zero, -tenth / zero, std::isinf(1e38f * 10));
  float x = 1e30f;
  x *= x;
  x -= 1;
  printf("%f %d\n", x, (int)(tenth * 100));
  const float limit = 0.3f;
  printf("%d\n", tenth * 3 > limit);
  aclFinalize();
  return 0;
}
