/* Operations that read or write 16-bit floats themselves. The loop widens operands and rounds the result, without a
 * register for the widened values. */
#include "wide.h"

#include <string.h>

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

/* One block of a reduction. Returns nonzero if a result is infinite or NaN. */
ALWAYS uint32_t reduce_block(int op, int type, const struct reduction *r, int64_t start, int64_t n, uint16_t *to) {
    uint32_t bad = 0;
    for (int64_t i = 0; i < n; i += LANES) {
        const int64_t at = start + i, rest = (n - i) & (LANES - 1); /* of the last lanes, if they are fewer */
        const int whole = n - i >= LANES;
        wide total = whole ? wide_at(type, r->from[0], at) : part_at(type, r->from[0], at, rest);
        for (int64_t each = 1; each < r->inputs; each++) {
            const wide next = whole ? wide_at(type, r->from[each], at) : part_at(type, r->from[each], at, rest);
            if (op == OP_add) total = total + next;
            else if (op == OP_multiply) total = total * next;
            else total = extreme_of(op == OP_minimum, total, next);
        }
        bad |= not_finite(total);
        if (whole) put_wide(type, to, i, total);
        else put_part(type, to, i, total, rest);
    }
    return bad;
}

enum { REDUCED = 16 }; /* blocks of a job */

#define CASE(name, FLOAT) \
    if (r->op == OP_##name && r->type == FLOAT) bad = reduce_block(OP_##name, FLOAT, r, start, n, packed);
static void reduce_job(void *about, int64_t number) {
    const struct reduction *r = about;
    uint16_t packed[BLOCK];
    for (int64_t block = number * REDUCED; block < (number + 1) * REDUCED && block * BLOCK < r->count; block++) {
        const int64_t start = block * BLOCK, n = min_of(BLOCK, r->count - start);
        uint32_t bad = 1;
        CASE(add, F16) CASE(multiply, F16) CASE(maximum, F16) CASE(minimum, F16)
        CASE(add, BF16) CASE(multiply, BF16) CASE(maximum, BF16) CASE(minimum, BF16)
        r->left_out[block] = bad != 0;
        for (int64_t each = 0; !bad && each < r->results; each++) {
            if (r->streaming) stream_bytes((char *)(r->to[each] + start), packed, 2 * n);
            else memcpy(r->to[each] + start, packed, (size_t)n * 2);
        }
    }
    if (r->streaming) end_streaming();
}

int evaluator_reduction(const struct reduction *r) {
    const int64_t jobs = (r->count + REDUCED * BLOCK - 1) / (REDUCED * BLOCK);
    each_job(jobs, r->count < r->min_parallel ? 1 : r->threads, reduce_job, (void *)r);
    return 0;
}
