/* Products of matrices, in jobs of one thread each.
 *
 * BLAS multiplies with one thread in each job. The jobs depend on sizes and layouts alone, so the bits do not depend on
 * the number of threads. A job computes some rows and columns of a product. It copies its part of a factor that BLAS
 * cannot read in place: 16-bit floats, integers, other strides. It finishes its part of the result in the cache.
 *
 * INT8 is multiplied in float32, which is exact up to 2**24: for sums of DEPTH products. These are added in float64. */
#include "blas.h"

enum { SIDE = 512 };            /* rows or columns of a job */
enum { ENOUGH = 8 };            /* jobs that keep threads busy to the end */
enum { LITTLE = 1 << 22 };      /* multiplications of a job that is not cut further */
enum { TOGETHER = 1 << 16 };    /* multiplications of small matrices that are a job together */

void load_floats(int type, const char *from, int64_t stride, int64_t n, float *to) {
    if (type == I8) {
        const int8_t *whole = (const int8_t *)from;
        if (stride == 1) EACH(n) to[i] = (float)whole[i];
        else EACH(n) to[i] = (float)whole[i * stride];
        return;
    }
    for (int64_t start = 0; start < n; start += BLOCK) {
        const int64_t some = min_of(BLOCK, n - start);
        const float *found = load(type, F32, from + start * stride, stride, some, to + start);
        if (found != to + start) memcpy(to + start, found, (size_t)some * sizeof *to);
    }
}

struct cuts { const struct product *p; int64_t down, rows, across, columns, together, exact; int failed; };

/* Returns 1 if BLAS can read a matrix in place, with its layout in *found. */
static int lies(const struct matrix *m, const char *at, int64_t rows, int64_t columns, struct dense *found) {
    for (int turned = 0; m->type == F32 && turned < 2; turned++) {
        const int64_t step = turned ? m->row : m->column, apart = turned ? m->column : m->row;
        const int64_t length = turned ? rows : columns, lines = turned ? columns : rows;
        if ((length > 1 && step != 4) || (lines > 1 && (apart % 4 || apart < 4 * length))) continue;
        *found = (struct dense){(const float *)at, lines > 1 ? apart / 4 : length, turned};
        return 1;
    }
    return 0;
}

/* A copy of a part of a factor, in the order of its memory. */
static struct dense copied(const struct matrix *m, const char *at, int64_t rows, int64_t columns, float *to) {
    const int64_t row = m->row < 0 ? -m->row : m->row, column = m->column < 0 ? -m->column : m->column;
    const int turned = rows > 1 && (columns == 1 || row < column);
    const int64_t lines = turned ? columns : rows, length = turned ? rows : columns;
    const int64_t apart = turned ? m->column : m->row, step = turned ? m->row : m->column;
    for (int64_t i = 0; i < lines; i++) load_floats((int)m->type, at + i * apart, step, length, to + i * length);
    return (struct dense){to, length, turned};
}

/* The address of the matrix with this number in a batch. */
static char *of_batch(const struct product *p, const struct matrix *m, int64_t number) {
    char *at = m->base;
    for (int dim = BATCH - 1; dim >= 0; number /= p->batch[dim], dim--) at += number % p->batch[dim] * m->batch[dim];
    return at;
}

/* Round and scale a row of the result, add a row of `plus`, round again, and store. */
static void finish_row(const struct product *p, float *values, char *to, const char *plus, int64_t n) {
    const float alpha = (float)p->alpha, beta = (float)p->beta;
    float other[BLOCK];
    for (int64_t start = 0; start < n; start += BLOCK) {
        const int64_t some = min_of(BLOCK, n - start);
        float *v = values + start;
        if (p->through != F32) round_floats((int)p->through, v, v, some);
        if (alpha != 1) EACH(some) v[i] *= alpha;
        if (plus) {
            const char *from = plus + start * p->plus.column;
            const float *more = load((int)p->plus.type, F32, from, p->plus.column, some, other);
            if (beta == 1) EACH(some) v[i] += more[i];
            else EACH(some) v[i] += more[i] * beta;
        }
        if (p->summed != F32) round_floats((int)p->summed, v, v, some);
        store((int)p->to.type, F32, to + start * p->to.column, p->to.column, v, some);
    }
}

