/* erf, erfc and erfinv, exp and log of float64, and powers. float32 is computed in float64 and rounded once.
 *
 * The Chebyshev series are those of aclnn/engine/numbers/chebyshev.py. `series` sums a series by Clenshaw's recurrence,
 * for FEW elements at a time. */
#include "internal.h"

#include "doubles.h"

enum { FEW = 64 };          /* elements that a loop computes together */
enum { MOST_FACTORS = 32 }; /* the largest whole exponent of powers that are computed as products */

static const double erf_terms[] = {
    0.9754769393826541, -0.14226120510371365, 0.010035582187599796, -0.0005768764699767485,
    2.741993125219606e-05, -1.1043175507344507e-06, 3.8488755420345036e-08, -1.1808582533875466e-09,
    3.2334215826050907e-11, -7.991015947004549e-13, 1.7990725113961456e-14, -3.718635487818693e-16,
    7.103599003714253e-18,
};
static const double erfc_terms[] = {
    1.2232758877738734, -0.059852608489178595, -0.028412712737120566, 0.017031503492578544,
    -0.005147889380443857, 0.001024695541168935, -0.00012737885388214903, 5.130457209853139e-06,
    1.2998673081335992e-06, -2.1362528448958494e-07, -6.426017857735834e-09, 4.5036454062111905e-09,
    -7.40109298660481e-11, -9.514961707153514e-11, 3.3979883030591013e-12, 2.248695655468793e-12,
    -7.182088696854332e-14, -5.933539963885316e-14, 3.6213425728164197e-16, 1.6593563159117904e-15,
    6.399876434880405e-17, -4.5545709835584233e-17, -4.741453119973089e-18,
};
static const double erfinv_terms[] = {
    1.6304220989459326, 0.7315674456742257, -0.021235032142504585, -0.0065808875424494635,
    0.0019488711426908524, -0.00014158343386374536, -4.9292864636180004e-05, 1.4752887929042498e-05,
    -6.111918603258194e-07, -5.106997335480761e-07, 1.159027723297735e-07, 1.4907998843194937e-09,
    -5.244776785530681e-09, 8.51790549109762e-10, 7.917020592973908e-11, -5.0994281737154326e-11,
    5.436227530231317e-12, 1.292282189751795e-12, -4.656064719044143e-13, 2.4256976317675218e-14,
    1.6403697972051414e-14, -3.94956069090147e-15, -3.9036001761416307e-17, 1.83129083527959e-16,
    -3.03580260263594e-17, -2.8782301773959922e-18, 1.8669320251663633e-18,
};
static const double erfinv_tail_terms[] = {
    4.220655033683528, 1.8900835884232285, 0.0027182744131301357, -0.0016287518508837262,
    0.0006290939778884931, -0.00024276189806299143, 9.81564849607247e-05, -3.889406708564888e-05,
    1.3770605213688246e-05, -3.8862816534993266e-06, 6.411943268244611e-07, 1.0464659053996748e-07,
    -1.3449662433141715e-07, 5.916405363297392e-08, -1.4985247175259548e-08, 8.911359823091382e-10,
    1.165796365279354e-09, -6.298120788451846e-10, 1.676191502208654e-10, -1.3545085700757728e-11,
    -9.427817496506568e-12, 5.085658566118794e-12, -1.2896540185732923e-12, 1.168171114097822e-13,
    4.957374993205357e-14, -2.769666756936529e-14, 7.697966731728934e-15, -1.3637804068406544e-15,
    8.011266723956262e-17, 6.837479242226867e-17, -4.5346257861580123e-17, 1.811047911654476e-17,
    -4.738321062346378e-18,
};

/* The sum of Chebyshev polynomials of t, between -1 and 1. */
static void series(const double *terms, int count, const double *t, double *result) {
    double last[FEW] = {0}, before[FEW] = {0};
    for (int each = count - 1; each > 0; each--)
        EACH(FEW) {
            double next = 2 * t[i] * last[i] - before[i] + terms[each];
            before[i] = last[i];
            last[i] = next;
        }
    EACH(FEW) result[i] = t[i] * last[i] - before[i] + terms[0];
}
#define SERIES(terms, t, result) series(terms, (int)(sizeof terms / sizeof *terms), t, result)

