/* Products of small matrices by the BLAS of the process, and their factors. */
#ifndef BLAS_H
#define BLAS_H

#include "wide.h"

enum { BY_ROWS = 101, AS_IS = 111, TRANSPOSED = 112 }; /* of CBLAS */
enum { DEPTH = 1024 }; /* terms that are summed up at a time, where a factor is copied */

/* A factor for BLAS: float32 with dense rows, or dense columns (`turned`), which are `apart` elements apart. */
struct dense { const float *at; int64_t apart; int turned; };

/* to = one @ other + beta * to, for matrices m x k and k x n. For a single row or column, BLAS has a faster function.
 * */
static inline void multiply(const struct blas *blas, int64_t m, int64_t n, int64_t k, struct dense one, struct dense other,
                            float beta, float *to, int64_t to_apart) {
    if (m == 1) {
        blas->sgemv(BY_ROWS, other.turned ? AS_IS : TRANSPOSED, other.turned ? n : k, other.turned ? k : n, 1, other.at,
                    other.apart, one.at, one.turned ? one.apart : 1, beta, to, 1);
        return;
    }
    if (n == 1) {
        blas->sgemv(BY_ROWS, one.turned ? TRANSPOSED : AS_IS, one.turned ? k : m, one.turned ? m : k, 1, one.at, one.apart,
                    other.at, other.turned ? 1 : other.apart, beta, to, to_apart);
        return;
    }
    blas->sgemm(BY_ROWS, one.turned ? TRANSPOSED : AS_IS, other.turned ? TRANSPOSED : AS_IS, m, n, k, 1, one.at, one.apart,
            other.at, other.apart, beta, to, to_apart);
}

/* The number of parts of at most `most`, and the size of the largest of nearly equal parts. */
static inline int64_t parts_of(int64_t all, int64_t most) { return (all + most - 1) / most; }
static inline int64_t part_of(int64_t all, int64_t parts) { return (all + parts - 1) / parts; }

/* products.c: n floats or INT8 in memory as float32. */
void load_floats(int type, const char *from, int64_t stride, int64_t n, float *to);

/* depthwise.c: a convolution whose groups have one channel and few results. It returns 1 if there is no memory. */
enum { FEW = 4 };               /* with fewer results of each column, sums of its rows are quicker than BLAS */
int is_depthwise(const struct convolution *c);
int convolve_planes(const struct convolution *c);

#endif
