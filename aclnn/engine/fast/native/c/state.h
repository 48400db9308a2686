/* What a thread knows while it evaluates: between sweep.c, which cuts, and block.c, which computes. */
#ifndef STATE_H
#define STATE_H

#include "internal.h"

/* The scratch memory of a thread while it evaluates. */
struct known { double wide[BLOCK]; float narrow[BLOCK]; };
struct block {
    int64_t place[DIMS];        /* its first element in each dimension */
    int64_t rows, columns;      /* elements in the last two dimensions */
    int64_t strip;              /* which of the unit's strips it is in */
};
struct wanted { const char *at; int64_t lines; }; /* memory that is still to be asked for, in cache lines */
enum { WANTS = 8 };
struct state {
    const struct sweep *sweep;
    struct block now, ahead;    /* the block that is computed, and one that memory is asked for meanwhile */
    int asks;                   /* is there a block ahead? */
    struct wanted wanted[WANTS]; /* what of the block ahead is still to be asked for */
    int64_t wants, next, lines; /* so many of these, the first that is not done, and the cache lines left */
    int64_t steps;              /* instructions on whole blocks that come before the block ahead */
    int64_t steps_of[SUMS + 1]; /* such instructions of each program; only the last one has no sum, perhaps */
    int fresh;                  /* is the unit the first of its job, so that nobody asked for it? */
    const void *value[64];      /* of each register: where its elements are */
    unsigned char extent[64];   /* and how many there are */
    int64_t apart[64];          /* and how many elements its rows are apart */
    double *row_total[SUMS];    /* sums over rows: one for the block, or for each of its rows */
    struct columns *columns_of[SUMS]; /* sums of columns, one for each strip */
    struct known *known;        /* STRIPS for each sum */
    char *registers;
};

static inline int last_reduced(const struct sweep *s) { return s->reduced[s->dims - 1] != 0; }
static inline int rows_reduced(const struct sweep *s) { return s->reduced[s->dims - 2] != 0; }

/* block.c: one block of a program. */
void run_block(struct state *t, const struct program *program);

#endif