/* Numbers of terms for float32: the next term is below 2**-33. */
enum { SHORT_ERF = 8, SHORT_ERFC = 12 };

/* erf(x) / x for x up to 1, and erfc(|x|) from 1/2 on. */
static void both_parts(const double *x, double *near, double *far, const int is_short) {
    double t[FEW], part[FEW];
    EACH(FEW) {
        double size = fabs(x[i]) < 1 ? fabs(x[i]) : 1;
        t[i] = 2 * (size * size) - 1;
    }
    if (is_short) series(erf_terms, SHORT_ERF, t, near);
    else SERIES(erf_terms, t, near);
    EACH(FEW) {
        double size = fabs(x[i]) > 0.5 ? fabs(x[i]) : 0.5;
        size = size < 28 ? size : 28; /* erfc(28) is 0 */
        far[i] = size;
        t[i] = (2 * ((size - 3) / (size + 3)) - (25.0 / 31 - 2.5 / 3.5)) / (25.0 / 31 + 2.5 / 3.5);
    }
    if (is_short) {
        series(erfc_terms, SHORT_ERFC, t, part);
        EACH(FEW) far[i] = exp_of(-far[i] * far[i]) * (part[i] / (1 + 2 * far[i]));
        return;
    }
    SERIES(erfc_terms, t, part);
    EACH(FEW) {
        double size = far[i], high = double_of(bits_of_double(size) & ~(int64_t)0x7ffffff); /* its square is exact */
        far[i] = exp_of(-high * high) * exp_of((high - size) * (high + size)) * (part[i] / (1 + 2 * size));
    }
}

static inline void erf_both(const double *x, double *result, const int is_short) {
    double near[FEW], far[FEW];
    both_parts(x, near, far, is_short);
    EACH(FEW) {
        double outside = choose(x[i] < 0, far[i] - 1, 1 - far[i]);
        double found = choose(fabs(x[i]) < 1, x[i] * near[i], outside);
        result[i] = choose(x[i] != x[i], x[i], found);
    }
}

static inline void erfc_both(const double *x, double *result, const int is_short) {
    double near[FEW], far[FEW];
    both_parts(x, near, far, is_short);
    EACH(FEW) {
        double outside = choose(x[i] < 0, 2 - far[i], far[i]);
        double found = choose(fabs(x[i]) < 0.5, 1 - x[i] * near[i], outside);
        result[i] = choose(x[i] != x[i], x[i], found);
    }
}

static void erf_few(const double *x, double *result) { erf_both(x, result, 0); }
static void erfc_few(const double *x, double *result) { erfc_both(x, result, 0); }
static void erf_short_few(const double *x, double *result) { erf_both(x, result, 1); }
static void erfc_short_few(const double *x, double *result) { erfc_both(x, result, 1); }

static void erfinv_few(const double *x, double *result) {
    double w[FEW], t[FEW], near[FEW], far[FEW];
    int large = 0;
    EACH(FEW) {
        double size = fabs(x[i]), rest = (1 - size) * (1 + size);
        double safe = choose(rest > 0, rest, 1);
        w[i] = -log_of(safe);
        double low = choose(w[i] < 6.25, w[i], 6.25);
        t[i] = (2 * low - 6.25) / 6.25;
    }
    EACH(FEW) large |= w[i] > 6.25;
    SERIES(erfinv_terms, t, near);
    if (large) {
        EACH(FEW) {
            double high = choose(w[i] > 6.25, w[i], 6.25);
            t[i] = (2 * sqrt(high) - (2.5 + 6.25)) / (6.25 - 2.5);
        }
        SERIES(erfinv_tail_terms, t, far);
        EACH(FEW) near[i] = choose(w[i] > 6.25, far[i], near[i]);
    }
    EACH(FEW) {
        double size = fabs(x[i]), found = x[i] * near[i], edge = x[i] * (double)INFINITY;
        found = choose(size == 1, edge, found);
        result[i] = choose(size <= 1, found, (double)NAN);
    }
}

static void exp_few(const double *x, double *result) { EACH(FEW) result[i] = exp_of(x[i]); }

