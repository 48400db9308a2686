/* Convolutions and their gradients as products of matrices, in jobs of one thread each, see products.c.
 *
 * The windows of all images are numbered by image, then by position in the grid. Windows `start` to `stop` are the
 * columns of a matrix with a row for each channel and position in a window (im2col); it is 0 outside of the image. A
 * job makes the columns of a panel of windows in the cache, and BLAS multiplies them. */
#include "blas.h"

#include <stdlib.h>

enum { ROOM = 1 << 17 };        /* elements of columns */
enum { LEAST = 192 };           /* windows of a panel: BLAS reads the other factor once for each panel */
enum { OUTS = 1024 };           /* rows of the other factor at a time */
enum { ENOUGH = 8 };            /* jobs that keep threads busy to the end */
enum { PARTIAL = 1 << 21 };     /* elements of partial sums */

struct work {
    const struct convolution *c;
    int64_t places, area, taps, depth;  /* of a grid; of an image; of a window; rows of columns of a group */
    int64_t windows, together;          /* of a panel; images of a job */
    int64_t blocks, block;              /* of results or rows, and the size of one */
    int64_t parts;                      /* of the windows, each with its own sums */
    int plain;                          /* 1 if the columns are the images themselves */
    float *sums;
    int failed;
};

/* A row of the columns: its channel, its position in a window, where that is for window 0, and the windows of a line
 * inside of the image there. */
struct row { int64_t channel, tap[3], at[3], low, high; };

static int64_t steps_to(int64_t distance, int64_t stride) { /* without a slow division if possible */
    return stride == 1 ? distance : parts_of(distance, stride);
}

static void place(const struct convolution *c, struct row *row) {
    for (int d = 0; d < 3; d++) row->at[d] = row->tap[d] * c->step[d] - c->before[d];
    const int64_t at = row->at[2], stride = c->stride[2];
    row->low = at < 0 ? steps_to(-at, stride) : 0;
    row->high = at < c->size[2] ? min_of(c->grid[2], steps_to(c->size[2] - at, stride)) : 0;
}

static struct row row_of(const struct convolution *c, int64_t number) {
    struct row row = {.channel = number};
    for (int d = 2; d >= 0; d--) row.tap[d] = row.channel % c->kernel[d], row.channel /= c->kernel[d];
    place(c, &row);
    return row;
}

static void next_row(const struct convolution *c, struct row *row) {
    int d = 2;
    for (; d >= 0 && ++row->tap[d] == c->kernel[d]; d--) row->tap[d] = 0;
    row->channel += d < 0;
    place(c, row);
}

/* The part of a line of windows in a panel: `from` to `to`; the elements of `first` to `end` are inside of the image.
 * */
struct line { int64_t image, place[2], from, to, first, end; };

static struct line line_of(const struct convolution *c, int64_t window) {
    const int64_t *g = c->grid, number = window / g[2], above = number / g[1];
    return (struct line){.image = above / g[0], .place = {above % g[0], number % g[1]}, .from = window % g[2]};
}

/* The address of the element of window 0 of the line. Sets `to`, `first` and `end` of the line. */
ALWAYS char *reach(const struct convolution *c, const struct planes *p, const struct row *row, struct line *line,
                   int64_t most) {
    line->to = min_of(c->grid[2], line->from + most);
    line->first = line->end = line->to;
    char *at = p->base + line->image * p->image + row->channel * p->channel + row->at[2] * p->step[2];
    for (int d = 0; d < 2; d++) {
        const int64_t place = line->place[d] * c->stride[d] + row->at[d];
        if ((uint64_t)place >= (uint64_t)c->size[d]) return p->base;
        at += place * p->step[d];
    }
    line->first = min_of(line->to, row->low > line->from ? row->low : line->from);
    line->end = row->high < line->first ? line->first : min_of(line->to, row->high);
    return at;
}

ALWAYS void next(const struct convolution *c, struct line *line) {
    line->from = 0;
    if (++line->place[1] < c->grid[1]) return;
    line->place[1] = 0;
    if (++line->place[0] < c->grid[0]) return;
    line->place[0] = 0, line->image++;
}

