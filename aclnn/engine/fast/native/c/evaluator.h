/* The evaluator: runs an expression over large tensors, block by block, on several threads.
 *
 * The Python side (aclnn/engine/fast/native) turns an expression into programs of instructions and describes the memory
 * of the tensors. This library does not depend on operators. A block has at most BLOCK elements of the innermost
 * dimension, or some short rows one after the other. A register has the values of one block, so that all registers of a
 * program stay in the cache of a core. An instruction is one loop over a block.
 *
 *   memory.c       copies blocks of tensors to registers and back; 16-bit floats
 *   block.c        the instructions of a program over one block
 *   elementwise.c  one loop for each operation and type
 *   sixteen.c      operations that read or write 16-bit floats themselves; reductions of whole arrays of them
 *   exponential.c  exp, expm1, logistic, tanh, arcsinh and logarithms of float32
 *   special.c      erf, erfc, erfinv, arccosh, arctanh, arcsin, arccos, remainders and powers; exp and log of float64
 *                  (doubles.h)
 *   sums.c         sums and extremes over rows and columns
 *   sweep.c        cuts a sweep into units, and units into blocks
 *   positions.c    elements at positions
 *   segments.c     sums of rows by index
 *   running.c      cumulative sums, products and extremes
 *   blend.c        sums along dimensions: resizing, average pools
 *   order.c        the order of elements along a dimension
 *   triangle.c     triangles of matrices
 *   products.c     products of matrices, by BLAS in jobs of one thread
 *   convolution.c  convolutions and their gradients, as products of matrices
 *   depthwise.c    convolutions whose groups have one channel
 *   threads.c      helper threads
 *
 * The sources are portable C. They are compiled three times: plain, for AVX2 and for AVX-512. All three give the same
 * bits on any number of threads: the order of additions depends on the shape only, and no product is fused with a sum.
 *
 * Values are chosen by bit operations, not by `?:`, for which gcc may make branches. A branch that the processor cannot
 * predict is ten times slower. */
#ifndef EVALUATOR_H
#define EVALUATOR_H

#include <stdint.h>

enum { DIMS = 10, BLOCK = 2048, SUMS = 8, STRIPS = 2 };

/* The types of elements. Registers have the first five; a mask is one byte, 0 or 1. */
#define TYPE_NAMES(X) X(F32) X(F64) X(I32) X(I64) X(MASK) X(F16) X(BF16) X(I8) X(U8) X(I16) X(U16) X(U32)
#define AS_TYPE(name) name,
enum type { TYPE_NAMES(AS_TYPE) TYPES };
enum { REGISTER_TYPES = MASK + 1 };

/* Operations on registers, by the names of numpy's ufuncs; and `logistic`, which is a / (1 + exp(b)). */
#define OPERATION_NAMES(X) \
    X(add) X(subtract) X(multiply) X(divide) X(maximum) X(minimum) X(negative) X(absolute) X(square) X(sqrt) X(exp) \
    X(expm1) X(logistic) X(tanh) X(log) X(log1p) X(erf) X(erfc) X(erfinv) X(power) \
    X(log2) X(log10) X(arcsinh) X(arccosh) X(arctanh) X(fmod) X(remainder) X(logaddexp) X(logaddexp2) \
    X(arcsin) X(arccos) X(left_shift) X(right_shift) X(rint) X(floor) X(ceil) X(trunc) \
    X(isnan) X(isinf) X(isfinite) X(greater) X(greater_equal) X(less) X(less_equal) X(equal) X(not_equal) \
    X(logical_and) X(logical_or) X(logical_xor) X(logical_not) X(bitwise_and) X(bitwise_or) X(bitwise_xor) X(invert)
/* Instructions other than operations on elements. */
#define OTHER_NAMES(X) \
    X(constant) X(load) X(store) X(recall) X(convert) X(round) X(select) X(sum) X(dot) X(centred_dot) X(squares) \
    X(largest) X(smallest) X(update) X(spread)
