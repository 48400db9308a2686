/* Triangles of matrices: the left or the right part of each row is copied, and the other part is set to zero. */
#include "internal.h"

#include <string.h>

enum { JOB = 1 << 16 }; /* bytes of a job */

struct bands { const struct triangle *t; int64_t rows, in_matrix; };

static void copy_band(void *about, int64_t number) {
    const struct bands *b = about;
    const struct triangle *t = b->t;
    const int64_t matrix = number / b->in_matrix, first = number % b->in_matrix * b->rows;
    for (int64_t row = first; row < min_of(first + b->rows, t->rows); row++) {
        const char *from = t->from + matrix * t->from_stride[0] + row * t->from_stride[1];
        char *to = t->to + matrix * t->to_stride[0] + row * t->to_stride[1];
        const int64_t left = t->left[row] < 0 ? 0 : min_of(t->left[row], t->count);
        const size_t bytes = (size_t)(left * t->size), rest = (size_t)((t->count - left) * t->size);
        if (t->upper) memset(to, 0, bytes), memmove(to + bytes, from + bytes, rest);
        else memmove(to, from, bytes), memset(to + bytes, 0, rest);
    }
}

int evaluator_triangle(const struct triangle *t) {
    const int64_t bytes = t->count * t->size, elements = t->matrices * t->rows * t->count;
    struct bands b = {.t = t, .rows = bytes < JOB ? JOB / bytes : 1};
    b.in_matrix = (t->rows + b.rows - 1) / b.rows;
    each_job(t->matrices * b.in_matrix, elements < t->min_parallel ? 1 : t->threads, copy_band, &b);
    return 0;
}