/* Zeros, usually less than four. A call of memset, which gcc makes of the loop, would take longer. */
#define ZEROS(low, high) { \
        const int64_t some = (high) - (low); \
        if (some > 0) to[low] = 0; \
        if (some > 1) to[(low) + 1] = to[(high) - 1] = 0; \
        if (some > 3) for (int64_t i = (low) + 2; i < (high) - 1; i++) to[i] = 0; \
    }
/* Copy rows `first` to `first + count` of the columns. */
#define COLUMNS(name, T) \
    static void name(const struct convolution *c, const struct planes *p, int64_t first, int64_t count, int64_t start, \
                     int64_t stop, T *rows) { \
        const int64_t far = c->stride[2] * p->step[2]; \
        const struct line begin = line_of(c, start); \
        struct row row = row_of(c, first); \
        for (int64_t number = 0; number < count; number++, next_row(c, &row)) { \
            struct line line = begin; \
            for (int64_t at = start; at < stop; next(c, &line)) { \
                const char *from = reach(c, p, &row, &line, stop - at); \
                T *to = rows - line.from; \
                const T *beside = (const T *)from; \
                ZEROS(line.from, line.first) \
                if (far == sizeof(T)) { \
                    for (int64_t i = line.first; i < line.end; i++) to[i] = beside[i]; \
                } else if (far == 2 * sizeof(T)) { \
                    for (int64_t i = line.first; i < line.end; i++) to[i] = beside[2 * i]; \
                } else \
                    for (int64_t i = line.first; i < line.end; i++) to[i] = *(const T *)(from + i * far); \
                ZEROS(line.end, line.to) \
                at += line.to - line.from, rows += line.to - line.from; \
            } \
        } \
    }
COLUMNS(columns_4, float)
COLUMNS(columns_2, uint16_t)

/* The same rows as float32. For 16-bit floats there must be memory for half as many bytes behind them. */
static void columns(const struct convolution *c, const struct planes *p, int64_t first, int64_t count, int64_t start,
                    int64_t stop, float *rows) {
    const int64_t size = count * (stop - start);
    uint16_t *narrow = (uint16_t *)(rows + size);
    if (p->type == F32) {
        columns_4(c, p, first, count, start, stop, rows);
        return;
    }
    columns_2(c, p, first, count, start, stop, narrow);
    evaluator_widen(p->type, narrow, rows, size);
}

/* Add rows of the columns to the elements of the images. */
static void add_columns(const struct convolution *c, const struct planes *p, int64_t first, int64_t count, int64_t start,
                        int64_t stop, const float *rows) {
    const int64_t far = c->stride[2] * p->step[2];
    const struct line begin = line_of(c, start);
    struct row row = row_of(c, first);
    for (int64_t number = 0; number < count; number++, next_row(c, &row)) {
        struct line line = begin;
        for (int64_t at = start; at < stop; next(c, &line)) {
            char *to = reach(c, p, &row, &line, stop - at);
            const float *from = rows - line.from;
            if (far == 4)
                for (int64_t i = line.first; i < line.end; i++) ((float *)to)[i] += from[i];
            else
                for (int64_t i = line.first; i < line.end; i++) *(float *)(to + i * far) += from[i];
            at += line.to - line.from, rows += line.to - line.from;
        }
    }
}

/* The address of window `at` in a channel of the small images. `*some` becomes the number of equidistant windows there.
 * */
static char *segment(const struct convolution *c, const struct planes *p, int64_t channel, int64_t at, int64_t stop,
                     int64_t *some) {
    const struct line line = line_of(c, at);
    const int64_t *g = c->grid, *step = p->step, all = g[0] * g[1] * g[2];
    const int dense = g[1] * step[1] == step[0] && g[2] * step[2] == step[1];
    *some = min_of(stop - at, dense ? all - at % all : g[2] - line.from);
    return p->base + line.image * p->image + channel * p->channel + line.place[0] * step[0] + line.place[1] * step[1] +
           line.from * step[2];
}