#define AS_OP(name) OP_##name,
enum op { OPERATION_NAMES(AS_OP) OPERATIONS, BEFORE_OTHERS = OPERATIONS - 1, OTHER_NAMES(AS_OP) OPS };

/* The extent of a register: one number for the block, one for each element, or one for each row. NARROW: a 16-bit float
 * for each element. */
enum extent { ONE, MANY, ROWS, NARROW };

/* One instruction. It reads registers a, b and c with elements of `type`. Its result has the extent `extent` and goes
 * to register `to`, or directly to the memory number `direct` if that is not negative. `immediate` is a number in the
 * sweep's memory, sums or updates, or a type. If `type` is F16 or BF16, at least one operand or the result is in 16
 * bits. `narrow` is 1 if the result stays in 16 bits. Rows may be read from memory, instead of loaded, if `in_place` is
 * BY_SUMS (only sums read them) or BY_OPERATIONS (only operations do). `number` or `integer` is the value of a constant. */
enum { BY_SUMS = 1, BY_OPERATIONS };
struct instruction {
    int32_t op, type, to, a, b, c, extent, direct, immediate, narrow, in_place;
    double number;
    int64_t integer;
};

/* A tensor. `base` is the address of its first element; a stride is in bytes, 0 where the tensor is broadcast.
 * `streaming` is 1 if writes bypass the caches, as the tensor is larger than they are. */
struct memory {
    char *base;
    int64_t stride[DIMS];
    int64_t type, streaming;
};

/* Changes of single elements: `delta` is added or subtracted at (row, column). Rows are ascending. */
struct update {
    const int64_t *row, *column;
    const float *delta;
    int64_t count, row_dim, column_dim, subtract;
};

/* Instructions that run over all blocks of a unit, and the sums that they compute. */
struct program {
    const struct instruction *instructions;
    int64_t count, first_sum, sums;
};

/* Everything that one call evaluates.
 *
 * Sums are over the dimensions marked in `reduced`. The other dimensions are cut into units: one index in each
 * dimension, and a block of the last dimension. Along the dimension `strip_dim` (-1: none) a unit has `strips` indices
 * or blocks, so that memory is read in long pieces. A unit runs each program over all of its blocks. Later programs can
 * use the sums of earlier ones, and their registers if the unit is a single block. With `groups` above 1 the blocks of
 * a unit are divided into groups with partial sums. Sums go to totals[group][sum][index], if `totals` is not NULL; at
 * the end group 0 has the sums of all groups. `rows` is the number of short rows in a block, or 1 for long rows.
 * `prefetch` is 1 if blocks are prefetched. `identity` is the sum, the largest or the smallest element of an empty set.
 * Below `min_parallel` elements the calling thread does all the work. */
struct sweep {
    int64_t dims, size[DIMS], reduced[DIMS], rows, groups, threads, programs, registers, sums, min_parallel, prefetch,
        strip_dim, strips;
    const struct program *program;
    const struct memory *memory;
    const struct update *updates;
    double *totals;
    double identity[SUMS];
};

/* Elements at positions along one dimension. Strides are in bytes: outer, along this dimension, inner. With GATHER
 * to[o][j][i] = from[o][at][i], with PUT to[o][at][i] = from[o][j][i], with ADD to[o][at][i] += from[o][j][i]. The
 * position `at` is index[o][j][i], below `length`. `size`: bytes of an element. `type`: F32, F64, I32 or I64 for ADD.
 * */
enum { GATHER, PUT, ADD };
struct positions {
    char *to;
    const char *from, *index;
    int64_t op, type, size, index_type, negative, outer, count, inner, length, to_stride[3], from_stride[3],
        index_stride[3], threads, min_parallel;
};

/* Sums of rows by index: to[r] is the sum of the rows from[i] with index[i] == r, times the reciprocal of their number
 * if `scale`. Rows without terms, and the row `padding`, become 0. `positions` and `first` are memory for the sorted
 * indices: `positions` has `count` elements, `first` has one more than `length`. */
