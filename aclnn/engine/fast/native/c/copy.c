/* Copies of elements between tensors of any strides. The dimensions are sorted by the strides of the target, and
 * neighbours are merged. If the rows of the target are not rows of the source, blocks of both are copied, so that each
 * cache line is read and written once. */
#include "internal.h"

#include <string.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

enum { JOB = 1 << 16 };     /* bytes of a job */
enum { TILE = 16 };         /* rows and columns of a block */
enum { COLUMNS = 256 };     /* columns of a unit of blocks */

struct dim { int64_t size, to, from; };
struct units {
    const struct copy *c;
    struct dim dim[DIMS];   /* the last one is the nearest in the target */
    int64_t dims, outer;    /* the dimensions before `outer` have one unit or more for each index */
    int64_t cross;          /* the dimension that is nearest in the source, if it is not the last one; else -1 */
    int64_t pieces, piece;  /* of the last dimension, for each index of the outer dimensions */
    int64_t tiles;          /* of the dimension `cross` */
    int64_t in_job, count;
};

static int64_t magnitude(int64_t stride) { return stride < 0 ? -stride : stride; }

/* Sort the dimensions, and merge neighbours. */
static int64_t simplify(const struct copy *c, struct dim *dim) {
    int64_t dims = 0, merged = 0;
    for (int64_t d = 0; d < c->dims; d++) {
        if (c->size[d] == 1) continue;
        int64_t at = dims++;
        for (; at && magnitude(dim[at - 1].to) < magnitude(c->to_stride[d]); at--) dim[at] = dim[at - 1];
        dim[at] = (struct dim){c->size[d], c->to_stride[d], c->from_stride[d]};
    }
    for (int64_t d = 0; d < dims; d++) {
        struct dim *last = dim + merged - 1;
        const int fits = merged && last->to == dim[d].to * dim[d].size && last->from == dim[d].from * dim[d].size;
        if (fits) *last = (struct dim){last->size * dim[d].size, dim[d].to, dim[d].from};
        else dim[merged++] = dim[d];
    }
    return merged;
}

#define LOOP(T) { \
        if (d->to == sizeof(T)) { \
            T *row = (T *)to; \
            if (!d->from) { const T value = *(const T *)from; EACH(n) row[i] = value; } \
            else { for (int64_t i = 0; i < n; i++) row[i] = *(const T *)(from + i * d->from); } \
        } else { \
            for (int64_t i = 0; i < n; i++) *(T *)(to + i * d->to) = *(const T *)(from + i * d->from); \
        } \
        return; \
    }

static void copy_row(int64_t size, const struct dim *d, char *to, const char *from, int64_t n) {
    if (d->to == size && d->from == size) {
        memcpy(to, from, (size_t)(n * size));
        return;
    }
    switch (size) {
    case 1: LOOP(uint8_t)
    case 2: LOOP(uint16_t)
    case 4: LOOP(uint32_t)
    case 8: LOOP(uint64_t)
    default: for (int64_t i = 0; i < n; i++) memcpy(to + i * d->to, from + i * d->from, (size_t)size);
    }
}

#if defined(__SSE2__)
/* A block of four rows and columns of four bytes, whose rows in the source are columns in the target. */
static inline void copy_four(char *to, int64_t to_row, const char *from, int64_t from_column) {
    __m128 a = _mm_loadu_ps((const float *)from), b = _mm_loadu_ps((const float *)(from + from_column));
    __m128 c = _mm_loadu_ps((const float *)(from + 2 * from_column)), d = _mm_loadu_ps((const float *)(from + 3 * from_column));
    _MM_TRANSPOSE4_PS(a, b, c, d);
    _mm_storeu_ps((float *)to, a), _mm_storeu_ps((float *)(to + to_row), b);
    _mm_storeu_ps((float *)(to + 2 * to_row), c), _mm_storeu_ps((float *)(to + 3 * to_row), d);
}
#endif