/* The channels of the small images as the rows of a factor, if BLAS can read them in place. Else 0. */
static int lie(const struct convolution *c, const struct planes *p, int64_t first, int64_t start, int64_t stop,
               struct dense *found) {
    int64_t some;
    const char *at = segment(c, p, first, start, stop, &some);
    if (p->type != F32 || some < stop - start || p->step[2] != 4 || p->channel % 4 || p->channel < 4 * some) return 0;
    *found = (struct dense){(const float *)at, p->channel / 4, 0};
    return 1;
}

/* The same rows, copied if BLAS cannot read them in place. */
static struct dense rows_of(const struct convolution *c, const struct planes *p, int64_t first, int64_t count,
                            int64_t start, int64_t stop, float *rows) {
    struct dense found = {rows, stop - start, 0};
    if (lie(c, p, first, start, stop, &found)) return found;
    for (int64_t i = 0; i < count; i++)
        for (int64_t at = start, some; at < stop; at += some, rows += some) {
            const char *from = segment(c, p, first + i, at, stop, &some);
            load_floats((int)p->type, from, p->step[2], some, rows);
        }
    return found;
}

/* A part of the weight of a group: `rows` results from `out` on, and the columns from `first` on. */
static struct dense weight_of(const struct work *w, int64_t out, int64_t rows, int64_t first, int64_t columns,
                              float *to) {
    const struct convolution *c = w->c;
    const char *at = c->weight + (out * w->depth + first) * bytes_of((int)c->weight_type);
    if (c->weight_type == F32) return (struct dense){(const float *)at, w->depth, 0};
    for (int64_t i = 0; i < rows; i++)
        evaluator_widen(c->weight_type, (const uint16_t *)at + i * w->depth, to + i * columns, columns);
    return (struct dense){to, columns, 0};
}

static int64_t panels_of_unit(const struct work *w) { return parts_of(w->together * w->places, w->windows); }

/* The windows of a panel. */
static void panel_of(const struct work *w, int64_t number, int64_t *start, int64_t *stop) {
    const int64_t count = panels_of_unit(w), unit = number / count;
    *start = unit * w->together * w->places + number % count * w->windows;
    *stop = min_of(*start + w->windows, min_of(w->c->images, (unit + 1) * w->together) * w->places);
}

/* The product for few results: sums of multiples of rows, without BLAS. */
static void add_multiples(struct dense weight, struct dense rows, int64_t outs, int64_t width, int64_t depth, int more,
                          float *to, int64_t apart) {
    for (int64_t out = 0; out < outs; out++, to += apart) {
        if (!more) EACH(width) to[i] = 0;
        for (int64_t k = 0; k < depth; k++) {
            const float factor = weight.at[out * weight.apart + k], *row = rows.at + k * rows.apart;
            EACH(width) to[i] += row[i] * factor;
        }
    }
}

/* small[o, window] = bias[o] + the sum of weight[o, row] * columns[row, window], for a panel of windows */
static int gather(const struct work *w, int64_t number) {
    const struct convolution *c = w->c;
    const int64_t group = number / w->blocks % c->groups, out = number % w->blocks * w->block;
    const int64_t outs = min_of(w->block, c->outs - out), first_out = group * c->outs + out;
    const int64_t depth = part_of(w->depth, parts_of(w->depth, DEPTH));
    int64_t start, stop;
    panel_of(w, number / w->blocks / c->groups, &start, &stop);
    const int64_t width = stop - start;
    struct planes large = c->large;
    large.base += group * c->channels * large.channel;
    struct dense result, rows;
    const int direct = lie(c, &c->small, first_out, start, stop, &result);
    float *room = scratch((2 * depth * width + outs * depth + (direct ? 0 : outs * width)) * 4);
    if (!room) return 1;
    float *wide = room + 2 * depth * width, *to = direct ? (float *)result.at : wide + outs * depth;
    const int64_t apart = direct ? result.apart : width;
    for (int64_t first = 0; first < w->depth; first += depth) {
        const int64_t some = min_of(depth, w->depth - first);
        rows = (struct dense){room, width, 0};
        if (w->plain) rows = rows_of(c, &large, first, some, start, stop, room);
        else columns(c, &large, first, some, start, stop, room);
        const struct dense weight = weight_of(w, first_out, outs, first, some, wide);
        if (outs < FEW) add_multiples(weight, rows, outs, width, some, first > 0, to, apart);
        else multiply(&c->blas, outs, width, some, weight, rows, first > 0, to, apart);
    }
    for (int64_t i = 0; i < outs; i++) {
        float *row = to + i * apart;
        const float more = c->bias ? c->bias[first_out + i] : 0;
        if (c->bias) EACH(width) row[i] += more;
        for (int64_t at = start, some; !direct && at < stop; at += some) {
            char *there = segment(c, &c->small, first_out + i, at, stop, &some);
            some = min_of(some, BLOCK);
            store((int)c->small.type, F32, there, c->small.step[2], row + at - start, some);
        }
    }
    return 0;
}

