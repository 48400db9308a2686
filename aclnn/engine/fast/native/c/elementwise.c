/* One loop for each operation and type. Integers wrap (the build has the option -fwrapv). */
#include "internal.h"

#include <math.h>

/* Both operands have n elements, or one of them has a single element. */
#define BINARY(name, T, R, expression) \
    static void name(void *result, const void *of_a, const void *of_b, int64_t n, int va, int vb) { \
        R *to = result; \
        const T *a = of_a, *b = of_b; \
        if (va && vb) { EACH(n) { const T x = a[i], y = b[i]; to[i] = (R)(expression); } } \
        else if (va) { const T y = b[0]; EACH(n) { const T x = a[i]; to[i] = (R)(expression); } } \
        else { const T x = a[0]; EACH(n) { const T y = b[i]; to[i] = (R)(expression); } } \
    }
#define UNARY(name, T, R, expression) \
    static void name(void *result, const void *of_a, const void *of_b, int64_t n, int va, int vb) { \
        R *to = result; \
        const T *a = of_a; \
        (void)of_b, (void)va, (void)vb; \
        EACH(n) { const T x = a[i]; to[i] = (R)(expression); } \
    }
#define BINARIES(name, expression) \
    BINARY(name##_f32, float, float, expression) BINARY(name##_f64, double, double, expression) \
    BINARY(name##_i32, int32_t, int32_t, expression) BINARY(name##_i64, int64_t, int64_t, expression)
#define COMPARISON(name, expression) \
    BINARY(name##_f32, float, uint8_t, expression) BINARY(name##_f64, double, uint8_t, expression) \
    BINARY(name##_i32, int32_t, uint8_t, expression) BINARY(name##_i64, int64_t, uint8_t, expression)
#define BITWISE(name, expression, of_mask) \
    BINARY(name##_i32, int32_t, int32_t, expression) BINARY(name##_i64, int64_t, int64_t, expression) \
    BINARY(name##_mask, uint8_t, uint8_t, of_mask)
#define UNARIES(name, of_float, of_double, of_integer) \
    UNARY(name##_f32, float, float, of_float) UNARY(name##_f64, double, double, of_double) \
    UNARY(name##_i32, int32_t, int32_t, of_integer) UNARY(name##_i64, int64_t, int64_t, of_integer)

BINARIES(add, x + y)
BINARIES(subtract, x - y)
BINARIES(multiply, x * y)
BINARY(divide_f32, float, float, x / y)
BINARY(divide_f64, double, double, x / y)
BINARIES(maximum, (x > y) | (x != x) ? x : y) /* NaN stays */
BINARIES(minimum, (x < y) | (x != x) ? x : y)
UNARIES(negative, -x, -x, -x)
UNARIES(absolute, fabsf(x), fabs(x), x < 0 ? -x : x)
UNARIES(square, x * x, x * x, x * x)
UNARY(sqrt_f32, float, float, sqrtf(x))
UNARY(sqrt_f64, double, double, sqrt(x))
UNARY(rint_f32, float, float, rintf(x))
UNARY(rint_f64, double, double, rint(x))
UNARY(floor_f32, float, float, floorf(x))
UNARY(floor_f64, double, double, floor(x))
UNARY(ceil_f32, float, float, ceilf(x))
UNARY(ceil_f64, double, double, ceil(x))
UNARY(trunc_f32, float, float, truncf(x))
UNARY(trunc_f64, double, double, trunc(x))
COMPARISON(greater, x > y)
COMPARISON(greater_equal, x >= y)
COMPARISON(less, x < y)
COMPARISON(less_equal, x <= y)
COMPARISON(equal, x == y)
COMPARISON(not_equal, x != y)
BITWISE(bitwise_and, x & y, x & y)
BITWISE(bitwise_or, x | y, x | y)
BITWISE(bitwise_xor, x ^ y, x ^ y)
UNARY(invert_i32, int32_t, int32_t, ~x)
UNARY(invert_i64, int64_t, int64_t, ~x)
UNARY(not_mask, uint8_t, uint8_t, x ^ 1)

#define TO_MASK(name, of_float, of_double) \
    UNARY(name##_f32, float, uint8_t, of_float) UNARY(name##_f64, double, uint8_t, of_double)
TO_MASK(isnan, x != x, x != x)
TO_MASK(isinf, fabsf(x) == INFINITY, fabs(x) == (double)INFINITY)
TO_MASK(isfinite, fabsf(x) < INFINITY, fabs(x) < (double)INFINITY)
/* As in numpy, a shift by the width or more gives 0, or the sign for a right shift. */
#define SHIFTS(type, T, U, width) \
    BINARY(left_shift_##type, T, T, ((T)((U)x << (y & (width - 1)))) & -(T)((U)y < width)) \
    BINARY(right_shift_##type, T, T, x >> ((U)y < width ? y : width - 1))
SHIFTS(i32, int32_t, uint32_t, 32)
SHIFTS(i64, int64_t, uint64_t, 64)

/* Loops that are in exponential.c. */
#define OF_FLOATS(name, loop) \
    static void name(void *result, const void *a, const void *b, int64_t n, int va, int vb) { \
        (void)b, (void)va, (void)vb; \
        loop(a, result, n); \
    }
OF_FLOATS(exp_f32, exponential)
OF_FLOATS(expm1_f32, exponential_less_1)
OF_FLOATS(tanh_f32, hyperbolic_tangent)
OF_FLOATS(log_f32, logarithm)
OF_FLOATS(log2_f32, logarithm_2)
OF_FLOATS(log10_f32, logarithm_10)
OF_FLOATS(log1p_f32, logarithm_of_more)
OF_FLOATS(arcsinh_f32, inverse_hyperbolic_sine)

#define OF_REAL(name) [F32] = name##_f32, [F64] = name##_f64
#define OF_ALL(name) OF_REAL(name), [I32] = name##_i32, [I64] = name##_i64
#define ALL(name) {OF_ALL(name)}
#define SINGLE(name) {[F32] = name##_f32}
#define REAL(name) {OF_REAL(name)}
#define WHOLE(name) {[I32] = name##_i32, [I64] = name##_i64}
#define BITS(name) {[I32] = name##_i32, [I64] = name##_i64, [MASK] = name##_mask}

const operation operations[OPERATIONS][REGISTER_TYPES] = {
    [OP_add] = {OF_ALL(add)}, [OP_subtract] = {OF_ALL(subtract)},
    [OP_multiply] = {OF_ALL(multiply)}, [OP_divide] = {OF_REAL(divide)},
    [OP_maximum] = ALL(maximum), [OP_minimum] = ALL(minimum), [OP_negative] = ALL(negative),
    [OP_absolute] = ALL(absolute), [OP_square] = ALL(square), [OP_sqrt] = REAL(sqrt), [OP_exp] = REAL(exp),
    [OP_expm1] = SINGLE(expm1), [OP_logistic] = SINGLE(logistic), [OP_tanh] = SINGLE(tanh), [OP_log] = REAL(log),
    [OP_log1p] = SINGLE(log1p), [OP_erf] = REAL(erf), [OP_erfc] = REAL(erfc), [OP_erfinv] = REAL(erfinv),
    [OP_power] = SINGLE(power), [OP_log2] = SINGLE(log2), [OP_log10] = SINGLE(log10),
    [OP_arcsinh] = SINGLE(arcsinh), [OP_arccosh] = SINGLE(arccosh), [OP_arctanh] = SINGLE(arctanh),
    [OP_fmod] = SINGLE(fmod), [OP_remainder] = SINGLE(remainder), [OP_logaddexp] = SINGLE(logaddexp),
    [OP_logaddexp2] = SINGLE(logaddexp2), [OP_arcsin] = SINGLE(arcsin), [OP_arccos] = SINGLE(arccos),
    [OP_isnan] = REAL(isnan), [OP_isinf] = REAL(isinf), [OP_isfinite] = REAL(isfinite),
    [OP_left_shift] = WHOLE(left_shift), [OP_right_shift] = WHOLE(right_shift),
    [OP_rint] = REAL(rint), [OP_floor] = REAL(floor), [OP_ceil] = REAL(ceil), [OP_trunc] = REAL(trunc),
    [OP_greater] = ALL(greater), [OP_greater_equal] = ALL(greater_equal), [OP_less] = ALL(less),
    [OP_less_equal] = ALL(less_equal), [OP_equal] = ALL(equal), [OP_not_equal] = ALL(not_equal),
    [OP_logical_and] = {[MASK] = bitwise_and_mask}, [OP_logical_or] = {[MASK] = bitwise_or_mask},
    [OP_logical_xor] = {[MASK] = bitwise_xor_mask}, [OP_logical_not] = {[MASK] = not_mask},
    [OP_bitwise_and] = BITS(bitwise_and), [OP_bitwise_or] = BITS(bitwise_or), [OP_bitwise_xor] = BITS(bitwise_xor),
    [OP_invert] = {[I32] = invert_i32, [I64] = invert_i64, [MASK] = not_mask},
};

/* Convert from one register type to another. If `to` is a narrow integer, the value wraps to its width. */
#define CONVERSION(T, R, expression) { \
        const T *a = values; \
        R *o = result; \
        EACH(n) { const T x = a[i]; o[i] = (R)(expression); } \
        return; \
    }
#define FROM(T) switch (to) { \
    case F32: CONVERSION(T, float, x) case F64: CONVERSION(T, double, x) \
    case I32: CONVERSION(T, int32_t, x) case I64: CONVERSION(T, int64_t, x) \
    case MASK: CONVERSION(T, uint8_t, x != 0) \
    case I8: CONVERSION(T, int32_t, (int8_t)x) case U8: CONVERSION(T, int32_t, (uint8_t)x) \
    case I16: CONVERSION(T, int32_t, (int16_t)x) case U16: CONVERSION(T, int32_t, (uint16_t)x) \
    default: CONVERSION(T, int64_t, (uint32_t)x) }

void convert(int from, int to, const void *values, void *result, int64_t n) {
    switch (from) { /* the Python side never converts a float to an integer */
    case F32:
        if (to == MASK) CONVERSION(float, uint8_t, x != 0)
        CONVERSION(float, double, x)
    case F64:
        if (to == MASK) CONVERSION(double, uint8_t, x != 0)
        CONVERSION(double, float, x)
    case I32: FROM(int32_t)
    case I64: FROM(int64_t)
    default: FROM(uint8_t)
    }
}

/* The bits of `one` where the mask is 1, and of `other` where it is 0. */
#define CHOICE(T, one, other) EACH(n) { const T all = (T)-(T)mask[i]; to[i] = (T)(((one) & all) | ((other) & (T)~all)); }
#define BY_BITS(T) { \
        const T *x = a, *y = b, first = x[0], second = y[0]; \
        T *to = result; \
        if (!vm) { const T *from = mask[0] ? x : y; const int v = mask[0] ? va : vb; EACH(n) to[i] = from[v ? i : 0]; } \
        else if (va && vb) CHOICE(T, x[i], y[i]) \
        else if (va) CHOICE(T, x[i], second) \
        else if (vb) CHOICE(T, first, y[i]) \
        else CHOICE(T, first, second) \
        return; \
    }

void select_values(int type, const uint8_t *mask, const void *a, const void *b, void *result, int64_t n,
                   int vm, int va, int vb) {
    if (type == F32 || type == I32) BY_BITS(uint32_t)
    if (type == MASK) BY_BITS(uint8_t)
    BY_BITS(uint64_t)
}
