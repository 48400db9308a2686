#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>
#include "acl/acl.h"

uint16_t FloatToHalf(float value) {
  uint32_t bits = 0;
  memcpy(&bits, &value, sizeof(bits));
  uint32_t sign = (bits >> 16) & 0x8000;
  int32_t exponent = static_cast<int32_t>((bits >> 23) & 0xff) - 127 + 15;
  uint32_t mantissa = bits & 0x7fffff;
  if (exponent <= 0) {
    if (exponent < -10) {
      return static_cast<uint16_t>(sign);
    }
    mantissa |= 0x800000;
    uint32_t shift = 14 - exponent;
    uint32_t half = mantissa >> shift;
    if ((mantissa >> (shift - 1)) & 1) half++;
    return static_cast<uint16_t>(sign | half);
  }
  if (exponent >= 31) {
    return static_cast<uint16_t>(sign | 0x7c00);
  }
  uint16_t half = sign | (exponent << 10) | (mantissa >> 13);
  if (mantissa & 0x1000) half++;
  return half;
}

float HalfToFloat(uint16_t half) {
  uint32_t sign = (half & 0x8000u) << 16;
  uint32_t exponent = (half >> 10) & 0x1f;
  uint32_t mantissa = half & 0x3ff;
  uint32_t bits;
  if (exponent == 0) {
    if (mantissa == 0) {
      bits = sign;
    } else {
      exponent = 127 - 15 + 1;
      while ((mantissa & 0x400) == 0) {
        mantissa <<= 1;
        exponent--;
      }
      mantissa &= 0x3ff;
      bits = sign | (exponent << 23) | (mantissa << 13);
    }
  } else if (exponent == 31) {
    bits = sign | 0x7f800000 | (mantissa << 13);
  } else {
    bits = sign | ((exponent + 112) << 23) | (mantissa << 13);
  }
  float value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

int main() {
  aclInit(nullptr);
  std::vector<float> values = {0, 1, -2.5f, 65504, 1e6f, 6e-8f, 3.14159f, 0.1f, -1e-4f};
  std::vector<uint16_t> halves;
  for (auto value : values) {
    halves.push_back(FloatToHalf(value));
  }
  for (size_t i = 0; i < halves.size(); i++) {
    printf("%04x %.10g %.10g\n", halves[i], HalfToFloat(halves[i]), aclFloat16ToFloat(halves[i]));
  }
  for (float value : values) {
    printf("%04x ", aclFloatToFloat16(value));
  }
  printf("\n");
  aclFinalize();
  return 0;
}