struct segments {
    const char *from, *index;
    char *to;
    int32_t *positions, *first;
    int64_t from_type, from_stride, index_type, to_type, to_stride, count, width, length, padding, scale, threads,
        min_parallel;
};

/* Cumulative sums, products or extremes along `count`. Both tensors are dense, [outer][count][inner], and may have the
 * same memory. Sums of F32 are F64, or are rounded once to `to_type`: F32, F16 or BF16. All other results have the type
 * of the elements: F32, F64, I32 or I64. `positions` gets the position of each extreme along `count`; for sums and
 * products it is NULL. */
enum { RUN_SUM, RUN_PRODUCT, RUN_LARGEST, RUN_SMALLEST };
struct running {
    const void *from;
    void *to;
    int64_t *positions, op, type, to_type, outer, count, inner, threads, min_parallel;
};

/* The stable order along `count` of a dense tensor [outer][count][inner] of any type. places[o][j][i] is the position
 * of the j-th element in the order; `first` positions are computed, [outer][first][inner]. NaN is the largest. */
struct order {
    const void *from;
    int64_t *places, type, outer, count, inner, first, descending, threads, min_parallel;
};

/* Triangles of matrices with dense rows of `count` elements of `size` bytes. Of row i, the first left[i] elements are
 * copied and the others are 0; with `upper` the others are copied. left[i] may be negative or too large. Strides:
 * matrices, rows. Both tensors may have the same memory. */
struct triangle {
    const char *from;
    char *to;
    const int64_t *left;
    int64_t size, matrices, rows, count, from_stride[2], to_stride[2], upper, threads, min_parallel;
};

/* A copy of elements of `size_of_element` bytes from one tensor to another, with strides in bytes. They have different
 * memory, and no two elements of the target have the same memory. A source may have strides of 0. */
struct copy {
    const char *from;
    char *to;
    int64_t size_of_element, dims, size[DIMS], from_stride[DIMS], to_stride[DIMS], threads;
};

/* Sums along one to three dimensions of dense images [size...][inner], which become [results...][inner]. Term t of
 * result j is the element at places[t][j], times weights[t][j] with WEIGHTED; result j has counts[j] of at most `terms`
 * terms, and at least `least`. MEAN divides each sum by its divisor in `divisors[results...]`, or by the only one
 * (`divisor` 1). PICKED has one term. `type` is F32, F16 or BF16; with PICKED it is the size of an element. */
enum { WEIGHTED, MEAN, PICKED };
struct blend_pass { int64_t size, results, terms, least; const int32_t *places, *counts; const float *weights; };
struct blend {
    const char *from;
    char *to;
    const double *divisors;
    int64_t op, type, images, dims, inner, divisor, threads;
    struct blend_pass pass[3];
};

/* Functions of a CBLAS with integers of 64 bits, which uses one thread during a call of the evaluator. */
struct blas {
    void (*sgemm)(int, int, int, int64_t, int64_t, int64_t, float, const float *, int64_t, const float *, int64_t, float,
                  float *, int64_t);
    void (*sgemv)(int, int, int64_t, int64_t, float, const float *, int64_t, const float *, int64_t, float, float *, int64_t);
};

/* Matrices; all strides are in bytes. to = one @ other, rounded to `through`, times alpha, plus beta times the matrix
 * `plus` (base NULL: none), rounded to `summed`. `through` and `summed` are F32 (no rounding), F16 or BF16. Factors are
 * F32, F16 or BF16. Or both are I8; then the product is exact, and `to` is F64. */
enum { BATCH = 6 };
struct matrix { char *base; int64_t type, row, column, batch[BATCH]; };
struct product {
    struct blas blas;
    struct matrix one, other, plus, to;
    int64_t batch[BATCH], batches, m, k, n, through, summed, threads;
    double alpha, beta;
};

