/* Convolutions in two dimensions whose groups have one channel, and their gradients: no products of matrices, but sums
 * of multiples of planes. A job is a plane, or the weight of a group.
 *
 * A large plane is copied and padded with zeros. With a stride s, columns with the same remainder modulo s are put
 * together in the copy, so that the elements of neighbouring windows are neighbours. */
#include "blas.h"

enum { PLANE = 1 << 18 };       /* elements of a copy, at most */
enum { STRIP = 64 };            /* windows whose sums are in registers */

struct padded {
    const struct convolution *c;
    int64_t high, wide, apart, line;    /* rows and columns of the copy; columns of a remainder; elements of a row */
    int64_t grid, taps;                 /* windows; places of a window */
    int together;                       /* 1 if all lines of windows are computed as one line */
    int failed;
};

static struct padded padded_of(const struct convolution *c) {
    struct padded p = {.c = c, .grid = c->grid[1] * c->grid[2], .taps = c->kernel[1] * c->kernel[2]};
    p.high = (c->grid[1] - 1) * c->stride[1] + (c->kernel[1] - 1) * c->step[1] + 1;
    p.wide = (c->grid[2] - 1) * c->stride[2] + (c->kernel[2] - 1) * c->step[2] + 1;
    p.apart = parts_of(p.wide, c->stride[2]);
    p.line = p.apart * c->stride[2];
    p.together = c->stride[1] == 1 && c->stride[2] == 1;
    return p;
}

int is_depthwise(const struct convolution *c) {
    const struct padded p = padded_of(c);
    const int flat = c->size[0] == 1 && c->grid[0] == 1 && c->kernel[0] == 1 && c->before[0] == 0;
    return flat && c->channels == 1 && c->outs < FEW && p.high <= PLANE / p.line && p.taps <= PLANE;
}

/* The position of element `tap` of window 0 in the copy. */
static int64_t place_of(const struct padded *p, int64_t tap) {
    const struct convolution *c = p->c;
    const int64_t column = tap % c->kernel[2] * c->step[2];
    return tap / c->kernel[2] * c->step[1] * p->line + column % c->stride[2] * p->apart + column / c->stride[2];
}

/* The columns of the copy that are inside of the plane: *first to *end. */
static void inside(const struct padded *p, int64_t *first, int64_t *end) {
    *first = p->c->before[2] < 0 ? 0 : min_of(p->c->before[2], p->wide);
    *end = min_of(p->wide, p->c->before[2] + p->c->size[2]);
    if (*end < *first) *end = *first;
}

/* A loop over the columns `first` to `end` of a row: `here` is a column of the padded plane, `there` that of the copy.
 * */
#define EACH_COLUMN(p, first, end, body) \
    for (int64_t stride = (p)->c->stride[2], rest = 0; rest < stride; rest++) { \
        const int64_t before = ((first) + stride - 1 - rest) / stride; \
        int64_t there = rest * (p)->apart + before; \
        for (int64_t here = before * stride + rest; here < (end); there++, here += stride) body \
    }

/* Copy and pad a plane. `row` is memory for a row. */
static void pad(const struct padded *p, const char *plane, float *copy, float *row) {
    const struct convolution *c = p->c;
    const int64_t stride = c->stride[2], *step = c->large.step;
    int64_t first, end;
    inside(p, &first, &end);
    memset(copy, 0, (size_t)(p->high * p->line) * sizeof *copy);
    for (int64_t i = 0; i < p->high; i++, copy += p->line) {
        const int64_t from = i - c->before[1];
        if (from < 0 || from >= c->size[1]) continue;
        float *to = stride == 1 ? copy + first : row;
        const char *there = plane + from * step[1] + (first - c->before[2]) * step[2];
        load_floats((int)c->large.type, there, step[2], end - first, to);
        if (stride > 1) EACH_COLUMN(p, first, end, copy[there] = row[here - first];)
    }
}

/* Copy the padded plane back without the padding, and add a bias. */
static void unpad(const struct padded *p, const float *copy, float bias, char *plane) {
    const struct convolution *c = p->c;
    const int64_t stride = c->stride[2];
    int64_t first, end;
    inside(p, &first, &end);
    for (int64_t i = 0; i < c->size[1]; i++) {
        float *to = (float *)plane + i * c->size[2];
        const int64_t row = i + c->before[1];
        for (int64_t j = 0; j < c->size[2]; j++) to[j] = bias;
        if (row < 0 || row >= p->high) continue;
        const float *from = copy + row * p->line;
        float *target = to - c->before[2];
        if (stride == 1) for (int64_t j = first; j < end; j++) target[j] += from[j];
        else EACH_COLUMN(p, first, end, target[here] += from[there];)
    }
}

