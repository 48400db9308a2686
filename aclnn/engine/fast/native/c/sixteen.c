/* Operations that read or write 16-bit floats themselves. The loop widens operands and rounds the result, without a
 * register for the widened values. */
#include "wide.h"

ALWAYS wide result(int op, wide x, wide y) {
    if (op == OP_add) return x + y;
    if (op == OP_subtract) return x - y;
    return op == OP_multiply ? x * y : x / y;
}

/* `of_a`, `of_b`, `of_result`: the extents. All arguments but the addresses and n are constants. */
ALWAYS void loop(int op, int type, int of_result, void *to, const void *a, int of_a, const void *b, int of_b, int64_t n) {
    const int type_a = of_a == NARROW ? type : F32, type_b = of_b == NARROW ? type : F32;
    const int to_type = of_result == NARROW ? type : F32;
    const float x = of_a == ONE ? *(const float *)a : 0, y = of_b == ONE ? *(const float *)b : 0;
    const wide every_x = all(x), every_y = all(y);
    const int64_t whole = n - n % LANES;
    _Pragma("GCC ivdep") for (int64_t i = 0; i < whole; i += LANES) {
        const wide u = of_a == ONE ? every_x : wide_at(type_a, a, i), v = of_b == ONE ? every_y : wide_at(type_b, b, i);
        put_wide(to_type, to, i, result(op, u, v));
    }
    if (whole < n) {
        const wide u = of_a == ONE ? every_x : part_at(type_a, a, whole, n - whole);
        const wide v = of_b == ONE ? every_y : part_at(type_b, b, whole, n - whole);
        put_part(to_type, to, whole, result(op, u, v), n - whole);
    }
}

#define FORM(RESULT, A, B) \
    if (of_result == RESULT && of_a == A && of_b == B) { loop(op, type, RESULT, to, a, A, b, B, n); return; }
#define FORMS(A, B) FORM(NARROW, A, B) FORM(MANY, A, B)
ALWAYS void forms(int op, int type, int of_result, void *to, const void *a, int of_a, const void *b, int of_b, int64_t n) {
    FORMS(NARROW, NARROW) FORMS(NARROW, MANY) FORMS(NARROW, ONE) FORMS(MANY, NARROW) FORMS(ONE, NARROW)
    FORM(NARROW, MANY, MANY) FORM(NARROW, MANY, ONE) FORM(NARROW, ONE, MANY)
}

#define OPERATION(name) \
    static void name##_f16(int of_result, void *to, const void *a, int of_a, const void *b, int of_b, int64_t n) { \
        forms(OP_##name, F16, of_result, to, a, of_a, b, of_b, n); \
    } \
    static void name##_bf16(int of_result, void *to, const void *a, int of_a, const void *b, int of_b, int64_t n) { \
        forms(OP_##name, BF16, of_result, to, a, of_a, b, of_b, n); \
    }
OPERATION(add)
OPERATION(subtract)
OPERATION(multiply)
OPERATION(divide)

#define BOTH(name) [OP_##name] = {name##_f16, name##_bf16}
const narrow_operation narrow_operations[OPERATIONS][2] = {BOTH(add), BOTH(subtract), BOTH(multiply), BOTH(divide)};
