/* Declarations that the files of the evaluator share. */
#ifndef INTERNAL_H
#define INTERNAL_H

#include "evaluator.h"

/* A loop over n elements whose iterations do not depend on each other. A result may overwrite an operand. */
#define EACH(n) _Pragma("GCC ivdep") for (int64_t i = 0; i < (n); i++)

/* Bytes of a register. With an odd number of cache lines, registers do not compete for the same sets of the cache. */
enum { REGISTER = BLOCK * 8 + 64 * 5 };

/* The bits of a float. */
union bits { float f; uint32_t u; };

static inline uint32_t bits_of(float x) { union bits both = {.f = x}; return both.u; }
static inline float float_of(uint32_t u) { union bits both = {.u = u}; return both.f; }
/* The size of an element in a register, or of a 16-bit float in memory. */
static inline int64_t bytes_of(int type) {
    return type == F64 || type == I64 ? 8 : type == F16 || type == BF16 ? 2 : type == MASK ? 1 : 4;
}

static inline int64_t min_of(int64_t a, int64_t b) { return a < b ? a : b; }

/* memory.c: n elements with this stride. `load` returns `buffer`, or the memory itself if nothing has to be converted. */
const void *load(int memory_type, int type, const char *from, int64_t stride, int64_t n, void *buffer);
void store(int memory_type, int type, char *to, int64_t stride, const void *values, int64_t n);
/* Copy bytes to memory with streaming stores, which do not read the memory into a cache first. Later the thread calls
 * `end_streaming` once. */
void stream_bytes(char *to, const void *from, int64_t bytes);
void end_streaming(void);
void round_floats(int memory_type, const float *values, float *result, int64_t n);

/* elementwise.c: one loop. `va`, `vb`: 1 if the operand has n elements, 0 if it has one element. */
typedef void (*operation)(void *result, const void *a, const void *b, int64_t n, int va, int vb);
extern const operation operations[OPERATIONS][REGISTER_TYPES];
void convert(int from, int to, const void *values, void *result, int64_t n);
void select_values(int type, const uint8_t *mask, const void *a, const void *b, void *result, int64_t n,
                   int vm, int va, int vb);

/* exponential.c: exp, expm1, tanh, arcsinh, log, log2, log10, log1p; and logistic, as in the table of elementwise.c */
void exponential(const float *x, float *result, int64_t n);
void exponential_less_1(const float *x, float *result, int64_t n);
void hyperbolic_tangent(const float *x, float *result, int64_t n);
void logarithm(const float *x, float *result, int64_t n);
void logarithm_2(const float *x, float *result, int64_t n);
void logarithm_10(const float *x, float *result, int64_t n);
void logarithm_of_more(const float *x, float *result, int64_t n);
void inverse_hyperbolic_sine(const float *x, float *result, int64_t n);
void logistic_f32(void *result, const void *a, const void *x, int64_t n, int va, int vx);

/* special.c: as in the table of elementwise.c */
#define SPECIAL_NAMES(X) X(erf_f32) X(erf_f64) X(erfc_f32) X(erfc_f64) X(erfinv_f32) X(erfinv_f64) X(exp_f64) X(log_f64) \
    X(power_f32) X(arccosh_f32) X(arctanh_f32) X(fmod_f32) X(remainder_f32) \
    X(logaddexp_f32) X(logaddexp2_f32) X(arcsin_f32) X(arccos_f32)
#define AS_FUNCTION(name) void name(void *result, const void *a, const void *b, int64_t n, int va, int vb);
SPECIAL_NAMES(AS_FUNCTION)

/* sixteen.c: operations with 16-bit floats, F16 and BF16. An operand is ONE float32, MANY float32 or NARROW; the result
 * is MANY or NARROW. At least one of the three is NARROW. */
typedef void (*narrow_operation)(int of_result, void *to, const void *a, int of_a, const void *b, int of_b, int64_t n);
extern const narrow_operation narrow_operations[OPERATIONS][2];

/* sums.c: sums are float64; short runs are float32. The terms are a, a * b, a * (b - c), or (a - c) * (a - c). Rows of a
 * and b are `stride_a` and `stride_b` elements apart. `type`: F32, F16 or BF16. */
enum { UNIFORM = 64 }; /* rows with a multiple of UNIFORM elements give the same bits as one long row */
enum form { PLAIN, PRODUCT, CENTRED, SQUARE };
struct terms {
    enum form form;
    int type;
    const char *a, *b;
    const float *c;         /* one number, or one for each column */
    int64_t stride_a, stride_b;
};
struct columns {
    float part[2][BLOCK];   /* the sum of a run of rows in float32, and the buffer for the next one */
    double total[BLOCK];
    int64_t rows, current;  /* rows in the run; number of the part with its sum */
    int64_t wide;           /* 1 if all rows are added in float64, as a run was not finite */
    int64_t of_extremes;    /* 1 for the largest or smallest element of each column, in part[0] */
    char padding[32];       /* to whole cache lines */
};
double row_extreme(int type, const void *a, int64_t n, int smallest);
double extreme(double a, double b, int smallest);
void extreme_row(struct columns *sum, int type, const void *a, int64_t n, int smallest);
double sum_rows(const struct terms *terms, int64_t n, int64_t rows);
void start_columns(struct columns *sum, int64_t n, double start);
void add_rows(struct columns *sum, const struct terms *terms, int64_t n, int64_t rows);
void finish_columns(struct columns *sum, int64_t n);

/* threads.c: jobs 0 to count - 1 on up to `threads` threads, this one among them. */
typedef void (*job)(void *about, int64_t number);
void each_job(int64_t count, int64_t threads, job job, void *about);
/* Memory of this thread with at least this size, aligned to a cache line; NULL if there is none. */
void *scratch(int64_t bytes);

#endif
