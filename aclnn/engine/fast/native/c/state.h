/* The state of a thread while it evaluates. sweep.c chooses the blocks, and block.c computes them. */
#ifndef STATE_H
#define STATE_H

#include "internal.h"

/* The values of a finished sum for a block, in both types. */
struct finished_sum { double wide[BLOCK]; float narrow[BLOCK]; };
struct block {
    int64_t start[DIMS];        /* index of its first element in each dimension */
    int64_t rows, columns;      /* elements in the last two dimensions */
    int64_t strip;              /* number of its strip in the unit */
};
struct prefetch { const char *address; int64_t lines; }; /* memory to prefetch, in cache lines */
enum { MAX_PREFETCHES = 8 };
struct state {
    const struct sweep *sweep;
    struct block block;         /* the block that is computed */
    struct block next_block;    /* the block that is prefetched at the same time */
    int has_next;               /* 1 if there is a block to prefetch */
    struct prefetch prefetch[MAX_PREFETCHES]; /* memory of the next block that is to be prefetched */
    int64_t prefetches;         /* number of entries in `prefetch` */
    int64_t next_prefetch;      /* the first entry that is not done */
    int64_t lines_left;         /* cache lines that are not done */
    int64_t steps_left;         /* instructions on whole blocks that run before the next block */
    int64_t steps_of_program[SUMS + 1]; /* the same of each program; each program except the last has a sum */
    int first_unit;             /* 1 if the unit is the first of its job, so that it was not prefetched */
    const void *values[64];     /* for each register, the address of its elements */
    unsigned char extent[64];   /* for each register, the number of its elements */
    int64_t row_stride[64];     /* for each register, the distance of its rows in elements */
    double *row_sums[SUMS];     /* sums over rows: one for the block, or for each of its rows */
    struct columns *column_sums[SUMS]; /* sums of columns, one for each strip */
    struct finished_sum *earlier_sums; /* sums of earlier programs, STRIPS for each sum */
    char *registers;
};

static inline int last_reduced(const struct sweep *s) { return s->reduced[s->dims - 1] != 0; }
static inline int rows_reduced(const struct sweep *s) { return s->reduced[s->dims - 2] != 0; }

/* block.c: one block of a program. */
void run_block(struct state *t, const struct program *program);

#endif