static void log_few(const double *x, double *result) {
    EACH(FEW) {
        const int small = x[i] < 0x1p-1000;
        double tiny = choose(small, 0x1p200, 1), more = choose(small, 200 * 0x1.62e42fefa39efp-1, 0);
        double found = log_of(x[i] * tiny) - more;
        found = choose(x[i] == 0, -(double)INFINITY, found);
        found = choose(x[i] < (double)INFINITY, found, x[i]); /* NaN and infinity stay */
        result[i] = choose(x[i] < 0, (double)NAN, found);
    }
}

#define OF_FLOATS(name) FLOATS_BY(name, name##_few)
#define FLOATS_BY(name, few) \
    void name##_f32(void *result, const void *a, const void *b, int64_t n, int va, int vb) { \
        const float *x = a; \
        float *to = result; \
        (void)b, (void)va, (void)vb; \
        for (int64_t at = 0; at < n; at += FEW) { \
            double given[FEW] = {0}, found[FEW]; \
            const int64_t count = min_of(FEW, n - at); \
            EACH(count) given[i] = (double)x[at + i]; \
            few(given, found); \
            EACH(count) to[at + i] = (float)found[i]; \
        } \
    }
#define OF_DOUBLES(name) \
    void name##_f64(void *result, const void *a, const void *b, int64_t n, int va, int vb) { \
        const double *x = a; \
        double *to = result; \
        (void)b, (void)va, (void)vb; \
        for (int64_t at = 0; at < n; at += FEW) { \
            double given[FEW] = {0}, found[FEW]; \
            const int64_t count = min_of(FEW, n - at); \
            EACH(count) given[i] = x[at + i]; \
            name##_few(given, found); \
            EACH(count) to[at + i] = found[i]; \
        } \
    }
FLOATS_BY(erf, erf_short_few) FLOATS_BY(erfc, erfc_short_few) OF_FLOATS(erfinv)
OF_DOUBLES(erf) OF_DOUBLES(erfc) OF_DOUBLES(erfinv) OF_DOUBLES(exp) OF_DOUBLES(log)

/* Inverse hyperbolic functions (arcsinh: exponential.c); below 2**-12 by their series, as the logarithm would lose digits. */
static void arccosh_few(const double *x, double *result) {
    double safe[FEW], root[FEW];
    EACH(FEW) {
        double size = choose(x[i] > 1, x[i], 1);
        safe[i] = choose(size < 1e100, size, 1e100);
    }
    EACH(FEW) root[i] = sqrt((safe[i] - 1) * (safe[i] + 1));
    EACH(FEW) {
        double found = log_of(safe[i] + root[i]);
        found = choose(x[i] < (double)INFINITY, found, x[i]);
        result[i] = choose(x[i] < 1, (double)NAN, found);
    }
}

static void arctanh_few(const double *x, double *result) {
    EACH(FEW) {
        double size = fabs(x[i]), safe = choose(size < 1, size, 0);
        double far = 0.5 * log_of((1 + safe) / (1 - safe)), near = size + size * size * size / 3;
        double found = choose(size < 0x1p-12, near, far);
        found = choose(size < 1, found, (double)INFINITY);
        found = choose(size <= 1, found, (double)NAN);
        double signed_ = choose(x[i] < 0, -found, found);
        result[i] = choose(x[i] == 0, x[i], signed_);
    }
}

OF_FLOATS(arccosh) OF_FLOATS(arctanh)

/* arcsin(s) - s for s up to 1/2, by a fit of (arcsin(s) / s - 1) / s**2 with a relative error of 2**-25. Above 1/2,
 * arcsin(x) = pi / 2 - 2 arcsin(sqrt((1 - x) / 2)). pi / 2 is the sum of two constants. */
static inline float arcsin_more(float s) {
    float z = s * s;
    return s * z * (0x1.555554p-3f + z * (0x1.33343cp-4f + z * (0x1.6d58dep-5f + z * (0x1.fdce5cp-6f +
           z * (0x1.17cec6p-6f + z * 0x1.14ef08p-5f)))));
}

#define HALF_PI 0x1.921fb6p+0f
#define HALF_PI_REST -0x1.777a5cp-25f