/* large[ci, places of a window] += weight[o, row] * small[o, window], for some channels of the images of a unit */
static int scatter(const struct work *w, int64_t number) {
    const struct convolution *c = w->c;
    const int64_t group = number / w->blocks % c->groups, channel = number % w->blocks * w->block;
    const int64_t unit = number / w->blocks / c->groups, channels = min_of(w->block, c->channels - channel);
    const int64_t all = channels * w->taps, count = part_of(all, parts_of(all, DEPTH));
    const int64_t outs = part_of(c->outs, parts_of(c->outs, DEPTH)), width = w->windows;
    float *room = scratch((count * width + outs * width + outs * count) * 4);
    if (!room) return 1;
    float *slopes = room + count * width, *wide = slopes + outs * width;
    struct planes large = c->large;
    large.base += (group * c->channels + channel) * large.channel;
    for (int64_t image = unit * w->together; image < min_of(c->images, (unit + 1) * w->together); image++)
        for (int64_t i = 0; i < channels; i++) {
            float *to = (float *)(large.base + image * large.image + i * large.channel);
            const float begin = c->bias ? c->bias[group * c->channels + channel + i] : 0;
            EACH(w->area) to[i] = begin;
        }
    for (int64_t panel = unit * panels_of_unit(w); panel < (unit + 1) * panels_of_unit(w); panel++) {
        int64_t start, stop;
        panel_of(w, panel, &start, &stop);
        for (int64_t first = 0; first < all; first += count) {
            const int64_t some = min_of(count, all - first);
            for (int64_t out = 0; out < c->outs; out += outs) {
                const int64_t part = min_of(outs, c->outs - out), first_out = group * c->outs + out;
                const struct dense slope = rows_of(c, &c->small, first_out, part, start, stop, slopes);
                struct dense weight = weight_of(w, first_out, part, channel * w->taps + first, some, wide);
                weight.turned = 1;
                multiply(&c->blas, some, stop - start, part, weight, slope, out > 0, room, stop - start);
            }
            add_columns(c, &large, first, some, start, stop, room);
        }
    }
    return 0;
}

/* weight[o, row] = the sum over all windows of small[o, window] * columns[row, window], for some rows and windows */
static int correlate(const struct work *w, int64_t number) {
    const struct convolution *c = w->c;
    const int64_t group = number / w->blocks % c->groups, row = number % w->blocks * w->block;
    const int64_t part = number / w->blocks / c->groups, count = min_of(w->block, w->depth - row), width = w->windows;
    const int64_t panels = parts_of(c->images, w->together) * panels_of_unit(w), outs = min_of(OUTS, c->outs);
    float *room = scratch((2 * count * width + outs * width) * 4), *slopes = room + 2 * count * width;
    if (!room) return 1;
    struct planes large = c->large;
    large.base += group * c->channels * large.channel;
    const int64_t begin = panels * part / w->parts, end = panels * (part + 1) / w->parts;
    for (int64_t panel = begin; panel < end; panel++) {
        int64_t start, stop;
        panel_of(w, panel, &start, &stop);
        struct dense rows = {room, stop - start, 0};
        if (w->plain) rows = rows_of(c, &large, row, count, start, stop, room);
        else columns(c, &large, row, count, start, stop, room);
        rows.turned = 1;
        for (int64_t out = 0; out < c->outs; out += outs) {
            const int64_t some = min_of(outs, c->outs - out), first_out = group * c->outs + out;
            const struct dense slope = rows_of(c, &c->small, first_out, some, start, stop, slopes);
            float *to = w->sums + (part * c->groups * c->outs + first_out) * w->depth + row;
            multiply(&c->blas, some, count, stop - start, slope, rows, panel > begin, to, w->depth);
        }
    }
    return 0;
}

