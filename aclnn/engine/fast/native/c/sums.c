/* Sums, and largest and smallest elements. A sum is cut into short runs. The elements of a run are added in float32 in
 * many lanes, and the sums of runs in float64.
 *
 * An intermediate sum of a run may exceed the largest float32. The run is then added again in float64. For sums of
 * columns, all further rows are added in float64, too.
 *
 * The order of additions follows from n and the number of rows. Rows whose length is a multiple of SUM_LANES give the
 * same bits as one long row of the same elements. */
#include "wide.h"

#include <math.h>

enum { SUM_LANES = UNIFORM, VECTORS = SUM_LANES / LANES, RUN = 16 }; /* a run has RUN additions in each lane */
enum { RUN_ROWS = 16 }; /* rows of a run of columns */

/* One term, or a vector of terms. */
#define TERM(name, T) \
    ALWAYS T name(int form, T a, T b, T c) { \
        if (form == PLAIN) return a; \
        if (form == PRODUCT) return a * b; \
        return form == CENTRED ? a * (b - c) : (a - c) * (a - c); \
    }
TERM(wide_of, wide)
TERM(one_of, float)
ALWAYS int has_b(int form) { return form == PRODUCT || form == CENTRED; }

ALWAYS wide wide_term(int form, int type, const void *a, const void *b, wide c, int64_t at) {
    return wide_of(form, wide_at(type, a, at), has_b(form) ? wide_at(type, b, at) : c, c);
}

ALWAYS wide first_terms(int form, int type, const void *a, const void *b, wide c, int64_t at, int64_t n) {
    return first(wide_of(form, part_at(type, a, at, n), has_b(form) ? part_at(type, b, at, n) : c, c), n);
}

ALWAYS float one_term(int form, int type, const void *a, const void *b, float c, int64_t at) {
    return one_of(form, number_at(type, a, at), has_b(form) ? number_at(type, b, at) : c, c);
}

/* The row with this number, of a or b. */
#define ROW(t, type, which, row) ((t)->which + (row) * (t)->stride_##which * bytes_of(type))

/* A function for all forms and types: `name##_as(form, type, ...)` with constants. */
#define TYPES_OF(name, form, t, ...) \
    return (t)->type == F32 ? name##_as(form, F32, t, __VA_ARGS__) \
         : (t)->type == F16 ? name##_as(form, F16, t, __VA_ARGS__) : name##_as(form, BF16, t, __VA_ARGS__)
#define SPECIALISED(name, t, ...) switch ((t)->form) { \
    case PLAIN: TYPES_OF(name, PLAIN, t, __VA_ARGS__); \
    case PRODUCT: TYPES_OF(name, PRODUCT, t, __VA_ARGS__); \
    case CENTRED: TYPES_OF(name, CENTRED, t, __VA_ARGS__); \
    default: TYPES_OF(name, SQUARE, t, __VA_ARGS__); \
    }

/* The index of an element. */
struct spot { int64_t row, column; };

/* The sum in float64 of the terms from one spot up to, but without, another spot. */
static double wide_sum(const struct terms *t, int64_t n, struct spot from, struct spot to) {
    double total = 0;
    for (; from.row < to.row || (from.row == to.row && from.column < to.column); from.column++) {
        if (from.column == n) from = (struct spot){from.row + 1, 0};
        if (from.row == to.row && from.column == to.column) break;
        const char *a = ROW(t, t->type, a, from.row), *b = ROW(t, t->type, b, from.row);
        total += (double)one_term(t->form, t->type, a, b, t->c ? *t->c : 0, from.column);
    }
    return total;
}

/* The sum of all lanes. Few additions depend on each other, because this sum takes nearly as long as a run. (noinline:
 * otherwise gcc would extract the lanes from vectors one by one.) */
__attribute__((noinline)) static double folded(const float *lane) {
    double part[SUM_LANES / 4];
    EACH(16) part[i] = ((double)lane[i] + lane[i + 16]) + ((double)lane[i + 32] + lane[i + 48]);
    EACH(8) part[i] += part[i + 8];
    EACH(4) part[i] += part[i + 4];
    return (part[0] + part[2]) + (part[1] + part[3]);
}

