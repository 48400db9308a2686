/* exp, expm1, logistic, tanh, arcsinh and logarithms of float32. The error is below 2.5 units in the last
 * place, of exp below 1.5.
 *
 * exp(x) = 2**k (1 + f + f**2 q(f)) with x = k ln 2 + f and |f| <= ln 2 / 2. ln 2 is the sum of two constants; the
 * product of k and the first, which has nine bits, is exact. The coefficients of q were fitted to the least relative
 * error of the result, 2**-28.
 *
 * log(x) = k ln 2 + log m with m between sqrt(1/2) and sqrt(2), and log m = f - f**2 / 2 + f**3 p(f) with f = m - 1, which
 * is exact. The coefficients of p were fitted to the least relative error of log m, 2**-27.
 *
 * The common functions are computed for SOME elements at a time; exp, logistic and tanh in several short loops. In one long
 * loop each operation would wait for the one before, and the processor does not look far enough ahead to find others. */
#include "internal.h"

#include <math.h>

#define MAGIC 0x1.8p23f /* a float32 of this size has no fraction: adding it rounds to an integer, in the low bits */

static inline float power_of_two(int32_t k) { return float_of((uint32_t)(k + 127) << 23); }
static inline int32_t without_magic(uint32_t magic_k) { return (int32_t)(magic_k - bits_of(MAGIC)); }
/* x * 2**k; all numbers are normal. The low nine bits of MAGIC, which stay after the shift, are 0. */
static inline float times_power(float x, uint32_t magic_k) { return float_of(bits_of(x) + (magic_k << 23)); }

/* x = k ln 2 + f: f, and the bits of MAGIC + k, for a number whose exponential is a normal float32. */
static inline float fraction(float y, uint32_t *magic_k) {
    float shifted = y * 0x1.715476p+0f + MAGIC;
    *magic_k = bits_of(shifted);
    float times = shifted - MAGIC;
    return (y - times * 0x1.63p-1f) - times * -0x1.bd0106p-13f;
}

/* exp(f) - 1 */
static inline float power_less_1(float f) {
    float q = (((0x1.6a2434p-10f * f + 0x1.1239e2p-7f) * f + 0x1.5558f2p-5f) * f + 0x1.555492p-3f) * f + 0x1.fffffcp-2f;
    return f + f * f * q;
}

static inline float reduced(float y, uint32_t *magic_k) { return power_less_1(fraction(y, magic_k)); }

/* The statements for `count` elements of x and `result` from `at` on, for all n of them. A result may overwrite an
 * operand. The elements AHEAD of these, those of the next block, are prefetched while the arithmetic runs. */
enum { SOME = 128, AHEAD = BLOCK, IN_LINE = 64 / sizeof(float) };
#define EACH_SOME(n, x, result, ...) { \
        int64_t at = 0; \
        for (; at + SOME <= (n); at += SOME) { \
            const int64_t count = SOME; \
            prefetch_ahead((x) + at, (result) + at); \
            __VA_ARGS__ \
        } \
        for (; at < (n); at = (n)) { const int64_t count = (n) - at; __VA_ARGS__ } \
    }

static inline void prefetch_ahead(const float *x, const float *result) {
    for (int64_t i = AHEAD; i < AHEAD + SOME; i += IN_LINE) {
        __builtin_prefetch(x + i, 0, 3);
        __builtin_prefetch(result + i, 1, 3);
    }
}

/* 1 if all numbers are so small that each exponential is a normal float32. */
static int all_normal(const float *x, int64_t n) {
    uint32_t most = 0;
    EACH(n) { const uint32_t size = bits_of(x[i]) & 0x7fffffff; most = size > most ? size : most; }
    return most <= bits_of(87);
}

/* exp(x) of numbers whose exponentials are normal float32. */
static inline void exp_if_normal(const float *x, float *result, int64_t count) {
    float f[SOME];
    uint32_t magic_k[SOME];
    EACH(count) f[i] = fraction(x[i], magic_k + i);
    EACH(count) f[i] = 1 + power_less_1(f[i]);
    EACH(count) result[i] = times_power(f[i], magic_k[i]);
}

