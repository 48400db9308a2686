/* Sums of the rows of a matrix by index: each row of the result is the sum of the rows with its index.
 *
 * The indices are sorted by counting, so that equal ones stay in their order. Then each row of the result is added up
 * like columns in `sums.c`. Threads share the rows of the result, so no bit depends on their number. */
#include "internal.h"

enum { JOB = 1 << 9 };               /* terms and rows of a job */
enum { AHEAD = 16, MAX_LINES = 8 };  /* distance of the term that is prefetched; cache lines of it */

static int64_t index_at(const struct segments *s, int64_t i) {
    int64_t at = s->index_type == I64 ? ((const int64_t *)s->index)[i] : ((const int32_t *)s->index)[i];
    return at >= 0 && at < s->length && at != s->padding ? at : -1;
}

/* Sort the terms by row. `first[r]` becomes the number of terms before row r, and `first[length]` that of all terms. */
static void sort(const struct segments *s) {
    int32_t *first = s->first, sum = 0;
    for (int64_t r = 0; r <= s->length; r++) first[r] = 0;
    for (int64_t i = 0; i < s->count; i++) {
        int64_t at = index_at(s, i);
        if (at >= 0) first[at]++;
    }
    for (int64_t r = 0; r <= s->length; r++) {
        int32_t count = first[r];
        first[r] = sum;
        sum += count;
    }
    for (int64_t i = 0; i < s->count; i++) {
        int64_t at = index_at(s, i);
        if (at >= 0) s->positions[first[at]++] = (int32_t)i;
    }
    for (int64_t r = s->length; r > 0; r--) first[r] = first[r - 1]; /* back to the start of each row */
    first[0] = 0;
}

/* The first row with at least `count` rows and terms before it. */
static int64_t row_after(const struct segments *s, int64_t count) {
    int64_t low = 0, high = s->length;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (s->first[middle] + middle < count) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void sum_row(const struct segments *s, struct columns *sum, float *row, int64_t r) {
    const int32_t *terms = s->positions + s->first[r];
    const int64_t count = s->first[r + 1] - s->first[r], size = bytes_of((int)s->from_type);
    const int64_t out_size = bytes_of((int)s->to_type);
    const int64_t left = s->first[s->length] - s->first[r];
    const float factor = s->scale && count ? 1 / (float)count : 1;
    for (int64_t column = 0; column < s->width; column += BLOCK) {
        const int64_t n = min_of(BLOCK, s->width - column);
        const char *from = s->from + column * size;
        start_columns(sum, n, 0);
        for (int64_t k = 0; k < count; k++) {
            if (k + AHEAD < left)
                for (int64_t at = 0; at < min_of(n * size, MAX_LINES * 64); at += 64)
                    __builtin_prefetch(from + terms[k + AHEAD] * s->from_stride + at, 0, 2);
            const struct terms one = {.form = PLAIN, .type = (int)s->from_type, .a = from + terms[k] * s->from_stride};
            add_rows(sum, &one, n, 1);
        }
        finish_columns(sum, n);
        EACH(n) row[i] = (float)sum->total[i] * factor;
        store((int)s->to_type, F32, s->to + r * s->to_stride + column * out_size, out_size, row, n);
    }
}

struct work { const struct segments *segments; int failed; };

static void run_rows(void *about, int64_t number) {
    struct work *work = about;
    const struct segments *s = work->segments;
    struct columns *sum = scratch((int64_t)sizeof *sum + BLOCK * 4);
    if (!sum) {
        __atomic_store_n(&work->failed, 1, __ATOMIC_RELAXED);
        return;
    }
    const int64_t end = row_after(s, (number + 1) * JOB);
    for (int64_t r = row_after(s, number * JOB); r < end; r++) sum_row(s, sum, (float *)(sum + 1), r);
}

int evaluator_segments(const struct segments *s) {
    struct work work = {.segments = s};
    sort(s);
    const int64_t all = s->first[s->length] + s->length;
    each_job(all / JOB + 1, all * s->width < s->min_parallel ? 1 : s->threads, run_rows, &work);
    return work.failed;
}
