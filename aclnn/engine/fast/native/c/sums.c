/* Sums, and largest and smallest elements. Sums: short runs in float32, in many lanes; the sums of runs in float64.
 *
 * A run in float32 may go beyond the largest float32 on the way, though the sum is a float32. Then it is added up in
 * float64 from the start. Of columns all further rows are. */
#include "internal.h"

#include <math.h>

enum { LANES = 64, RUN = 8 * LANES, GROUP = 16 };

static double run_sum(const float *a, const float *b, int64_t n) {
    float lane[LANES] = {0};
    double total;
    int64_t whole = n - n % LANES;
    for (int64_t at = 0; at < whole; at += LANES) {
        if (b) {
            EACH(LANES) lane[i] += a[at + i] * b[at + i];
        } else {
            EACH(LANES) lane[i] += a[at + i];
        }
    }
    for (int64_t i = whole; i < n; i++) lane[i - whole] += b ? a[i] * b[i] : a[i];
    /* few additions wait for each other, as a run is as short as this end of it */
    double part[LANES / 4];
    EACH(16) part[i] = ((double)lane[i] + lane[i + 16]) + ((double)lane[i + 32] + lane[i + 48]);
    EACH(8) part[i] += part[i + 8];
    EACH(4) part[i] += part[i + 4];
    total = (part[0] + part[2]) + (part[1] + part[3]);
    if (isfinite(total)) return total;
    total = 0;
    for (int64_t i = 0; i < n; i++) total += b ? (double)(a[i] * b[i]) : (double)a[i];
    return total;
}

double row_sum(const float *a, const float *b, int64_t n) {
    double total = 0;
    for (int64_t at = 0; at < n; at += RUN) total += run_sum(a + at, b ? b + at : 0, least(RUN, n - at));
    return total;
}

/* The larger or the smaller one; NaN if one is NaN. */
static inline double larger(double a, double b) { return (a > b) | (a != a) ? a : b; }
static inline double smaller(double a, double b) { return (a < b) | (a != a) ? a : b; }
double extreme(double a, double b, int smallest) { return smallest ? smaller(a, b) : larger(a, b); }

#define ROW_EXTREME(chooses) { \
        for (int64_t at = 0; at < whole; at += LANES) EACH(LANES) { \
            const float x = a[at + i], y = lane[i]; \
            lane[i] = (x chooses y) | (x != x) ? x : y; \
        } \
        for (int64_t i = whole; i < n; i++) { \
            const float x = a[i], y = lane[i - whole]; \
            lane[i - whole] = (x chooses y) | (x != x) ? x : y; \
        } \
    }

double row_extreme(const float *a, int64_t n, int smallest) {
    float lane[LANES];
    const int64_t whole = n - n % LANES;
    EACH(LANES) lane[i] = smallest ? INFINITY : -INFINITY;
    if (smallest) ROW_EXTREME(<) else ROW_EXTREME(>)
    for (int half = LANES / 2; half; half /= 2) EACH(half) {
        const float x = lane[i], y = lane[i + half];
        const int first = (smallest ? x < y : x > y) | (x != x);
        lane[i] = first ? x : y;
    }
    return (double)lane[0];
}

void extreme_row(struct columns *sum, const float *a, int64_t n, int smallest) {
    if (smallest) EACH(n) sum->total[i] = smaller((double)a[i], sum->total[i]);
    else EACH(n) sum->total[i] = larger((double)a[i], sum->total[i]);
}

void start_columns(struct columns *sum, int64_t n, double start) {
    EACH(n) sum->total[i] = start;
    sum->rows = sum->now = sum->wide = 0;
}

/* The next part, from the last one and a row. Returns whether an element is infinite or NaN. */
static int next_part(float *next, const float *last, const float *a, const float *b, int64_t n) {
    uint32_t beyond = 0;
    if (b && last) {
        EACH(n) { next[i] = last[i] + a[i] * b[i]; beyond |= (bits_of(next[i]) & 0x7f800000) == 0x7f800000; }
    } else if (b) {
        EACH(n) { next[i] = a[i] * b[i]; beyond |= (bits_of(next[i]) & 0x7f800000) == 0x7f800000; }
    } else if (last) {
        EACH(n) { next[i] = last[i] + a[i]; beyond |= (bits_of(next[i]) & 0x7f800000) == 0x7f800000; }
    } else {
        EACH(n) { next[i] = a[i]; beyond |= (bits_of(next[i]) & 0x7f800000) == 0x7f800000; }
    }
    return beyond != 0;
}

void add_row(struct columns *sum, const float *a, const float *b, int64_t n) {
    float *last = sum->part[sum->now], *next = sum->part[!sum->now];
    if (sum->wide || next_part(next, sum->rows ? last : 0, a, b, n)) {
        finish_columns(sum, n);
        sum->wide = 1;
        if (b) {
            EACH(n) sum->total[i] += (double)(a[i] * b[i]);
        } else {
            EACH(n) sum->total[i] += (double)a[i];
        }
        return;
    }
    sum->now = !sum->now;
    if (++sum->rows == GROUP) finish_columns(sum, n);
}

/* So many rows at a time, so that the part is read and written once for all of them. */
enum { ROWS = 4 };

/* The next part, from the last one and ROWS rows. Returns whether one was infinite or NaN on the way: it is so still. */
static int part_of_rows(float *next, const float *last, const float *a, const float *b, int64_t n) {
    const float *a1 = a + n, *a2 = a1 + n, *a3 = a2 + n;
    uint32_t beyond = 0;
    if (b) {
        const float *b1 = b + n, *b2 = b1 + n, *b3 = b2 + n;
        EACH(n) {
            next[i] = (((last[i] + a[i] * b[i]) + a1[i] * b1[i]) + a2[i] * b2[i]) + a3[i] * b3[i];
            beyond |= (bits_of(next[i]) & 0x7f800000) == 0x7f800000;
        }
    } else {
        EACH(n) {
            next[i] = (((last[i] + a[i]) + a1[i]) + a2[i]) + a3[i];
            beyond |= (bits_of(next[i]) & 0x7f800000) == 0x7f800000;
        }
    }
    return beyond != 0;
}

void add_rows(struct columns *sum, const float *a, const float *b, int64_t n, int64_t rows) {
    static const float nothing[BLOCK];
    for (int64_t r = 0; r < rows;) {
        const float *last = sum->rows ? sum->part[sum->now] : nothing;
        const float *here = a + r * n, *there = b ? b + r * n : 0;
        const int fits = r + ROWS <= rows && sum->rows + ROWS <= GROUP && !sum->wide;
        if (!fits || part_of_rows(sum->part[!sum->now], last, here, there, n)) {
            add_row(sum, here, there, n);
            r++;
            continue;
        }
        sum->now = !sum->now;
        sum->rows += ROWS;
        if (sum->rows == GROUP) finish_columns(sum, n);
        r += ROWS;
    }
}

void finish_columns(struct columns *sum, int64_t n) {
    if (sum->rows) EACH(n) sum->total[i] += (double)sum->part[sum->now][i];
    sum->rows = 0;
}
