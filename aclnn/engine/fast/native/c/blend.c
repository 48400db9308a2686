/* Sums along one to three dimensions, dimension by dimension: resizing, and average pools.
 *
 * A job computes some images, or a band of one image: some results of the first dimension. The intermediate after each
 * dimension has the size of a band, and stays in the cache. The terms of a result are added in order, starting with
 * +0.0, so the bits do not depend on the bands. A missing term is skipped, as 0 * NaN would be NaN. WEIGHTED multiplies
 * in float32, MEAN adds in float64 and divides, PICKED copies the bytes of one element. */
#include "wide.h"

enum { ROOM = 1 << 15, LITTLE = 8, STRIP = 4 * LITTLE }; /* elements of a band, or of the images of a job; of a strip */

struct bands { const struct blend *b; int64_t side, count, together, most, from_image, to_image; int failed; };

/* The case inner == 1: results `start` to `start + n` of one line, which are neighbours in memory. If there are fewer
 * results than terms, they are computed one by one. */
#define LINE(name, S, T, AT, TIMES) \
    static void name(const struct blend_pass *p, const void *given, void *result, int64_t start, int64_t n) { \
        const S *from = given; \
        const int32_t *counts = p->counts + start; \
        T *to = result; \
        if (n < p->terms) for (int64_t i = 0; i < n; i++) { \
            T sum = 0; \
            for (int64_t t = 0, at = start + i; t < counts[i]; t++, at += p->results) sum += AT(from, p->places[at]) TIMES(at); \
            to[i] = sum; \
        } else { \
            EACH(n) to[i] = 0; \
            for (int64_t t = 0, at = start; t < p->terms; t++, at += p->results) \
                if (t < p->least) EACH(n) to[i] += AT(from, p->places[at + i]) TIMES(at + i); \
                else EACH(n) { \
                    const T term = AT(from, p->places[at + i]) TIMES(at + i); \
                    to[i] += t < counts[i] ? term : 0; \
                } \
        } \
    }
/* Vectors of LITTLE elements, at any address. */
typedef float floats __attribute__((vector_size(4 * LITTLE), aligned(4)));
typedef double doubles __attribute__((vector_size(8 * LITTLE), aligned(8)));

/* The case inner > 1: each position along the dimension is a row of `inner` elements. The sums of a strip stay in
 * registers. The last strip of a row overlaps the strip before it, so that all strips have the same size. */
#define ADD_ROWS(S, ...) \
    for (int64_t t = 0, at = j; t < p->counts[j]; t++, at += p->results) { \
        const char *place = from + (p->places[at] * inner + first) * size; \
        const S *row = size == 2 ? load(type, F32, place, 2, strip, narrow) : (const void *)place; \
        __VA_ARGS__ \
    }
#define ADD_VECTOR(k, VS, VT, TIMES) sum##k += __builtin_convertvector(((const VS *)row)[k], VT) TIMES(at);
#define ROWS(name, S, T, VS, VT, TIMES) \
    static void name(const struct blend_pass *p, int type, const char *from, void *result, int64_t inner, int64_t start, \
                     int64_t n) { \
        const int64_t size = bytes_of(type), strip = inner >= STRIP ? STRIP : inner >= LITTLE ? LITTLE : inner; \
        float narrow[STRIP]; \
        for (int64_t j = start; j < start + n; j++, result = (T *)result + inner) \
            for (int64_t next = 0; next < inner; next += strip) { \
                const int64_t first = min_of(next, inner - strip); \
                T *to = (T *)result + first; \
                VT *vectors = (VT *)to, sum0 = {0}, sum1 = {0}, sum2 = {0}, sum3 = {0}; \
                if (strip == STRIP) { \
                    ADD_ROWS(S, ADD_VECTOR(0, VS, VT, TIMES) ADD_VECTOR(1, VS, VT, TIMES) ADD_VECTOR(2, VS, VT, TIMES) \
                                ADD_VECTOR(3, VS, VT, TIMES)) \
                    vectors[0] = sum0, vectors[1] = sum1, vectors[2] = sum2, vectors[3] = sum3; \
                } else if (strip == LITTLE) { \
                    ADD_ROWS(S, ADD_VECTOR(0, VS, VT, TIMES)) \
                    vectors[0] = sum0; \
                } else { \
                    EACH(strip) to[i] = 0; \
                    ADD_ROWS(S, EACH(strip) to[i] += row[i] TIMES(at);) \
                } \
            } \
    }