/* The rows and columns from (row, column) on of a matrix of the batch. */
static int multiply_part(const struct cuts *cut, int64_t batch, int64_t row, int64_t column) {
    const struct product *p = cut->p;
    const int64_t rows = min_of(cut->rows, p->m - row), columns = min_of(cut->columns, p->n - column);
    const char *one = of_batch(p, &p->one, batch) + row * p->one.row;
    const char *other = of_batch(p, &p->other, batch) + column * p->other.column;
    char *to = of_batch(p, &p->to, batch) + row * p->to.row + column * p->to.column;
    struct dense left, right, out;
    const int left_lies = lies(&p->one, one, rows, p->k, &left);
    const int right_lies = lies(&p->other, other, p->k, columns, &right);
    const int plain = p->through == F32 && p->summed == F32 && p->alpha == 1 && !p->plus.base;
    const int direct = plain && lies(&p->to, to, rows, columns, &out) && !out.turned;
    const int64_t depth = left_lies && right_lies ? p->k : part_of(p->k, parts_of(p->k, DEPTH));
    const int64_t left_size = left_lies ? 0 : rows * depth, right_size = right_lies ? 0 : depth * columns;
    const int64_t size = rows * columns, all = size * (cut->exact ? 3 : !direct) + left_size + right_size;
    double *sums = scratch(all * 4 + 64);
    if (!sums) return 1;
    float *a = (float *)(sums + (cut->exact ? size : 0)), *b = a + left_size, *c = b + right_size;
    float *result = direct ? (float *)to : c;
    const int64_t apart = direct ? out.apart : columns;
    for (int64_t first = 0; first < p->k; first += depth) {
        const int64_t some = min_of(depth, p->k - first);
        const char *from = one + first * p->one.column, *beside = other + first * p->other.row;
        if (left_lies) left.at = (const float *)from;
        else left = copied(&p->one, from, rows, some, a);
        if (right_lies) right.at = (const float *)beside;
        else right = copied(&p->other, beside, some, columns, b);
        multiply(&p->blas, rows, columns, some, left, right, first && !cut->exact, result, apart);
        if (!cut->exact) continue;
        if (!first) EACH(size) sums[i] = c[i];
        else EACH(size) sums[i] += c[i];
    }
    if (direct) return 0;
    const char *plus = p->plus.base ? of_batch(p, &p->plus, batch) + row * p->plus.row + column * p->plus.column : 0;
    for (int64_t i = 0; i < rows; i++) {
        if (cut->exact) store((int)p->to.type, F64, to + i * p->to.row, p->to.column, sums + i * columns, columns);
        else finish_row(p, c + i * columns, to + i * p->to.row, plus ? plus + i * p->plus.row : 0, columns);
    }
    return 0;
}

static void multiply_job(void *about, int64_t number) {
    struct cuts *cut = about;
    const int64_t each = cut->down * cut->across, place = number % each, first = number / each * cut->together;
    const int64_t end = min_of(cut->p->batches, first + cut->together);
    for (int64_t batch = first; batch < end; batch++)
        if (multiply_part(cut, batch, place / cut->across * cut->rows, place % cut->across * cut->columns))
            __atomic_store_n(&cut->failed, 1, __ATOMIC_RELAXED);
}

int evaluator_product(const struct product *p) {
    struct cuts cut = {.p = p, .down = parts_of(p->m, SIDE), .across = parts_of(p->n, SIDE), .together = 1};
    const int64_t work = p->m * p->n * p->k; /* of a matrix */
    while (p->batches * cut.down * cut.across < ENOUGH && work / (cut.down * cut.across) > LITTLE) {
        if (p->m / cut.down >= p->n / cut.across) cut.down *= 2;
        else cut.across *= 2;
    }
    cut.rows = (part_of(p->m, cut.down) + 15) / 16 * 16, cut.columns = (part_of(p->n, cut.across) + 15) / 16 * 16;
    cut.down = parts_of(p->m, cut.rows), cut.across = parts_of(p->n, cut.columns);
    if (work < TOGETHER) cut.together = TOGETHER / work;
    cut.exact = p->one.type == I8;
    each_job(parts_of(p->batches, cut.together) * cut.down * cut.across, p->threads, multiply_job, &cut);
    return cut.failed;
}
