/* Attention: softmax(scale * q @ k^T + shift) @ v, in jobs of one thread each.
 *
 * A job computes one panel of scores, which stays in the cache: some rows of some query heads that share a head of the
 * keys. BLAS multiplies with one thread in each job. Keys and values that BLAS cannot read in place are copied as
 * float32 a section at a time. Panels of a few rows, as in a decode step, are summed up here, and each key is read once,
 * in place. Panels and sections depend on sizes and layouts alone, so the bits do not depend on the number of threads.
 *
 * Keys may lie in blocks of a cache: a table has the numbers of the blocks. */
#include "blas.h"

#include <float.h>
#include <math.h>

enum { SECTION = 1 << 16 };     /* most elements of keys or values that are copied at a time */
enum { AHEAD = 16 };            /* rows between the row that is read and the one that the cache is asked for */
enum { SUMMED = 16, VECTORS = SUMMED / LANES }; /* partial sums, in the same order in each build */
enum { STRIP = 4 };             /* results that are summed up together, in units of SUMMED */

/* sums += factors * row, for the first n of SUMMED numbers. */
ALWAYS void add_products(wide *sums, const float *factors, int type, const void *row, int64_t n) {
    float some_factors[SUMMED] = {0};
    uint32_t some[SUMMED] = {0};
    if (n < SUMMED) {
        factors = memcpy(some_factors, factors, (size_t)n * sizeof *factors);
        row = memcpy(some, row, (size_t)(n * bytes_of(type)));
    }
    for (int64_t i = 0; i < VECTORS; i++)
        sums[i] = sums[i] + wide_at(F32, factors, i * LANES) * wide_at(type, row, i * LANES);
}

ALWAYS float sum_of(const wide *sums) {
    float parts[SUMMED];
    memcpy(parts, sums, sizeof parts);
    for (int64_t half = SUMMED / 2; half; half /= 2)
        for (int64_t i = 0; i < half; i++) parts[i] += parts[i + half];
    return parts[0];
}

static int64_t within(int64_t n, int64_t most) { return n < 1 ? 1 : min_of(n, most); }

/* The panel of a job: rows of query heads, which are `members` of the group of a head of the keys. */
struct panel { const struct attention *a; int64_t batch, head, member, members, row, rows, low, high; };

/* The memory of row `row` of a tensor with the heads of the queries. */
static char *query_row(const struct rows *h, const struct panel *p, int64_t row) {
    const int64_t head = p->head * p->a->group + p->member + row / p->rows;
    return h->base + p->batch * h->batch + head * h->head + (p->row + row % p->rows) * h->row;
}

/* The address of key or value `column`. From there on, `together` rows have equal distances. */
static const char *key_row(const struct rows *h, const struct panel *p, int64_t column) {
    const struct attention *a = p->a;
    const char *base = h->base + p->head * h->head;
    if (!a->table) return base + p->batch * h->batch + column * h->row;
    return base + a->table[column / a->together] * h->batch + column % a->together * h->row;
}

static int64_t together(const struct attention *a, int64_t column) {
    return a->table ? a->together - column % a->together : a->columns;
}

/* Rows of keys or values from `column` on for BLAS: at most *count of `size` elements, in place or in `buffer`. */
static struct dense section(const struct rows *h, const struct panel *p, int64_t column, int64_t size, float *buffer,
                            int64_t *count) {
    const char *from = key_row(h, p, column);
    const int64_t bytes = bytes_of((int)h->type);
    *count = min_of(*count, together(p->a, column));
    if (h->type == F32 && h->row % 4 == 0 && h->row >= 4 * size) return (struct dense){(const float *)from, h->row / 4, 0};
    *count = within(SECTION / size, *count);
    if (h->row == size * bytes) load_floats((int)h->type, from, bytes, *count * size, buffer);
    else for (int64_t i = 0; i < *count; i++) load_floats((int)h->type, from + i * h->row, bytes, size, buffer + i * size);
    return (struct dense){buffer, size, 0};
}

/* The scores of a few rows. */
ALWAYS void few_scores(int type, const struct panel *p, int64_t rows, const float *q, float *scores) {
    const int64_t size = p->a->size, width = p->high - p->low;
    for (int64_t column = p->low; column < p->high;) {
        const char *from = key_row(&p->a->k, p, column);
        const int64_t end = min_of(p->high, column + together(p->a, column));
        for (; column < end; column++, from += p->a->k.row) {
            for (int64_t ahead = 0; ahead < size * bytes_of(type); ahead += 64)
                __builtin_prefetch(from + AHEAD * p->a->k.row + ahead);
            for (int64_t row = 0; row < rows; row++) {
                wide sums[VECTORS];
                for (int64_t i = 0; i < VECTORS; i++) sums[i] = all(0);
                int64_t i = 0;
                for (; i + SUMMED <= size; i += SUMMED)
                    add_products(sums, q + row * size + i, type, from + i * bytes_of(type), SUMMED);
                if (i < size) add_products(sums, q + row * size + i, type, from + i * bytes_of(type), size - i);
                scores[row * width + column - p->low] = sum_of(sums);
            }
        }
    }
}

