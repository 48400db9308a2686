/* Functions of float64 without branches, for loops that the compiler turns into vectors. The error is about one unit in
 * the last place. */
#ifndef DOUBLES_H
#define DOUBLES_H

#include <math.h>
#include <stdint.h>

#define MAGIC_DOUBLE 0x1.8p52 /* a float64 of this size has no fraction, and its bits count integers */

union double_bits { double d; int64_t i; };
static inline int64_t bits_of_double(double x) { union double_bits both = {.d = x}; return both.i; }
static inline double double_of(int64_t i) { union double_bits both = {.i = i}; return both.d; }

/* a or b, chosen by bits. For `?:` the compiler might make a branch, to avoid the computation of the other value. */
static inline double choose(int condition, double a, double b) {
    int64_t all = -(int64_t)condition;
    return double_of((bits_of_double(a) & all) | (bits_of_double(b) & ~all));
}

/* 1 / n! */
#define EXP_TERMS(f) \
    (f + f * f * (0x1p-1 + f * (0x1.5555555555555p-3 + f * (0x1.5555555555555p-5 + f * (0x1.1111111111111p-7 + \
     f * (0x1.6c16c16c16c17p-10 + f * (0x1.a01a01a01a01ap-13 + f * (0x1.a01a01a01a01ap-16 + f * (0x1.71de3a556c734p-19 + \
     f * (0x1.27e4fb7789f5cp-22 + f * (0x1.ae64567f544e4p-26 + f * (0x1.1eed8eff8d898p-29 + f * 0x1.6124613a86d09p-33))))))))))))

/* exp: x = k ln 2 + f; NaN stays. */
static inline double exp_of(double x) {
    double y = choose(x < -746, -746, x);
    y = choose(y > 710, 710, y);
    double shifted = y * 0x1.71547652b82fep+0 + MAGIC_DOUBLE;
    int64_t k = bits_of_double(shifted) - bits_of_double(MAGIC_DOUBLE), half = k >> 1;
    double times = shifted - MAGIC_DOUBLE;
    double f = (y - times * 0x1.62e42fefap-1) - times * 0x1.cf79abc9e3b3ap-40;
    double p = 1 + EXP_TERMS(f);
    return p * double_of((half + 1023) << 52) * double_of((k - half + 1023) << 52);
}

/* log of a normal number above zero: x = 2**k m with m about 1, and log m = 2 atanh((m - 1) / (m + 1)). */
static inline double log_of(double x) {
    int64_t bits = bits_of_double(x), k = (bits - bits_of_double(0x1.6a09e667f3bcdp-1)) >> 52;
    double m = double_of(bits - (int64_t)((uint64_t)k << 52)), times = double_of(k + bits_of_double(MAGIC_DOUBLE)) - MAGIC_DOUBLE;
    double f = m - 1, s = f / (2 + f), z = s * s, half = 0.5 * f * f;
    double r = z * (2 / 3.0 + z * (2 / 5.0 + z * (2 / 7.0 + z * (2 / 9.0 + z * (2 / 11.0 + z * (2 / 13.0 + z * (2 / 15.0 +
               z * (2 / 17.0 + z * (2 / 19.0 + z * (2 / 21.0 + z * (2 / 23.0)))))))))));
    return times * 0x1.62e42fefap-1 - ((half - (s * (half + r) + times * 0x1.cf79abc9e3b3ap-40)) - f);
}

#endif
