// Conversions of op::fp16_t and op::float4_e2m1 for test_small_floats.py, over arrays; no library is needed.
#include <cstddef>

#include "aclnn/opdev/float4_e2m1.h"
#include "aclnn/opdev/fp16_t.h"
#include "opdev/float4_e2m1.h"
#include "opdev/fp16_t.h"

static_assert(sizeof(op::fp16_t) == 2 && alignof(op::fp16_t) == 2, "as ACL_FLOAT16 lies in memory");
static_assert(sizeof(op::float4_e2m1) == 1, "one number a byte");

template <typename To, typename From>
static void convert(const From *from, To *to, size_t count)
{
    for (size_t place = 0; place < count; place++) to[place] = To(from[place]);
}

extern "C" {
void halves_of_doubles(const double *from, op::fp16_t *to, size_t count) { convert(from, to, count); }
void halves_of_floats(const float *from, op::fp16_t *to, size_t count) { convert(from, to, count); }
void halves_of_integers(const int64_t *from, op::fp16_t *to, size_t count) { convert(from, to, count); }
void floats_of_halves(const op::fp16_t *from, float *to, size_t count) { convert(from, to, count); }
void fours_of_doubles(const double *from, op::float4_e2m1 *to, size_t count) { convert(from, to, count); }
void fours_of_floats(const float *from, op::float4_e2m1 *to, size_t count) { convert(from, to, count); }
void floats_of_fours(const op::float4_e2m1 *from, float *to, size_t count) { convert(from, to, count); }
uint8_t packed(double first, double second) { return op::float4_e2m1::pack(first, second); }

// Typical uses in host code. Returns the number of the first wrong line, 0 if all are right.
int used()
{
    op::fp16_t list[] = {1, 0.5, -2.0F, true, op::fp16_t::fromBits(0x3C00)};
    if (!(list[0] == list[4] && list[1] < list[0] && list[2] < 0 && list[3] == 1)) return __LINE__;
    list[0] += list[1];
    list[0] *= 2;
    list[0] -= 1.0;
    list[0] /= 4;
    if (static_cast<double>(list[0]) != 0.5 || list[0].toDouble() != 0.5 || list[0].toFloat() != 0.5F) return __LINE__;
    const float sum = list[0] + list[1] * 2;
    if (sum != 1.5F || op::fp16_t().val != 0) return __LINE__;
    const op::Float4E2M1 four = 3;
    if (four != 3.0F || four + 1 != 4 || op::float4_e2m1::fromBits(0xF5).toFloat() != 3.0F) return __LINE__;
    return 0;
}
}