/* Columns of the result of a row: `count` of them from `first` on. `strips` is count / SUMMED if there is no rest, else
 * 0. */
ALWAYS void few_results(int type, const struct panel *p, int64_t row, int64_t first, int64_t strips, int64_t count,
                        const float *weights, float *to) {
    const int64_t bytes = bytes_of(type);
    float rest[SUMMED] = {0}, all_of_them[STRIP * SUMMED];
    wide sums[STRIP * VECTORS];
    for (int64_t i = 0; i < STRIP * VECTORS; i++) sums[i] = all(0);
    weights += row * (p->high - p->low);
    for (int64_t column = p->low; column < p->high;) {
        const char *from = key_row(&p->a->v, p, column) + first * bytes;
        const int64_t end = min_of(p->high, column + together(p->a, column));
        for (; column < end; column++, from += p->a->v.row) {
            const wide weight = all(weights[column - p->low]);
            for (int64_t ahead = 0; ahead < strips * SUMMED * bytes; ahead += 64)
                __builtin_prefetch(from + AHEAD * p->a->v.row + ahead);
            for (int64_t i = 0; i < strips * VECTORS; i++) sums[i] = sums[i] + weight * wide_at(type, from, i * LANES);
            if (strips) continue;
            for (int64_t i = 0; i < count; i++) rest[i] += weights[column - p->low] * number_at(type, from, i);
        }
    }
    memcpy(all_of_them, sums, sizeof all_of_them);
    memcpy(to + row * p->a->width + first, strips ? all_of_them : rest, (size_t)count * sizeof *to);
}

ALWAYS void few_rows(int type, const struct panel *p, int64_t rows, const float *weights, float *to) {
    const int64_t width = p->a->width;
    for (int64_t row = 0; row < rows; row++) {
        int64_t first = 0;
        for (; first + STRIP * SUMMED <= width; first += STRIP * SUMMED)
            few_results(type, p, row, first, STRIP, STRIP * SUMMED, weights, to);
        for (; first + SUMMED <= width; first += SUMMED) few_results(type, p, row, first, 1, SUMMED, weights, to);
        if (first < width) few_results(type, p, row, first, 0, width - first, weights, to);
    }
}

#define BY_TYPE(name, type, ...) \
    if (type == F32) name(F32, __VA_ARGS__); \
    else if (type == F16) name(F16, __VA_ARGS__); \
    else name(BF16, __VA_ARGS__)

static void multiply_keys(const struct panel *p, int64_t rows, const float *q, float *scores, float *buffer) {
    const struct attention *a = p->a;
    const int64_t width = p->high - p->low;
    for (int64_t column = p->low, count; column < p->high; column += count) {
        count = p->high - column;
        struct dense keys = section(&a->k, p, column, a->size, buffer, &count);
        keys.turned = 1;
        multiply(&a->blas, rows, count, a->size, (struct dense){q, a->size, 0}, keys, 0, scores + column - p->low, width);
    }
}

static void multiply_values(const struct panel *p, int64_t rows, const float *weights, float *to, float *buffer) {
    const struct attention *a = p->a;
    const int64_t width = p->high - p->low;
    for (int64_t column = p->low, count; column < p->high; column += count) {
        count = p->high - column;
        const struct dense values = section(&a->v, p, column, a->width, buffer, &count);
        multiply(&a->blas, rows, a->width, count, (struct dense){weights + column - p->low, width, 0}, values,
                 column > p->low, to, a->width);
    }
}

/* Add the shift to the scores of a row, and set hidden ones to the lowest number. */
static void shift_and_hide(const struct panel *p, int64_t row, float *scores) {
    const struct attention *a = p->a;
    const int64_t width = p->high - p->low;
    if (a->shift.base) {
        const struct rows *s = &a->shift;
        const float factor = a->shift_first ? (float)a->scale : 1;
        float buffer[BLOCK];
        for (int64_t start = 0; start < width; start += BLOCK) {
            const int64_t some = min_of(BLOCK, width - start);
            const char *from = query_row(s, p, row) + (p->low + start) * s->column;
            const float *more = load((int)s->type, F32, from, s->column, some, buffer);
            EACH(some) scores[start + i] += more[i] * factor;
        }
    }
    if (a->mask.base) {
        const char *mask = query_row(&a->mask, p, row) + p->low * a->mask.column;
        if (a->mask.column == 1) EACH(width) scores[i] = mask[i] ? -FLT_MAX : scores[i];
        else EACH(width) scores[i] = mask[i * a->mask.column] ? -FLT_MAX : scores[i];
    }
    const int64_t own = p->row + row % p->rows + a->first_row;
    if (a->has_low) {
        const int64_t end = min_of(own + a->low, p->high);
        for (int64_t i = p->low > a->prefix ? p->low : a->prefix; i < end; i++) scores[i - p->low] = -FLT_MAX;
    }
    if (a->has_high) {
        int64_t i = own + a->high + 1 > a->prefix ? own + a->high + 1 : a->prefix;
        for (i = i > p->low ? i : p->low; i < p->high; i++) scores[i - p->low] = -FLT_MAX;
    }
}