/* A block of `rows` indices of the dimension `cross` and `n` of the last one. */
static void copy_block(int64_t size, const struct dim *cross, const struct dim *d, char *to, const char *from,
                       int64_t rows, int64_t n) {
#if defined(__SSE2__)
    if (size == 4 && cross->from == 4 && d->to == 4 && rows == TILE && n == TILE) {
        for (int64_t r = 0; r < TILE; r += 4)
            for (int64_t i = 0; i < TILE; i += 4)
                copy_four(to + r * cross->to + i * 4, cross->to, from + r * 4 + i * d->from, d->from);
        return;
    }
#endif
    for (int64_t r = 0; r < rows; r++) copy_row(size, d, to + r * cross->to, from + r * cross->from, n);
}

static void copy_unit(const struct units *u, int64_t number) {
    const struct dim *last = u->dim + u->dims - 1;
    char *to = u->c->to;
    const char *from = u->c->from;
    const int64_t at = number % u->pieces * u->piece, n = min_of(u->piece, last->size - at);
    int64_t tile = 0;
    number /= u->pieces;
    if (u->cross >= 0) tile = number % u->tiles * TILE, number /= u->tiles;
    for (int64_t d = u->outer - 1; d >= 0; d--) {
        if (d == u->cross) continue;
        const int64_t index = number % u->dim[d].size;
        number /= u->dim[d].size;
        to += index * u->dim[d].to, from += index * u->dim[d].from;
    }
    to += at * last->to, from += at * last->from;
    if (u->cross < 0) {
        copy_row(u->c->size_of_element, last, to, from, n);
        return;
    }
    const struct dim *cross = u->dim + u->cross;
    const int64_t rows = min_of(TILE, cross->size - tile);
    to += tile * cross->to, from += tile * cross->from;
    for (int64_t i = 0; i < n; i += TILE)
        copy_block(u->c->size_of_element, cross, last, to + i * last->to, from + i * last->from, rows, min_of(TILE, n - i));
}

static void copy_units(void *about, int64_t number) {
    const struct units *u = about;
    for (int64_t unit = number * u->in_job; unit < min_of(u->count, (number + 1) * u->in_job); unit++) copy_unit(u, unit);
}

int evaluator_copy(const struct copy *c) {
    struct units u = {.c = c, .cross = -1, .tiles = 1, .pieces = 1, .count = 1};
    int64_t bytes = c->size_of_element;
    for (int64_t d = 0; d < c->dims; d++) bytes *= c->size[d];
    if (!bytes) return 0;
    u.dims = simplify(c, u.dim);
    if (!u.dims) u.dim[u.dims++] = (struct dim){1, c->size_of_element, c->size_of_element};
    u.outer = u.dims - 1;
    const struct dim *last = u.dim + u.outer;
    if (magnitude(last->from) > c->size_of_element && last->size >= TILE)
        for (int64_t d = 0; d < u.outer; d++) {
            const struct dim *other = u.dim + d, *best = u.cross < 0 ? last : u.dim + u.cross;
            if (other->from && magnitude(other->from) < magnitude(best->from) && other->size >= TILE / 4) u.cross = d;
        }
    u.piece = u.cross >= 0 ? COLUMNS : last->size * c->size_of_element > JOB ? JOB / c->size_of_element : last->size;
    u.pieces = (last->size + u.piece - 1) / u.piece;
    if (u.cross >= 0) u.tiles = (u.dim[u.cross].size + TILE - 1) / TILE;
    u.count = u.pieces * u.tiles;
    for (int64_t d = 0; d < u.outer; d++)
        if (d != u.cross) u.count *= u.dim[d].size;
    const int64_t of_unit = bytes / u.count + 1;
    u.in_job = of_unit < JOB ? JOB / of_unit : 1;
    const int64_t jobs = (u.count + u.in_job - 1) / u.in_job;
    each_job(jobs, c->threads, copy_units, &u);
    return 0;
}