/* Add elements of a row to the lanes, which stay in registers. The number of elements is a multiple of SUM_LANES. */
ALWAYS void add_whole(int form, int type, wide *lanes, const void *a, const void *b, wide c, int64_t at, int64_t end) {
    wide lane[VECTORS];
    for (int w = 0; w < VECTORS; w++) lane[w] = lanes[w];
    for (; at < end; at += SUM_LANES)
        for (int w = 0; w < VECTORS; w++) lane[w] += wide_term(form, type, a, b, c, at + w * LANES);
    for (int w = 0; w < VECTORS; w++) lanes[w] = lane[w];
}

/* Add the last elements of a row, fewer than SUM_LANES, to the first lanes. */
ALWAYS void add_end(int form, int type, wide *lanes, const void *a, const void *b, wide c, int64_t at, int64_t end) {
    for (; at + LANES <= end; at += LANES) *lanes++ += wide_term(form, type, a, b, c, at);
    if (at < end) *lanes += first_terms(form, type, a, b, c, at, end - at);
}

ALWAYS double sum_rows_as(int form, int type, const struct terms *t, int64_t n, int64_t rows) {
    const float c = form == CENTRED || form == SQUARE ? *t->c : 0;
    const wide every_c = all(c), nothing = all(0);
    wide lane[VECTORS];
    struct spot start = {0, 0};
    double total = 0;
    int64_t added = 0;
    for (int w = 0; w < VECTORS; w++) lane[w] = nothing;
    for (int64_t r = 0; r < rows; r++) {
        const char *a = ROW(t, type, a, r), *b = ROW(t, type, b, r);
        for (int64_t at = 0; at < n;) {
            const int64_t end = min_of(n, at + (RUN - added) * SUM_LANES), whole = end - (end - at) % SUM_LANES;
            added += (end - at + SUM_LANES - 1) / SUM_LANES;
            add_whole(form, type, lane, a, b, every_c, at, whole);
            if (whole < end) add_end(form, type, lane, a, b, every_c, whole, end);
            at = end;
            if (added < RUN && (at < n || r + 1 < rows)) continue;
            const struct spot stop = {r, at};
            double sum = folded((const float *)lane);
            if (!isfinite(sum)) sum = wide_sum(t, n, start, stop);
            total += sum;
            start = stop, added = 0;
            for (int w = 0; w < VECTORS; w++) lane[w] = nothing;
        }
    }
    return total;
}

double sum_rows(const struct terms *t, int64_t n, int64_t rows) { SPECIALISED(sum_rows, t, n, rows) }

double extreme(double x, double y, int smallest) { return ((smallest ? x < y : x > y) | (x != x)) ? x : y; }

/* The first or last elements may be compared twice. */
ALWAYS float row_extreme_as(int smallest, int type, const void *a, int64_t n) {
    if (n >= SUM_LANES) {
        wide most[VECTORS];
        float lane[SUM_LANES];
        for (int w = 0; w < VECTORS; w++) most[w] = wide_at(type, a, n - SUM_LANES + w * LANES);
        for (int64_t at = 0; at + SUM_LANES < n; at += SUM_LANES)
            for (int w = 0; w < VECTORS; w++) most[w] = extreme_of(smallest, wide_at(type, a, at + w * LANES), most[w]);
        memcpy(lane, most, sizeof lane);
        for (int half = SUM_LANES / 2; half; half /= 2)
            EACH(half) lane[i] = extreme_float(smallest, lane[i], lane[i + half]);
        return lane[0];
    }
    float found = number_at(type, a, 0);
    for (int64_t i = 1; i < n; i++) found = extreme_float(smallest, number_at(type, a, i), found);
    return found;
}