/* exp(x) of any number, in two steps, down to subnormal numbers. A normal result has the same bits as above. */
static inline float exp_of_any(float x) {
    float y = x < -104 ? -104 : x; /* (NaN stays) */
    y = y > 89 ? 89 : y;
    uint32_t magic_k;
    const float p = 1 + reduced(y, &magic_k);
    const int32_t k = without_magic(magic_k);
    return p * power_of_two(k >> 1) * power_of_two(k - (k >> 1));
}

void exponential(const float *x, float *result, int64_t n) {
    if (all_normal(x, n)) EACH_SOME(n, x, result, exp_if_normal(x + at, result + at, count);)
    else EACH(n) result[i] = exp_of_any(x[i]);
}

/* a / (1 + exp(x)). The division runs beside the arithmetic of the exponential. */
void logistic_f32(void *result, const void *of_a, const void *of_x, int64_t n, int va, int vx) {
    float *to = result;
    const float *a = of_a, *x = of_x, first = a[0];
    if (!vx) { /* one divisor for all */
        const float divisor = 1 + exp_of_any(x[0]);
        EACH(n) to[i] = a[va ? i : 0] / divisor;
    } else if (!all_normal(x, n)) {
        EACH(n) to[i] = (va ? a[i] : first) / (1 + exp_of_any(x[i]));
    } else {
        EACH_SOME(n, x, to, {
            float power[SOME];
            exp_if_normal(x + at, power, count);
            if (va) EACH(count) to[at + i] = a[at + i] / (1 + power[i]);
            else EACH(count) to[at + i] = first / (1 + power[i]);
        })
    }
}

/* exp(x) - 1 for x from -30 to 88. */
static inline float exp_less_1(float y) {
    uint32_t magic_k;
    float p = reduced(y, &magic_k), half = power_of_two(without_magic(magic_k) - 1);
    return 2 * (half * p + (half - 0.5f));
}

void exponential_less_1(const float *x, float *result, int64_t n) {
    EACH(n) {
        float y = x[i] < -30 ? -30 : x[i], found;
        y = y > 88.8f ? 88.8f : y;
        found = exp_less_1(y);
        found = x[i] > 88.8f ? INFINITY : found;
        result[i] = x[i] == 0 ? x[i] : found; /* keeps the sign of zero */
    }
}

static inline void some_tangents(const float *x, float *result, int64_t count) {
    float f[SOME], e[SOME];
    uint32_t magic_k[SOME];
    EACH(count) {
        float size = fabsf(x[i]);
        f[i] = fraction(2 * (size > 10 ? 10 : size), magic_k + i);
    }
    EACH(count) f[i] = power_less_1(f[i]);
    EACH(count) { /* e: exp(2y) - 1 */
        float power = times_power(1, magic_k[i]);
        e[i] = power * f[i] + (power - 1);
    }
    EACH(count) {
        float size = fabsf(x[i]), found = e[i] / (e[i] + 2);
        found = size < 0x1p-12f ? size : found;
        result[i] = float_of(bits_of(found) | (bits_of(x[i]) & 0x80000000));
    }
}

void hyperbolic_tangent(const float *x, float *result, int64_t n) {
    EACH_SOME(n, x, result, some_tangents(x + at, result + at, count);)
}

/* A normal number above zero: k, and log m in two parts, of which the first, m - 1, is exact. */
struct parts { float k, first, rest; };

static inline struct parts log_parts(float x) {
    int32_t k = (int32_t)(bits_of(x) - 0x3f3504f3) >> 23;
    float f = float_of(bits_of(x) - ((uint32_t)k << 23)) - 1, z = f * f;
    float low = (0x1.555564p-2f - 0x1.00023cp-2f * f) + (0x1.99986p-3f - 0x1.54679p-3f * f) * z;
    float high = (0x1.236438p-3f - 0x1.0e6826p-3f * f) + (0x1.025beap-3f - 0x1.2d3636p-4f * f) * z;
    struct parts found = {(float)k, f, 0.5f * z - f * z * (low + high * (z * z))};
    return found;
}