/* A convolution in three dimensions: `groups` * `channels` large planes of `size`, `groups` * `outs` small planes of
 * `grid` windows, and the dense weight [groups][outs][channels][kernel]. Window i has the positions i * stride - before
 * + k * step in each dimension. GATHERED computes the small planes, with a bias for each plane (NULL: none). SCATTERED
 * computes the large planes, dense and F32, with a bias as well. CORRELATED computes the weight as F32. All other
 * arrays are F32, F16 or BF16; strides are in bytes. */
enum { GATHERED, SCATTERED, CORRELATED };
struct planes { char *base; int64_t type, image, channel, step[3]; };
struct convolution {
    struct blas blas;
    struct planes large, small;
    char *weight;
    const float *bias;
    int64_t op, weight_type, images, groups, channels, outs, size[3], grid[3], kernel[3], stride[3], before[3], step[3],
        threads;
};

/* Attention: out = softmax(scale * q @ k^T + shift) @ v, divided by `keep`. q and out have `group` times as many heads as
 * k and v, in groups of neighbours, and `rows` rows; k and v have `columns` rows. A row of q and k has `size` elements, of
 * v and out `width`; they are dense. Strides are in bytes. q, k and v are F32, F16 or BF16, out is F32. `tops` and `sums`
 * are dense, for each row of the queries: the largest score, and the sum of exp(score - top).
 *
 * Row i, which is row i + first_row for this, sees columns i + low to i + high, and always those below `prefix`. `mask`
 * (bytes) hides columns as well, `shift` is added to the scores, and `sink` is one more score of each row; base NULL:
 * none. `corrects`: a row that sees nothing gives 0. With a table, column c is row c % together of block
 * table[c / together], and `batch` of k and v is the distance of two blocks. */
enum { PANEL_SCORES = 1 << 18 };
struct rows { char *base; int64_t type, batch, head, row, column; };
struct attention {
    struct blas blas;
    struct rows q, k, v, out, shift, mask, sink;
    const int64_t *table;
    float *tops, *sums;
    int64_t batches, heads, group, rows, columns, size, width, together, first_row, has_low, has_high, low, high, prefix,
        shift_first, corrects, threads;
    double scale, keep;
};

/* Dense arrays of F16 or BF16, reduced element by element: add, multiply, maximum or minimum of all inputs in their
 * order, computed in float32 and rounded once. Each result may be the memory of an input. left_out[b] is 1 for a block
 * of BLOCK elements with an infinite result or a NaN; nothing is written for it. `streaming`: as in a tensor. */
struct reduction {
    const uint16_t *const *from;
    uint16_t *const *to;
    uint8_t *left_out;
    int64_t op, type, inputs, results, count, streaming, threads, min_parallel;
};

/* These return 0, or 1 if there is no memory for the registers. */
int evaluator_reduction(const struct reduction *reduction);
int evaluator_product(const struct product *product);
int evaluator_convolution(const struct convolution *convolution);
int evaluator_attention(const struct attention *attention);
int evaluator_running(const struct running *running);
int evaluator_blend(const struct blend *blend);
int evaluator_order(const struct order *order);
int evaluator_copy(const struct copy *copy);
int evaluator_triangle(const struct triangle *triangle);
int evaluator_positions(const struct positions *positions);
int evaluator_segments(const struct segments *segments);

/* Dense F16 or BF16 to float32 and back, half to even, on the calling thread. `evaluator_widen_rows` reads four
 * dimensions; the last one is dense, and the others have strides in bytes. */
void evaluator_widen(int64_t type, const uint16_t *from, float *to, int64_t n);
void evaluator_widen_rows(int64_t type, const char *from, float *to, const int64_t *size, const int64_t *stride);
void evaluator_narrow(int64_t type, const float *values, uint16_t *to, int64_t n);

/* True if all of n dense integers, I32 or I64, are at least `low` and less than `high`. */
int evaluator_in_range(int64_t type, const void *numbers, int64_t n, int64_t low, int64_t high, int64_t threads);

/* Evaluate. Returns 0, or 1 if there is no memory for the registers; then nothing was written. */
int evaluator_run(const struct sweep *sweep);

#endif