/* Replace the scores of a row by exp(score - top). Returns the sum, with that of the sink. */
static float exponentials(const struct panel *p, int64_t row, float *scores, float *top) {
    const struct attention *a = p->a;
    const int64_t width = p->high - p->low;
    float most = (float)row_extreme(F32, scores, width, 0), sink = 0;
    if (a->sink.base) {
        load_floats((int)a->sink.type, query_row(&a->sink, p, row), 0, 1, &sink);
        most = extreme_float(0, most, sink);
    }
    *top = most;
    if (a->corrects && most <= -FLT_MAX) {
        memset(scores, 0, (size_t)width * sizeof *scores);
        *top = -FLT_MAX;
        return FLT_MAX;
    }
    EACH(width) scores[i] -= most;
    exponential(scores, scores, width);
    const struct terms terms = {.form = PLAIN, .type = F32, .a = (const char *)scores};
    float total = (float)sum_rows(&terms, width, 1);
    if (a->sink.base) {
        sink -= most;
        exponential(&sink, &sink, 1);
        total += sink;
    }
    return total;
}

struct work { const struct attention *a; int64_t members, rows, down, across; int failed; };

static void attend_job(void *about, int64_t number) {
    struct work *work = about;
    const struct attention *a = work->a;
    struct panel p = {.a = a};
    p.row = number % work->down * work->rows, number /= work->down;
    p.member = number % work->across * work->members, number /= work->across;
    p.head = number % a->heads, p.batch = number / a->heads;
    p.rows = min_of(work->rows, a->rows - p.row), p.members = min_of(work->members, a->group - p.member);
    const int64_t rows = p.rows * p.members, first = p.row + a->first_row;
    p.low = 0, p.high = a->columns;
    if (a->has_low && !a->prefix) p.low = min_of(first + a->low > 0 ? first + a->low : 0, a->columns - 1);
    if (a->has_high) {
        const int64_t seen = first + p.rows + a->high;
        p.high = min_of(seen > a->prefix ? seen : a->prefix, a->columns);
    }
    if (p.high <= p.low) p.high = p.low + 1;
    const int64_t width = p.high - p.low, widest = a->size > a->width ? a->size : a->width;
    const int64_t copied = SECTION > widest ? SECTION : widest;
    float *q = scratch((rows * (a->size + width + a->width) + copied) * 4 + 64);
    if (!q) {
        __atomic_store_n(&work->failed, 1, __ATOMIC_RELAXED);
        return;
    }
    float *scores = q + rows * a->size, *results = scores + rows * width, *buffer = results + rows * a->width;
    for (int64_t row = 0; row < rows; row++) {
        float *to = q + row * a->size;
        load_floats((int)a->q.type, query_row(&a->q, &p, row), bytes_of((int)a->q.type), a->size, to);
        EACH(a->size) to[i] *= (float)a->scale;
    }
    if (rows > FEW) multiply_keys(&p, rows, q, scores, buffer);
    else BY_TYPE(few_scores, a->k.type, &p, rows, q, scores);
    float *totals = q; /* the queries are no longer needed */
    for (int64_t row = 0; row < rows; row++) {
        const int64_t head = p.head * a->group + p.member + row / p.rows;
        const int64_t place = (p.batch * a->heads * a->group + head) * a->rows + p.row + row % p.rows;
        shift_and_hide(&p, row, scores + row * width);
        totals[row] = a->sums[place] = exponentials(&p, row, scores + row * width, a->tops + place);
    }
    if (rows > FEW) multiply_values(&p, rows, scores, results, buffer);
    else BY_TYPE(few_rows, a->v.type, &p, rows, scores, results);
    for (int64_t row = 0; row < rows; row++) {
        const float divisor = totals[row] * (float)a->keep;
        float *from = results + row * a->width;
        EACH(a->width) from[i] /= divisor;
        memcpy(query_row(&a->out, &p, row), from, (size_t)a->width * sizeof *from);
    }
}

int evaluator_attention(const struct attention *a) {
    struct work work = {.a = a};
    work.rows = within(PANEL_SCORES / a->columns, a->rows);
    work.members = within(PANEL_SCORES / (a->columns * work.rows), a->group);
    work.down = parts_of(a->rows, work.rows), work.across = parts_of(a->group, work.members);
    each_job(a->batches * a->heads * work.across * work.down, a->threads, attend_job, &work);
    return work.failed;
}