#define AS_FLOAT(from, at) (from)[at]
#define AS_F16(from, at) number_at(F16, from, at)
#define AS_BF16(from, at) number_at(BF16, from, at)
#define BY_WEIGHT(at) * p->weights[at]
#define ALONE(at)
LINE(weighted_f32, float, float, AS_FLOAT, BY_WEIGHT)
LINE(weighted_f16, uint16_t, float, AS_F16, BY_WEIGHT)
LINE(weighted_bf16, uint16_t, float, AS_BF16, BY_WEIGHT)
LINE(added_f32, float, double, AS_FLOAT, ALONE)
LINE(added_f16, uint16_t, double, AS_F16, ALONE)
LINE(added_bf16, uint16_t, double, AS_BF16, ALONE)
LINE(added_f64, double, double, AS_FLOAT, ALONE)
ROWS(weighted_rows, float, float, floats, floats, BY_WEIGHT)
ROWS(added_rows, float, double, floats, doubles, ALONE)
ROWS(added_wide_rows, double, double, doubles, doubles, ALONE)

typedef void (*line)(const struct blend_pass *, const void *, void *, int64_t, int64_t);
static const line lines[2][TYPES] = {
    [WEIGHTED] = {[F32] = weighted_f32, [F16] = weighted_f16, [BF16] = weighted_bf16},
    [MEAN] = {[F32] = added_f32, [F16] = added_f16, [BF16] = added_bf16, [F64] = added_f64},
};

/* One dimension of a part of an image: [outer][size][inner] to [outer][n][inner]. */
static void along(const struct blend *b, int d, int type, const char *from, char *to, int64_t outer, int64_t inner,
                  int64_t start, int64_t n) {
    const struct blend_pass *p = b->pass + d;
    const int64_t from_step = p->size * inner * bytes_of(type), to_step = n * inner * (b->op == MEAN ? 8 : 4);
    for (int64_t o = 0; o < outer; o++, from += from_step, to += to_step) {
        if (inner == 1) lines[b->op][type](p, from, to, start, n);
        else if (b->op == WEIGHTED) weighted_rows(p, type, from, to, inner, start, n);
        else if (type == F64) added_wide_rows(p, type, from, to, inner, start, n);
        else added_rows(p, type, from, to, inner, start, n);
    }
}

/* Write n sums, divided by their divisors, to the output. `at`: the number of the first sum in its image. */
static void put_means(const struct blend *b, const double *sums, char *to, int64_t at, int64_t n) {
    float means[BLOCK];
    for (int64_t first = 0; first < n; first += BLOCK) {
        const int64_t part = min_of(BLOCK, n - first);
        const double *divisor = b->divisors + (b->divisor ? 0 : at + first);
        if (b->divisor) EACH(part) means[i] = (float)(sums[first + i] / *divisor);
        else EACH(part) means[i] = (float)(sums[first + i] / divisor[i]);
        store((int)b->type, F32, to + first * bytes_of((int)b->type), bytes_of((int)b->type), means, part);
    }
}