static void convolution_job(void *about, int64_t number) {
    struct work *work = about;
    static int (*const jobs[])(const struct work *, int64_t) = {gather, scatter, correlate};
    if (jobs[work->c->op](work, number)) __atomic_store_n(&work->failed, 1, __ATOMIC_RELAXED);
}

/* The sum of the parts, in their order. */
static void add_parts(const struct work *w, float *to, int64_t size) {
    EACH(size) to[i] = w->sums[i];
    for (int64_t part = 1; part < w->parts; part++) {
        const float *from = w->sums + part * size;
        EACH(size) to[i] += from[i];
    }
}

/* Cut the windows into panels, and the images into units. Several small images share a panel. */
static void cut_windows(struct work *w) {
    const struct convolution *c = w->c;
    const int64_t rows = min_of(w->depth, DEPTH), outs = min_of(c->outs, OUTS), room = ROOM / (rows > outs ? rows : outs);
    w->together = w->places >= LEAST ? 1 : min_of(c->images, parts_of(LEAST, w->places));
    w->windows = w->together * w->places;
    if (w->together > 1) return;
    w->windows = part_of(w->places, parts_of(w->places, room < LEAST ? LEAST : room));
    w->windows = min_of(w->places, (w->windows + 15) / 16 * 16);
}

/* Cut results, channels or rows into blocks of at most `most`. With few jobs the blocks are smaller, down to `few`. */
static void cut_blocks(struct work *w, int64_t all, int64_t most, int64_t few, int64_t jobs) {
    most = min_of(most < 1 ? 1 : most, all);
    while (jobs * parts_of(all, most) < ENOUGH && most > few) most = part_of(most, 2);
    w->block = part_of(all, parts_of(all, most)), w->blocks = parts_of(all, w->block);
}

static int correlate_all(struct work *w) {
    const struct convolution *c = w->c;
    const int64_t size = c->groups * c->outs * w->depth, panels = parts_of(c->images, w->together) * panels_of_unit(w);
    cut_blocks(w, w->depth, DEPTH, DEPTH, c->groups);
    /* with few jobs, parts of the windows get their own sums */
    const int64_t parts = min_of(min_of(parts_of(ENOUGH, c->groups * w->blocks), panels), PARTIAL / size);
    w->parts = parts < 1 ? 1 : parts;
    w->sums = w->parts > 1 ? malloc((size_t)(w->parts * size) * sizeof *w->sums) : (float *)c->weight;
    if (!w->sums) return 1;
    each_job(w->parts * c->groups * w->blocks, c->threads, convolution_job, w);
    if (w->parts == 1) return w->failed;
    if (!w->failed) add_parts(w, (float *)c->weight, size);
    free(w->sums);
    return w->failed;
}

int evaluator_convolution(const struct convolution *c) {
    struct work w = {.c = c, .area = 1, .places = 1, .taps = 1, .plain = 1};
    for (int d = 0; d < 3; d++) {
        w.area *= c->size[d], w.places *= c->grid[d], w.taps *= c->kernel[d];
        w.plain &= c->kernel[d] == 1 && c->stride[d] == 1 && c->before[d] == 0 && c->grid[d] == c->size[d];
    }
    w.depth = c->channels * w.taps;
    if (is_depthwise(c)) return convolve_planes(c);
    cut_windows(&w);
    if (c->op == CORRELATED) return correlate_all(&w);
    const int64_t units = parts_of(c->images, w.together), jobs = c->groups * units;
    if (c->op == GATHERED) {
        cut_blocks(&w, c->outs, OUTS, 64, jobs * panels_of_unit(&w));
        each_job(jobs * panels_of_unit(&w) * w.blocks, c->threads, convolution_job, &w);
    } else {
        cut_blocks(&w, c->channels, DEPTH / w.taps, parts_of(64, w.taps), jobs);
        each_job(jobs * w.blocks, c->threads, convolution_job, &w);
    }
    return w.failed;
}