void arcsin_f32(void *result, const void *a, const void *b, int64_t n, int va, int vb) {
    const float *x = a;
    float *to = result;
    (void)b, (void)va, (void)vb;
    EACH(n) {
        float size = fabsf(x[i]), root = sqrtf((1 - size) * 0.5f), s = size <= 0.5f ? size : root, more = arcsin_more(s);
        float far = HALF_PI - (2 * (s + more) - HALF_PI_REST), found = size <= 0.5f ? s + more : far;
        to[i] = float_of(bits_of(found) | (bits_of(x[i]) & 0x80000000));
    }
}

void arccos_f32(void *result, const void *a, const void *b, int64_t n, int va, int vb) {
    const float *x = a;
    float *to = result;
    (void)b, (void)va, (void)vb;
    EACH(n) {
        float size = fabsf(x[i]), root = sqrtf((1 - size) * 0.5f), s = size <= 0.5f ? x[i] : root, more = arcsin_more(s);
        float both = 2 * (s + more), far = x[i] < 0 ? 2 * HALF_PI - (both - 2 * HALF_PI_REST) : both;
        to[i] = size <= 0.5f ? HALF_PI - (s + (more - HALF_PI_REST)) : far;
    }
}

/* Functions of two float32. With quotients below 2**29 the remainder is exact in float64, as q * y has 53 bits; larger
 * quotients, infinity and NaN are left to the C library. */
static inline int is_far(float x, float y) { return !(fabs((double)x) < fabs((double)y) * 0x1p29) | !(fabsf(y) < INFINITY); }

/* Loops with one element width each, which compilers vectorise. Returns nonzero if a pair is far (`is_far`). */
static int64_t remainders_near(const float *x, const float *y, float *found) {
    double size[FEW], of[FEW], rest[FEW];
    int64_t far = 0;
    EACH(FEW) size[i] = fabs((double)x[i]), of[i] = fabs((double)y[i]);
    EACH(FEW) far |= -(int64_t)!(size[i] < of[i] * 0x1p29) | -(int64_t)!(of[i] < (double)INFINITY);
    EACH(FEW) rest[i] = size[i] - trunc(size[i] / of[i]) * of[i];
    EACH(FEW) {
        double up = choose(rest[i] < 0, rest[i] + of[i], rest[i]);
        rest[i] = choose(up >= of[i], up - of[i], up);
    }
    EACH(FEW) found[i] = (float)rest[i];
    EACH(FEW) found[i] = float_of(bits_of(found[i]) | (bits_of(x[i]) & 0x80000000));
    return far;
}

/* The remainder with the sign of y, as in Python. */
static inline float floored(float rest, float y) {
    uint32_t apart = -(uint32_t)((rest < 0) ^ (y < 0));
    float moved = rest + float_of(bits_of(y) & apart);
    uint32_t zero = -(uint32_t)(rest == 0);
    return float_of((bits_of(y) & 0x80000000 & zero) | (bits_of(moved) & ~zero));
}

static inline float log_of_sum(float x, float y) {
    double difference = (double)x - (double)y, large = (double)(x > y ? x : y);
    double safe = choose(difference == difference, fabs(difference), 0), found = large + log_of(1 + exp_of(-safe));
    found = choose(x == y, large + 0x1.62e42fefa39efp-1, found);
    return (float)choose((difference == difference) | (x == y), found, (double)(x + y));
}

static inline float log2_of_sum(float x, float y) {
    double difference = (double)x - (double)y, large = (double)(x > y ? x : y);
    double safe = choose(difference == difference, fabs(difference), 0);
    double found = large + log_of(1 + exp_of(-safe * 0x1.62e42fefa39efp-1)) * 0x1.71547652b82fep+0;
    found = choose(x == y, large + 1, found);
    return (float)choose((difference == difference) | (x == y), found, (double)(x + y));
}

#define OF_TWO(name, compute, then) \
    void name(void *result, const void *of_a, const void *of_b, int64_t n, int va, int vb) { \
        const float *a = of_a, *b = of_b; \
        float *to = result; \
        for (int64_t at = 0; at < n; at += FEW) { \
            const int64_t count = min_of(FEW, n - at); \
            float x[FEW], y[FEW], found[FEW]; \
            if (count < FEW) EACH(FEW) x[i] = y[i] = 1; \
            EACH(count) x[i] = a[va ? at + i : 0]; \
            EACH(count) y[i] = b[vb ? at + i : 0]; \
            compute \
            then \
            EACH(count) to[at + i] = found[i]; \
        } \
    }