/* Copy a small plane. Its lines are then `apart` elements apart, with zeros between them. */
static void load_small(const struct padded *p, const char *plane, float *to, int64_t apart) {
    const struct convolution *c = p->c;
    memset(to, 0, (size_t)(c->grid[1] * apart) * sizeof *to);
    for (int64_t i = 0; i < c->grid[1]; i++, to += apart)
        load_floats((int)c->small.type, plane + i * c->small.step[1], c->small.step[2], c->grid[2], to);
}

static const char *plane_of(const struct planes *planes, int64_t image, int64_t channel) {
    return planes->base + image * planes->image + channel * planes->channel;
}

/* Fill the tables of a group: the positions in a window, and the weight. */
static void tables(const struct padded *p, int64_t group, int64_t *places, float *weights) {
    const int64_t count = p->c->outs * p->taps, size = bytes_of((int)p->c->weight_type);
    for (int64_t tap = 0; tap < p->taps; tap++) places[tap] = place_of(p, tap);
    load_floats((int)p->c->weight_type, p->c->weight + group * count * size, size, count, weights);
}

/* to[i] = the sum of weights[k] * from[places[k] + i], which is added to to[i] with `more`. Up to STRIP - 1 elements
 * behind the n-th may be overwritten. */
static void sum_places(const int64_t *places, const float *weights, int64_t taps, const float *from, float *to, int64_t n,
                       int more) {
    for (int64_t i = 0; i < n; i += STRIP) {
        wide sums[STRIP / LANES];
        for (int j = 0; j < STRIP / LANES; j++) sums[j] = more ? wide_at(F32, to, i + j * LANES) : all(0);
        for (int64_t k = 0; k < taps; k++) {
            const wide weight = all(weights[k]);
            for (int j = 0; j < STRIP / LANES; j++) sums[j] += wide_at(F32, from, places[k] + i + j * LANES) * weight;
        }
        for (int j = 0; j < STRIP / LANES; j++) put_wide(F32, to, i + j * LANES, sums[j]);
    }
}

static int gather(const struct padded *p, int64_t plane) {
    const struct convolution *c = p->c;
    const int64_t *g = c->grid, image = plane / c->groups, group = plane % c->groups;
    const int64_t lines = p->together ? 1 : g[1], length = p->together ? (g[1] - 1) * p->line + g[2] : g[2];
    const int64_t apart = p->together ? p->line : g[2], size = p->high * p->line + STRIP;
    int64_t *places = scratch(p->taps * 8 + (c->outs * p->taps + size + g[1] * apart + p->wide + STRIP) * 4);
    if (!places) return 1;
    float *weights = (float *)(places + p->taps), *copy = weights + c->outs * p->taps, *sums = copy + size;
    tables(p, group, places, weights);
    pad(p, plane_of(&c->large, image, group), copy, sums);
    for (int64_t out = 0; out < c->outs; out++) {
        const float *weight = weights + out * p->taps, *bias = c->bias ? c->bias + group * c->outs + out : 0;
        for (int64_t i = 0; i < lines; i++)
            sum_places(places, weight, p->taps, copy + i * c->stride[1] * p->line, sums + i * apart, length, 0);
        for (int64_t i = 0; i < g[1]; i++) {
            float *from = sums + i * apart;
            const int64_t step = c->small.step[2];
            char *to = (char *)plane_of(&c->small, image, group * c->outs + out) + i * c->small.step[1];
            if (bias) EACH(g[2]) from[i] += *bias;
            for (int64_t start = 0; start < g[2]; start += BLOCK)
                store((int)c->small.type, F32, to + start * step, step, from + start, min_of(BLOCK, g[2] - start));
        }
    }
    return 0;
}

