/* Gather and scatter: elements that are read or written at positions along one dimension.
 *
 * Tensors have three dimensions: `outer`, the dimension of the positions, and `inner`. A position out of range reads 0,
 * and writes nothing. Several positions may be equal: their values are written, or added, in order. The result does not
 * depend on the number of threads, because the other dimensions are divided among threads. */
#include "internal.h"

#include <string.h>

enum { AHEAD = 8, MAX_LINES = 4 }; /* distance of the row that is prefetched; cache lines of it */
enum { SHORT_ROW = 32 };           /* bytes of a row that is moved element by element */

static int64_t index_at(const char *index, int64_t type) {
    return type == I64 ? *(const int64_t *)index : *(const int32_t *)index;
}

/* The position of an index; -1 if it is out of range. */
static inline int64_t position(const struct positions *p, const char *index) {
    int64_t at = index_at(index, p->index_type);
    if (at < 0 && p->negative) at += p->length;
    return at >= 0 && at < p->length ? at : -1;
}

#define ELEMENT(I, action) { \
        int64_t at = *(const I *)(index + j * step + i * across); \
        if (at < 0) at += wrap; \
        const int inside = (uint64_t)at < (uint64_t)length; \
        action; \
    }
/* Loops over single elements, one loop for each type: for elements with their own positions, or for short rows. */
#define ELEMENTS(name, T, I, action) \
    static void name(const struct positions *p, char *to, const char *from, const char *index, int64_t start, \
                     int64_t stop, int64_t first, int64_t end) { \
        const int64_t wrap = p->negative ? p->length : 0, length = p->length; \
        const int64_t step = p->index_stride[1], across = p->index_stride[2]; \
        const int64_t t1 = p->to_stride[1], t2 = p->to_stride[2], f1 = p->from_stride[1], f2 = p->from_stride[2]; \
        if (end - first == 1) /* the compiler makes a faster loop for this case */ \
            for (int64_t j = start, i = first; j < stop; j++) ELEMENT(I, action) \
        else for (int64_t j = start; j < stop; j++) for (int64_t i = first; i < end; i++) ELEMENT(I, action) \
    }