#define REMAINDERS(far) if (remainders_near(x, y, found)) \
        for (int64_t i = 0; i < count; i++) if (is_far(x[i], y[i])) found[i] = far;
OF_TWO(fmod_f32, REMAINDERS(fmodf(x[i], y[i])), )
OF_TWO(remainder_f32, REMAINDERS(fmodf(x[i], y[i])), EACH(FEW) found[i] = floored(found[i], y[i]);)
OF_TWO(logaddexp_f32, EACH(FEW) found[i] = log_of_sum(x[i], y[i]);, )
OF_TWO(logaddexp2_f32, EACH(FEW) found[i] = log2_of_sum(x[i], y[i]);, )

/* x ** y of float32: |x| ** y, with a negative sign for a negative x and an odd y. Zero, infinity and NaN are left to
 * the C library. */
static inline int is_odd_case(float x, float y) {
    return !(fabsf(x) > 0) | !(fabsf(x) < INFINITY) | !(fabsf(y) < INFINITY);
}

/* x ** y for a whole y that is not 0: products of float64, rounded once. A product out of the range of float64 is also
 * out of the range of float32, so it becomes infinity or 0 in both. */
static void whole_power(const float *x, float *to, int64_t n, int y) {
    if (y == 3) { /* the most frequent exponent, without temporaries */
        EACH(n) to[i] = (float)((double)x[i] * x[i] * x[i]);
        return;
    }
    for (int64_t at = 0; at < n; at += FEW) {
        const int64_t count = min_of(FEW, n - at);
        double square[FEW], product[FEW];
        EACH(count) square[i] = (double)x[at + i], product[i] = y & 1 ? square[i] : 1;
        for (int left = (y < 0 ? -y : y) >> 1; left; left >>= 1) {
            EACH(count) square[i] *= square[i];
            if (left & 1) EACH(count) product[i] *= square[i];
        }
        if (y < 0) EACH(count) product[i] = 1 / product[i];
        EACH(count) to[at + i] = (float)product[i];
    }
}

void power_f32(void *result, const void *of_a, const void *of_b, int64_t n, int va, int vb) {
    const float *a = of_a, *b = of_b;
    float *to = result;
    if (!vb && (b[0] == 1 || b[0] == 2)) { /* if vb is 0, va is 1 */
        const int twice = b[0] == 2;
        EACH(n) { const float x = a[i]; to[i] = x * (twice ? x : 1); }
        return;
    }
    if (!vb && b[0] && fabsf(b[0]) <= MOST_FACTORS && rintf(b[0]) == b[0]) {
        whole_power(a, to, n, (int)b[0]);
        return;
    }
    double log[FEW];
    if (!va) EACH(FEW) log[i] = log_of((double)fabsf(a[0]));
    for (int64_t at = 0; at < n; at += FEW) {
        const int64_t count = min_of(FEW, n - at);
        float x[FEW] = {0}, y[FEW] = {0}, found[FEW];
        uint32_t odd = 0;
        EACH(count) x[i] = a[va ? at + i : 0];
        EACH(count) y[i] = b[vb ? at + i : 0];
        if (va) EACH(FEW) log[i] = log_of((double)fabsf(x[i]));
        EACH(FEW) found[i] = (float)exp_of((double)y[i] * log[i]);
        EACH(FEW) {
            float half = y[i] * 0.5f, sign = rintf(half) != half ? -found[i] : found[i];
            sign = rintf(y[i]) == y[i] ? sign : NAN;
            found[i] = x[i] < 0 ? sign : found[i];
        }
        EACH(count) odd |= (uint32_t)is_odd_case(x[i], y[i]);
        for (int64_t i = 0; odd && i < count; i++)
            if (is_odd_case(x[i], y[i])) found[i] = powf(x[i], y[i]);
        EACH(count) to[at + i] = found[i];
    }
}