/* The results `start` to `start + n` of the first dimension, in one image. Returns 1 if there is no memory. */
static int sum_band(const struct bands *k, const char *from, char *to, int64_t start, int64_t n) {
    const struct blend *b = k->b;
    const int64_t size = b->op == MEAN ? 8 : 4, room = (k->most * k->side * size + 63) / 64 * 64;
    const int direct = b->op == WEIGHTED && b->type == F32;
    char *const memory = scratch(2 * room);
    if (!memory) return 1;
    int64_t outer = 1, inner = b->inner;
    int type = (int)b->type;
    for (int d = 1; d < b->dims; d++) inner *= b->pass[d].size;
    for (int d = 0; d < b->dims; d++) {
        const int last = d + 1 == b->dims;
        char *next = last && direct ? to : memory + (d & 1) * room;
        along(b, d, type, from, next, outer, inner, d ? 0 : start, d ? b->pass[d].results : n);
        outer *= d ? b->pass[d].results : n;
        if (!last) inner /= b->pass[d + 1].size;
        from = next;
        type = b->op == MEAN ? F64 : F32;
    }
    const int64_t all = outer * b->inner;
    if (b->op == MEAN) put_means(b, (const double *)from, to, start * (all / n), all);
    else if (!direct) store((int)b->type, F32, to, 2, from, all);
    return 0;
}

#define PICK(T) EACH(n) ((T *)to)[i] = ((const T *)from)[places[i]];

/* Pick elements of `bytes` bytes along `dims` dimensions. A part equal to the part before it is copied from it. */
__attribute__((noinline)) static void pick(const struct blend_pass *pass, int64_t dims, const char *from, char *to, int64_t bytes, int64_t start, int64_t n) {
    const int32_t *places = pass->places + start;
    if (dims > 1) {
        int64_t inside = bytes, outside = bytes;
        for (const struct blend_pass *inner = pass + 1; inner < pass + dims; inner++)
            inside *= inner->size, outside *= inner->results;
        for (int64_t j = 0; j < n; j++, to += outside)
            if (j && places[j] == places[j - 1]) memcpy(to, to - outside, (size_t)outside);
            else pick(pass + 1, dims - 1, from + places[j] * inside, to, bytes, 0, pass[1].results);
        return;
    }
    switch (bytes) {
    case 1: PICK(uint8_t) return;
    case 2: PICK(uint16_t) return;
    case 4: PICK(uint32_t) return;
    case 8: PICK(uint64_t) return;
    default: for (int64_t j = 0; j < n; j++) memcpy(to + j * bytes, from + places[j] * bytes, (size_t)bytes);
    }
}

static void blend_job(void *about, int64_t number) {
    struct bands *k = about;
    const struct blend *b = k->b;
    const int64_t item = b->op == PICKED ? b->type : bytes_of((int)b->type), results = b->pass[0].results;
    const int64_t first = number / k->count * k->together, end = min_of(b->images, first + k->together);
    const int64_t start = number % k->count * k->side, n = min_of(k->side, results - start);
    for (int64_t image = first; image < end; image++) {
        const char *from = b->from + image * k->from_image * item;
        char *to = b->to + (image * k->to_image + start * (k->to_image / results)) * item;
        if (b->op == PICKED) pick(b->pass, b->dims, from, to, b->inner * item, start, n);
        else if (sum_band(k, from, to, start, n)) __atomic_store_n(&k->failed, 1, __ATOMIC_RELAXED);
    }
}

int evaluator_blend(const struct blend *b) {
    struct bands k = {.b = b, .from_image = b->inner, .to_image = b->inner};
    int64_t done = b->inner; /* elements for each result of the first dimension, after each of the dimensions */
    for (int d = 0; d < b->dims; d++) k.from_image *= b->pass[d].size, k.to_image *= b->pass[d].results;
    for (int d = 1; d < b->dims; d++) done *= b->pass[d].size;
    k.most = done;
    for (int d = 1; d < b->dims; d++) {
        done = done / b->pass[d].size * b->pass[d].results;
        if (done > k.most) k.most = done;
    }
    k.side = min_of(b->pass[0].results, k.most < ROOM ? ROOM / k.most : 1);
    k.count = (b->pass[0].results + k.side - 1) / k.side;
    const int64_t image = k.from_image > k.to_image ? k.from_image : k.to_image;
    k.together = k.count == 1 && image < ROOM ? ROOM / image : 1;
    each_job((b->images + k.together - 1) / k.together * k.count, b->threads, blend_job, &k);
    return k.failed;
}
