/* exp of float32: x = k ln 2 + f with |f| <= ln 2 / 2, and exp(x) = 2**k (1 + f + f**2 q(f)).
 *
 * ln 2 is the sum of two constants; the product of k and the first, which has nine bits, is exact. The coefficients of q
 * were fitted to the least relative error of the result, 2**-28. Together with the roundings the error is below 1.5
 * units in the last place. */
#include "internal.h"

#define MAGIC 0x1.8p23f /* a float32 of this size has no fraction: the sum rounds to an integer, which its bits show */

static inline float power_of_two(int32_t k) { return float_of((uint32_t)(k + 127) << 23); }

void exponential(const float *x, float *result, int64_t n) {
    EACH(n) {
        float y = x[i] < -104 ? -104 : x[i]; /* (NaN stays) */
        y = y > 89 ? 89 : y;
        float shifted = y * 0x1.715476p+0f + MAGIC;
        int32_t k = (int32_t)(bits_of(shifted) - bits_of(MAGIC)), half = k >> 1;
        float times = shifted - MAGIC;
        float f = (y - times * 0x1.63p-1f) - times * -0x1.bd0106p-13f;
        float q = (((0x1.6a2434p-10f * f + 0x1.1239e2p-7f) * f + 0x1.5558f2p-5f) * f + 0x1.555492p-3f) * f + 0x1.fffffcp-2f;
        float p = 1 + (f + f * f * q);
        result[i] = p * power_of_two(half) * power_of_two(k - half); /* in two steps, down to subnormal numbers */
    }
}