/* sums[i % STRIP] += the sum of one[i] * other[i] */
static void add_products(const float *one, const float *other, int64_t n, float *sums) {
    const int64_t whole = n - n % STRIP;
    wide now[STRIP / LANES];
    for (int j = 0; j < STRIP / LANES; j++) now[j] = wide_at(F32, sums, j * LANES);
    for (int64_t i = 0; i < whole; i += STRIP)
        for (int64_t j = 0, at = i; j < STRIP / LANES; j++, at += LANES)
            now[j] += wide_at(F32, one, at) * wide_at(F32, other, at);
    for (int j = 0; j < STRIP / LANES; j++) put_wide(F32, sums, j * LANES, now[j]);
    EACH(n - whole) sums[i] += one[whole + i] * other[whole + i];
}

static int finite(const float *values, int64_t n) {
    uint32_t wrong = 0;
    EACH(n) wrong |= bits_if((bits_of(values[i]) & 0x7f800000) == 0x7f800000);
    return !wrong;
}

/* If all weights are finite, the zeros between lines add nothing, so all lines can be computed as one line. */
static int scatter(const struct padded *p, int64_t plane) {
    const struct convolution *c = p->c;
    const int64_t *g = c->grid, image = plane / c->groups, group = plane % c->groups, size = p->high * p->line + STRIP;
    const int64_t apart = p->together ? p->line : g[2], before = place_of(p, p->taps - 1), weights = c->outs * p->taps;
    int64_t *places = scratch(p->taps * 8 + (weights + 2 * size + before + g[1] * apart) * 4);
    if (!places) return 1;
    float *weight = (float *)(places + p->taps), *copy = weight + weights, *small = copy + size + before;
    tables(p, group, places, weight);
    const int one = p->together && finite(weight, weights);
    for (int64_t tap = 0; one && tap < p->taps; tap++) places[tap] = -places[tap];
    memset(copy, 0, (size_t)(2 * size + before + g[1] * apart) * sizeof *copy);
    for (int64_t out = 0; out < c->outs; out++, weight += p->taps) {
        load_small(p, plane_of(&c->small, image, group * c->outs + out), small, apart);
        if (one) sum_places(places, weight, p->taps, small, copy, p->high * p->line, out > 0);
        for (int64_t line = 0; !one && line < g[1]; line++)
            for (int64_t tap = 0; tap < p->taps; tap++) {
                float *to = copy + line * c->stride[1] * p->line + places[tap];
                const float *from = small + line * apart, factor = weight[tap];
                EACH(g[2]) to[i] += from[i] * factor;
            }
    }
    unpad(p, copy, c->bias ? c->bias[group] : 0, (char *)plane_of(&c->large, image, group));
    return 0;
}

static int correlate(const struct padded *p, int64_t group) {
    const struct convolution *c = p->c;
    const int64_t *g = c->grid, size = p->high * p->line, weights = c->outs * p->taps;
    const int64_t apart = p->together ? p->line : g[2];
    double *all = scratch(weights * 8 + (size + g[1] * apart + p->wide) * 4);
    if (!all) return 1;
    float *copy = (float *)(all + weights), *small = copy + size, *row = small + g[1] * apart;
    for (int64_t i = 0; i < weights; i++) all[i] = 0;
    for (int64_t image = 0; image < c->images; image++) {
        pad(p, plane_of(&c->large, image, group), copy, row);
        const int one = p->together && finite(copy, size);
        const int64_t lines = one ? 1 : g[1], length = one ? (g[1] - 1) * p->line + g[2] : g[2];
        for (int64_t place = 0; place < weights; place++) {
            const float *from = copy + place_of(p, place % p->taps);
            float sums[STRIP] = {0};
            const int64_t out = group * c->outs + place / p->taps;
            if (place % p->taps == 0) load_small(p, plane_of(&c->small, image, out), small, apart);
            for (int64_t line = 0; line < lines; line++)
                add_products(from + line * c->stride[1] * p->line, small + line * apart, length, sums);
            for (int i = 0; i < STRIP; i++) all[place] += sums[i];
        }
    }
    float *to = (float *)c->weight + group * weights;
    for (int64_t i = 0; i < weights; i++) to[i] = (float)all[i];
    return 0;
}

static void plane_job(void *about, int64_t number) {
    struct padded *p = about;
    static int (*const jobs[])(const struct padded *, int64_t) = {gather, scatter, correlate};
    if (jobs[p->c->op](p, number)) __atomic_store_n(&p->failed, 1, __ATOMIC_RELAXED);
}

int convolve_planes(const struct convolution *c) {
    struct padded p = padded_of(c);
    each_job(c->op == CORRELATED ? c->groups : c->images * c->groups, c->threads, plane_job, &p);
    return p.failed;
}