ALWAYS void extreme_row_as(int smallest, int type, struct columns *sum, const void *a, int64_t n) {
    float *most = sum->part[0];
    const int64_t whole = n - n % LANES;
    for (int64_t i = 0; i < whole; i += LANES)
        put_wide(F32, most, i, extreme_of(smallest, wide_at(type, a, i), wide_at(F32, most, i)));
    for (int64_t i = whole; i < n; i++) most[i] = extreme_float(smallest, number_at(type, a, i), most[i]);
}

/* A function for all types, for the largest or the smallest element. */
#define OF_TYPE(name, smallest, type, ...) \
    return type == F32 ? name##_as(smallest, F32, __VA_ARGS__) \
         : type == F16 ? name##_as(smallest, F16, __VA_ARGS__) : name##_as(smallest, BF16, __VA_ARGS__)
#define EITHER(name, smallest, type, ...) \
    if (smallest) OF_TYPE(name, 1, type, __VA_ARGS__); \
    OF_TYPE(name, 0, type, __VA_ARGS__)

double row_extreme(int type, const void *a, int64_t n, int smallest) { EITHER(row_extreme, smallest, type, a, n); }

void extreme_row(struct columns *sum, int type, const void *a, int64_t n, int smallest) {
    EITHER(extreme_row, smallest, type, sum, a, n);
}

void start_columns(struct columns *sum, int64_t n, double start) {
    sum->rows = sum->current = sum->wide = 0;
    sum->of_extremes = start != 0; /* the identity of an extreme is infinite */
    if (sum->of_extremes) EACH(n) sum->part[0][i] = (float)start;
    else EACH(n) sum->total[i] = 0;
}

static const float zeros[BLOCK];

/* Compute the next part from the last one and a row. Returns nonzero if an element is infinite or NaN. (Rows are read
 * one after the other, which is faster than several at the same time.) */
ALWAYS uint32_t next_part_as(int form, int type, const struct terms *t, float *next, const float *last, int64_t n,
                             int64_t row) {
    const float *c = form == CENTRED || form == SQUARE ? t->c : zeros;
    const char *a = ROW(t, type, a, row), *b = ROW(t, type, b, row);
    const int64_t whole = n - n % LANES;
    uint32_t beyond = 0;
    for (int64_t i = 0; i < whole; i += LANES) {
        const wide sum = wide_at(F32, last, i) + wide_term(form, type, a, b, wide_at(F32, c, i), i);
        put_wide(F32, next, i, sum);
        beyond |= not_finite(sum);
    }
    for (int64_t i = whole; i < n; i++) {
        next[i] = last[i] + one_term(form, type, a, b, c[i], i);
        beyond |= !isfinite(next[i]);
    }
    return beyond;
}

static uint32_t next_part(const struct terms *t, float *next, const float *last, int64_t n, int64_t row) {
    SPECIALISED(next_part, t, next, last, n, row)
}

static void add_wide_row(struct columns *sum, const struct terms *t, int64_t n, int64_t row) {
    const char *a = ROW(t, t->type, a, row), *b = ROW(t, t->type, b, row);
    for (int64_t i = 0; i < n; i++) sum->total[i] += (double)one_term(t->form, t->type, a, b, t->c ? t->c[i] : 0, i);
}

void add_rows(struct columns *sum, const struct terms *t, int64_t n, int64_t rows) {
    for (int64_t r = 0; r < rows; r++) {
        const float *last = sum->rows ? sum->part[sum->current] : zeros;
        if (!sum->wide && next_part(t, sum->part[!sum->current], last, n, r)) {
            finish_columns(sum, n);
            sum->wide = 1;
        }
        if (sum->wide) {
            add_wide_row(sum, t, n, r);
            continue;
        }
        sum->current = !sum->current;
        if (++sum->rows == RUN_ROWS) finish_columns(sum, n);
    }
}

void finish_columns(struct columns *sum, int64_t n) {
    if (sum->of_extremes) EACH(n) sum->total[i] = (double)sum->part[0][i];
    else if (sum->rows) EACH(n) sum->total[i] += (double)sum->part[sum->current][i];
    sum->rows = 0;
}