/* The logarithm of a normal number above zero, plus `more`. */
static inline float log_and(float x, float more) {
    struct parts p = log_parts(x);
    return p.k * 0x1.62e300p-1f - ((p.rest - (p.k * 0x1.2fefa2p-17f + more)) - p.first);
}

/* 1 if all numbers are finite and at least 2**-120. */
static int all_positive(const float *x, int64_t n) {
    uint32_t most = 0;
    EACH(n) { const uint32_t more = bits_of(x[i]) - bits_of(0x1p-120f); most = more > most ? more : most; }
    return most < bits_of(INFINITY) - bits_of(0x1p-120f);
}

static inline float edges(float x, float found) {
    found = x == 0 ? -INFINITY : found;
    found = x < INFINITY ? found : x; /* NaN and infinity stay */
    return x < 0 ? NAN : found;
}

void logarithm(const float *x, float *result, int64_t n) {
    if (all_positive(x, n)) EACH_SOME(n, x, result, EACH(count) result[at + i] = log_and(x[at + i], 0);)
    else EACH(n) {
        const int tiny = x[i] < 0x1p-120f;
        result[i] = edges(x[i], log_and(tiny ? x[i] * 0x1p24f : x[i], 0) - (tiny ? 24 * 0x1.62e43p-1f : 0));
    }
}

/* log m times log2(e) or log10(e). The factor is the sum of two constants; (m - 1) times the first constant is nearly
 * exact. */
#define LOGARITHM(name, of_2_high, of_2_low, of_e_high, of_e_low) \
    void name(const float *x, float *result, int64_t n) { \
        EACH(n) { \
            const int tiny = x[i] < 0x1p-120f; \
            struct parts p = log_parts(tiny ? x[i] * 0x1p24f : x[i]); \
            float k = p.k - (tiny ? 24 : 0), high = float_of(bits_of(p.first) & 0xfffff000), low = p.first - high; \
            float rest = (low - p.rest) * (of_e_high + of_e_low) + (high * of_e_low + k * of_2_low); \
            result[i] = edges(x[i], k * of_2_high + (high * of_e_high + rest)); \
        } \
    }
LOGARITHM(logarithm_2, 1, 0, 0x1.714p+0f, 0x1.47652cp-12f)
LOGARITHM(logarithm_10, 0x1.344p-2f, 0x1.3509f8p-18f, 0x1.bcap-2f, 0x1.7b1526p-14f)

void logarithm_of_more(const float *x, float *result, int64_t n) {
    EACH(n) {
        float y = 1 + x[i], lost = x[i] > 1 ? 1 - (y - x[i]) : x[i] - (y - 1);
        float found = edges(y, log_and(y, lost / y));
        result[i] = fabsf(x[i]) < 0x1p-24f ? x[i] : found;
    }
}

/* arcsinh(x) = log(1 + t) with t = |x| + x**2 / (1 + sqrt(1 + x**2)); for large numbers arcsinh(x) = log |x| + log 2.
 * */
void inverse_hyperbolic_sine(const float *x, float *result, int64_t n) {
    EACH(n) {
        float size = fabsf(x[i]), safe = size < 0x1p13f ? size : 0, square = safe * safe;
        float t = safe + square / (1 + sqrtf(1 + square)), sum = 1 + t, lost = t > 1 ? 1 - (sum - t) : t - (sum - 1);
        float y = size < 0x1p13f ? sum : size, more = size < 0x1p13f ? 0 : 0x1.62e430p-1f;
        float found = edges(y, log_and(y, lost / sum) + more), small = size - size * square * 0x1.555556p-3f;
        found = size < 0x1p-12f ? small : found;
        result[i] = float_of(bits_of(found) | (bits_of(x[i]) & 0x80000000));
    }
}
