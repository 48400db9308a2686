/* Cumulative sums, products and extremes along a dimension.
 *
 * A tensor is dense, with three dimensions: `outer`, the dimension of the sums, and `inner`. A job computes up to LANES
 * lanes, which are independent: indices of `inner`, or of `outer` if `inner` has size 1. So a processor adds in several
 * lanes at the same time, while in a single lane each addition waits for the one before. */
#include "internal.h"

enum { LANES = 256, ROW_LANES = 16 }; /* lanes of a job: adjacent in memory, or in different rows */
enum { ROWS_AT_ONCE = 8, COLUMNS = 64 }; /* rows whose sums are computed together, and rounded together */

/* `ls`, `js`: strides of lanes, and of elements along the dimension. The body runs for each element x. Lanes that are
 * adjacent have a separate loop. */
#define LOOP(T, R, ...) \
    for (int64_t j = 0; j < count; j++) { \
        const T *from = x + j * js; \
        R *to = y + j * js; \
        int64_t *position = p + j * js; \
        if (ls == 1) EACH(lanes) { const int64_t at = i; __VA_ARGS__ } \
        else EACH(lanes) { const int64_t at = i * ls; __VA_ARGS__ } \
        (void)position; \
    }
#define RUNNING(name, T, R, first, body) \
    static void name(const void *given, void *result, int64_t *p, int64_t lanes, int64_t ls, int64_t count, int64_t js) { \
        const T *x = given; \
        R *y = result, so_far[LANES]; \
        int64_t number[LANES]; \
        EACH(lanes) so_far[i] = first, number[i] = 0; \
        LOOP(T, R, body) \
        (void)number; \
    }
#define SUM so_far[i] += from[at]; to[at] = so_far[i];
#define PRODUCT so_far[i] *= from[at]; to[at] = so_far[i];
/* The position is that of the last of equal elements, or of the last NaN. It is chosen by arithmetic, as a branch would
 * be unpredictable. Of two zeros the first one is the extreme. */
#define EXTREME(better, or_equal) { \
        const int nan = from[at] != from[at]; \
        const int as_good = (from[at] or_equal so_far[i]) | nan; \
        so_far[i] = (from[at] better so_far[i]) | nan ? from[at] : so_far[i]; \
        number[i] += (j - number[i]) & -(int64_t)as_good; \
        to[at] = so_far[i]; \
        position[at] = number[i]; \
    }
#define THREE(name, first, body) \
    RUNNING(name##_f64, double, double, first, body) RUNNING(name##_i32, int32_t, int32_t, first, body) \
    RUNNING(name##_i64, int64_t, int64_t, first, body)

RUNNING(sum_f32, float, double, -0.0, SUM) RUNNING(sum_f64, double, double, -0.0, SUM) /* -0.0 keeps the sign of zero */
RUNNING(sum_i32, int32_t, int32_t, 0, SUM) RUNNING(sum_i64, int64_t, int64_t, 0, SUM)
RUNNING(product_f32, float, float, 1, PRODUCT) THREE(product, 1, PRODUCT)
RUNNING(largest_f32, float, float, x[i * ls], EXTREME(>, >=))
THREE(largest, x[i * ls], EXTREME(>, >=))
RUNNING(smallest_f32, float, float, x[i * ls], EXTREME(<, <=))
THREE(smallest, x[i * ls], EXTREME(<, <=))

typedef void (*running)(const void *, void *, int64_t *, int64_t, int64_t, int64_t, int64_t);
#define OF_TYPES(name) {[F32] = name##_f32, [F64] = name##_f64, [I32] = name##_i32, [I64] = name##_i64}
static const running loops[4][MASK] = {
    [RUN_SUM] = OF_TYPES(sum), [RUN_PRODUCT] = OF_TYPES(product), [RUN_LARGEST] = OF_TYPES(largest),
    [RUN_SMALLEST] = OF_TYPES(smallest),
};

/* Sums of rows of float32, rounded into memory. */
static inline void sum_rows_at_once(const struct running *r, const float *x, char *to, int rows) {
    const int64_t n = r->count, size = bytes_of((int)r->to_type);
    double so_far[ROWS_AT_ONCE], sums[ROWS_AT_ONCE][COLUMNS];
    for (int row = 0; row < rows; row++) so_far[row] = -0.0;
    for (int64_t start = 0; start < n; start += COLUMNS) {
        const int64_t some = min_of(COLUMNS, n - start);
        for (int64_t j = 0; j < some; j++)
            for (int row = 0; row < rows; row++) sums[row][j] = so_far[row] += x[row * n + start + j];
        for (int row = 0; row < rows; row++)
            store((int)r->to_type, F64, to + (row * n + start) * size, size, sums[row], some);
    }
}

static void round_rows(const struct running *r, const float *x, char *to, int64_t rows) {
    const int64_t n = r->count, size = bytes_of((int)r->to_type), whole = rows - rows % ROWS_AT_ONCE;
    for (int64_t row = 0; row < whole; row += ROWS_AT_ONCE)
        sum_rows_at_once(r, x + row * n, to + row * n * size, ROWS_AT_ONCE);
    if (rows > whole) sum_rows_at_once(r, x + whole * n, to + whole * n * size, (int)(rows - whole));
}

/* Sums of adjacent lanes of float32, rounded into memory. */
static void round_lanes(const struct running *r, const float *x, char *to, int64_t lanes) {
    const int64_t size = bytes_of((int)r->to_type);
    double so_far[LANES];
    EACH(lanes) so_far[i] = -0.0;
    for (int64_t j = 0; j < r->count; j++, x += r->inner, to += r->inner * size) {
        EACH(lanes) so_far[i] += x[i];
        store((int)r->to_type, F64, to, size, so_far, lanes);
    }
}

struct job { const struct running *r; int64_t across, lanes; };

static void run_lanes(void *about, int64_t number) {
    const struct job *job = about;
    const struct running *r = job->r;
    const int64_t wide = r->type == F64 || r->type == I64, size = wide ? 8 : 4;
    const int float_sums = r->op == RUN_SUM && r->type == F32;
    const int64_t to_size = float_sums ? bytes_of((int)r->to_type) : size;
    const int rows = r->inner == 1; /* 1 if the lanes are in different rows */
    const int64_t first = number % job->across * job->lanes, outer = number / job->across;
    const int64_t start = rows ? first * r->count : outer * r->count * r->inner + first;
    const int64_t lanes = min_of(job->lanes, (rows ? r->outer : r->inner) - first);
    if (float_sums && r->to_type != F64) {
        (rows ? round_rows : round_lanes)(r, (const float *)r->from + start, (char *)r->to + start * to_size, lanes);
        return;
    }
    loops[r->op][r->type]((const char *)r->from + start * size, (char *)r->to + start * to_size,
                          r->positions ? r->positions + start : 0, lanes, rows ? r->count : 1, r->count, r->inner);
}

int evaluator_running(const struct running *r) {
    const int64_t elements = r->outer * r->count * r->inner, lanes = r->inner == 1 ? r->outer : r->inner;
    const int64_t rows = r->positions ? 1 : ROW_LANES; /* extremes are faster row by row */
    struct job job = {.r = r, .lanes = r->inner == 1 ? rows : LANES};
    if (!elements) return 0;
    job.across = (lanes + job.lanes - 1) / job.lanes;
    each_job(job.across * (r->inner == 1 ? 1 : r->outer), elements < r->min_parallel ? 1 : r->threads, run_lanes, &job);
    return 0;
}