#define READ(T) *(T *)(to + j * t1 + i * t2) = inside ? *(const T *)(from + at * f1 + i * f2) : (T)0
#define WRITE(T) if (inside) *(T *)(to + at * t1 + i * t2) = *(const T *)(from + j * f1 + i * f2)
#define SUM(T) if (inside) *(T *)(to + at * t1 + i * t2) += *(const T *)(from + j * f1 + i * f2)
#define BOTH(name, T, action) \
    ELEMENTS(name##_by_i32, T, int32_t, action(T)) ELEMENTS(name##_by_i64, T, int64_t, action(T))

BOTH(read_1, uint8_t, READ) BOTH(read_2, uint16_t, READ) BOTH(read_4, uint32_t, READ) BOTH(read_8, uint64_t, READ)
BOTH(write_1, uint8_t, WRITE) BOTH(write_2, uint16_t, WRITE) BOTH(write_4, uint32_t, WRITE) BOTH(write_8, uint64_t, WRITE)
BOTH(add_f32, float, SUM) BOTH(add_f64, double, SUM) BOTH(add_i32, int32_t, SUM) BOTH(add_i64, int64_t, SUM)

typedef void (*elements)(const struct positions *, char *, const char *, const char *, int64_t, int64_t, int64_t, int64_t);
#define EITHER(name) {name##_by_i32, name##_by_i64}
static const elements copying[2][4][2] = {
    {EITHER(read_1), EITHER(read_2), EITHER(read_4), EITHER(read_8)},
    {EITHER(write_1), EITHER(write_2), EITHER(write_4), EITHER(write_8)},
};
static const elements adding[][2] = {
    [F32] = EITHER(add_f32), [F64] = EITHER(add_f64), [I32] = EITHER(add_i32), [I64] = EITHER(add_i64),
};

/* Copy the elements `first` to `end` of a row; without `from`, set them to zero. */
static void copy_row(const struct positions *p, char *to, const char *from, int64_t first, int64_t end) {
    const int64_t ts = p->to_stride[2], fs = p->from_stride[2], size = p->size;
    const int dense = ts == size && fs == size;
    for (int64_t i = first; i < end; i = dense ? end : i + 1) {
        const size_t bytes = (size_t)(dense ? (end - first) * size : size);
        if (from) memcpy(to + i * ts, from + i * fs, bytes);
        else memset(to + i * ts, 0, bytes);
    }
}

#define ADD_ROW(T) for (int64_t i = first; i < end; i++) *(T *)(to + i * ts) += *(const T *)(from + i * fs)
#define ADD_DENSE(T) { T *x = (T *)to; const T *y = (const T *)from; EACH(end - first) x[first + i] += y[first + i]; }

static void add_to_row(const struct positions *p, char *to, const char *from, int64_t first, int64_t end) {
    const int64_t ts = p->to_stride[2], fs = p->from_stride[2];
    const int dense = ts == p->size && fs == p->size;
    switch (p->type) {
    case F32: if (dense) ADD_DENSE(float) else ADD_ROW(float); break;
    case F64: if (dense) ADD_DENSE(double) else ADD_ROW(double); break;
    case I32: if (dense) ADD_DENSE(int32_t) else ADD_ROW(int32_t); break;
    default: if (dense) ADD_DENSE(int64_t) else ADD_ROW(int64_t);
    }
}

/* The loop over elements, if rows are short or each element has its own position; NULL if whole rows are moved. */
static elements by_element(const struct positions *p, int64_t row) {
    const int wide = p->index_type == I64;
    if (!p->index_stride[2] && row * p->size > SHORT_ROW) return 0;
    if (p->op == ADD) return adding[p->type][wide];
    for (int which = 0; which < 4; which++)
        if (p->size == 1 << which) return copying[p->op][which][wide];
    return 0;
}

static void prefetch_row(const struct positions *p, const char *base, const char *index, int64_t stride, int64_t first) {
    int64_t at = position(p, index);
    if (at < 0) return;
    const char *row = base + at * stride + first * p->size;
    for (int64_t line = 0; line < min_of(MAX_LINES * 64, (p->inner - first) * p->size); line += 64) __builtin_prefetch(row + line);
}

/* Move the indices `start` to `stop` at one index of `outer`, for the elements `first` to `end` of `inner`. */
static void move(const struct positions *p, int64_t outer, int64_t start, int64_t stop, int64_t first, int64_t end) {
    char *to = p->to + outer * p->to_stride[0];
    const char *from = p->from + outer * p->from_stride[0], *index = p->index + outer * p->index_stride[0];
    const int64_t step = p->index_stride[1];
    const elements all = by_element(p, end - first);
    if (all) {
        all(p, to, from, index, start, stop, first, end);
        return;
    }
    const char *base = p->op == GATHER ? from : to;
    const int64_t stride = p->op == GATHER ? p->from_stride[1] : p->to_stride[1];
    for (int64_t j = start; j < stop; j++) {
        if (j + AHEAD < stop) prefetch_row(p, base, index + (j + AHEAD) * step, stride, first);
        int64_t at = position(p, index + j * step);
        if (p->op == GATHER) copy_row(p, to + j * p->to_stride[1], at < 0 ? 0 : from + at * stride, first, end);
        else if (at < 0) continue;
        else if (p->op == PUT) copy_row(p, to + at * stride, from + j * p->from_stride[1], first, end);
        else add_to_row(p, to + at * stride, from + j * p->from_stride[1], first, end);
    }
}

enum { JOB = 1 << 15 };      /* elements of a job */
enum { MIN_PART = 64 };      /* elements of a part of a row */

struct cuts { const struct positions *p; int64_t along, across, step, width; };

static void run_positions(void *about, int64_t number) {
    const struct cuts *c = about;
    int64_t across = number % c->across * c->width, along = number / c->across % c->along * c->step;
    move(c->p, number / c->across / c->along, along, min_of(c->p->count, along + c->step), across,
              min_of(c->p->inner, across + c->width));
}

int evaluator_positions(const struct positions *p) {
    struct cuts c = {.p = p, .along = 1, .across = 1, .step = p->count, .width = p->inner};
    int64_t elements = p->outer * p->count * p->inner;
    if (p->op == GATHER) c.step = JOB / (p->inner < JOB ? p->inner : JOB) + 1, c.along = (p->count + c.step - 1) / c.step;
    else if (p->outer < p->threads && p->inner >= 2 * MIN_PART) {
        c.width = (p->inner / p->threads + MIN_PART) / MIN_PART * MIN_PART;
        c.across = (p->inner + c.width - 1) / c.width;
    }
    if (!elements) return 0;
    each_job(p->outer * c.along * c.across, elements < p->min_parallel ? 1 : p->threads, run_positions, &c);
    return 0;
}

struct bounds { const char *numbers; int64_t type, n, low, width; int outside; };

#define OUTSIDE(T) { \
        const T *number = (const T *)b->numbers + first; \
        EACH(n) outside |= (uint64_t)number[i] - (uint64_t)b->low >= (uint64_t)b->width; \
    }

static void check_numbers(void *about, int64_t job) {
    struct bounds *b = about;
    const int64_t first = job * JOB, n = min_of(JOB, b->n - first);
    int outside = 0;
    if (b->type == I64) OUTSIDE(int64_t) else OUTSIDE(int32_t)
    if (outside) __atomic_store_n(&b->outside, 1, __ATOMIC_RELAXED);
}

int evaluator_in_range(int64_t type, const void *numbers, int64_t n, int64_t low, int64_t high, int64_t threads) {
    struct bounds b = {numbers, type, n, low, high > low ? high - low : 0, 0};
    each_job((n + JOB - 1) / JOB, threads, check_numbers, &b);
    return !b.outside;
}
