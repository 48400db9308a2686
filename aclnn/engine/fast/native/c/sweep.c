/* A sweep is cut into units, and units into blocks. */
#include "state.h"

#include <string.h>

/* A dimension that is cut into `count` pieces of a size. */
struct axis { int64_t dim, count, piece; };
struct axes { int64_t count; struct axis axis[DIMS]; }; /* from inner to outer */

/* The units and blocks that a sweep is cut into. */
struct cut {
    struct axes unit_axes;  /* an index in these axes is a unit */
    struct axes block_axes; /* an index in these axes is a block of a unit */
    int64_t units;          /* indices in the dimensions that are not reduced, by strips */
    int64_t blocks;         /* blocks of each strip of a unit */
    int64_t inner;          /* consecutive blocks that are computed before the next strip */
    int64_t results;        /* results of each sum, of all units together */
    int64_t of_group;       /* blocks of a group */
};

static int64_t pieces(int64_t size, int64_t piece) { return (size + piece - 1) / piece; }

static struct cut cut_of(const struct sweep *s) {
    const int64_t last = s->dims - 1;
    struct cut c = {.units = 1, .blocks = 1, .inner = 1, .results = 1};
    for (int64_t d = last; d >= 0; d--) {
        const int64_t piece = d == last ? BLOCK : d == last - 1 ? s->rows : 1, count = pieces(s->size[d], piece);
        struct axes *axes = s->reduced[d] ? &c.block_axes : &c.unit_axes;
        if (d == s->strip_dim) axes->axis[axes->count++] = (struct axis){d, pieces(count, s->strips), piece * s->strips};
        else axes->axis[axes->count++] = (struct axis){d, count, piece};
        if (s->reduced[d]) c.blocks *= count;
        else c.units *= d == s->strip_dim ? pieces(count, s->strips) : count, c.results *= s->size[d];
        if (d == last && s->reduced[d]) c.inner = count;
    }
    c.of_group = pieces(c.blocks, s->groups);
    return c;
}

/* Move a block to the index `number` in some axes. */
static void move_to(const struct sweep *s, const struct axes *axes, struct block *block, int64_t number) {
    const int64_t last = s->dims - 1;
    for (const struct axis *axis = axes->axis, *end = axis + axes->count; axis < end; axis++) {
        int64_t next = number < axis->count ? 0 : number / axis->count; /* avoids a slow division */
        const int64_t d = axis->dim, at = block->start[d] = (number - next * axis->count) * axis->piece;
        number = next;
        if (d == last) block->columns = min_of(BLOCK, s->size[d] - at);
        else if (d == last - 1) block->rows = min_of(s->rows, s->size[d] - at);
    }
}

/* Move a block to a strip of its unit, whose first strip starts at `first`. Returns 0 if the unit has no such strip. */
static int move_to_strip(const struct sweep *s, struct block *block, int64_t strip, int64_t first) {
    if (strip == s->strips) return 0;
    block->strip = strip;
    if (s->strips == 1) return 1;
    const int of_columns = s->strip_dim == s->dims - 1;
    int64_t at = first + strip * (of_columns ? BLOCK : 1);
    if (at >= s->size[s->strip_dim]) return 0;
    block->start[s->strip_dim] = at;
    if (of_columns) block->columns = min_of(BLOCK, s->size[s->strip_dim] - at);
    return 1;
}

/* The number of results of each sum in a strip of a unit. */
static int64_t sum_count(const struct state *t) {
    return (last_reduced(t->sweep) ? 1 : t->block.columns) * (rows_reduced(t->sweep) ? 1 : t->block.rows);
}

static const double *totals(const struct state *t, int64_t sum) {
    return last_reduced(t->sweep) ? t->row_sums[sum] + t->block.strip : t->column_sums[sum][t->block.strip].total;
}

static void reset_rows(double *total, int64_t n, double start) {
    total[0] = start;
    if (n > 1) EACH(n) total[i] = start; /* usually n is 1, and a vector loop is slow to start */
}

/* Write the sums of a strip to the results of the sweep. */
static void write_totals(const struct state *t, const struct cut *c, const struct program *p, int64_t group) {
    const struct sweep *s = t->sweep;
    int64_t last = s->dims - 1;
    int64_t across = last_reduced(s) ? 1 : t->block.columns, down = rows_reduced(s) ? 1 : t->block.rows;
    int64_t width = last_reduced(s) ? 1 : s->size[last], at = 0;
    for (int64_t d = 0; d < last; d++)
        if (!s->reduced[d]) at = at * s->size[d] + t->block.start[d];
    at = at * width + (last_reduced(s) ? 0 : t->block.start[last]);
    for (int64_t each = 0; each < p->sums; each++) {
        double *to = s->totals + (group * s->sums + p->first_sum + each) * c->results + at;
        const double *from = totals(t, p->first_sum + each);
        for (int64_t r = 0; r < down; r++) memcpy(to + r * width, from + r * across, (size_t)across * sizeof *to);
    }
}

/* Store the sums of a strip for later programs. */
static void keep_sums(const struct state *t, const struct program *p) {
    for (int64_t each = p->first_sum; each < p->first_sum + p->sums; each++) {
        struct finished_sum *finished = t->earlier_sums + each * STRIPS + t->block.strip;
        const double *from = totals(t, each);
        const int64_t count = sum_count(t);
        finished->wide[0] = from[0], finished->narrow[0] = (float)from[0];
        if (count > 1) EACH(count) finished->wide[i] = from[i], finished->narrow[i] = (float)from[i];
    }
}

/* A unit while its programs run. */
struct unit {
    int64_t next;           /* number of the next unit of the job; -1 if there is none */
    int64_t first, end;     /* range of its blocks in the group */
    int64_t strip_start;    /* index of its first strip in the dimension of strips */
};

/* The most blocks of a unit that fits into the cache of a core together with the next unit. */
enum { MAX_CACHED_BLOCKS = 16 };

static int64_t blocks_of(const struct sweep *s, const struct unit *u) { return (u->end - u->first) * s->strips; }

/* Choose the next block, which is prefetched while block `step` of a program is computed.
 *
 * A small unit stays in the cache, and its last program prefetches the next unit. If the unit is one block, its first
 * program prefetches, as no other program loads the unit. A large unit prefetches the next block of the same program,
 * `further` blocks away in this strip. */
static void choose_next_block(struct state *t, const struct cut *c, const struct unit *u, int64_t program, int64_t step,
                       int64_t further) {
    const struct sweep *s = t->sweep;
    const int single = blocks_of(s, u) == 1, small = blocks_of(s, u) <= MAX_CACHED_BLOCKS;
    const int prefetcher = single ? 0 : s->programs - 1;
    t->has_next = 0;
    t->next_block = t->block;
    if (!single || program == 0) t->steps_left = t->steps_of_program[program];
    for (int64_t later = 1; single && program == 0 && later < s->programs; later++)
        t->steps_left += t->steps_of_program[later];
    if (small && program == prefetcher) {
        if (u->next < 0) return;
        move_to(s, &c->unit_axes, &t->next_block, u->next);
        const int64_t strip_start = s->strip_dim < 0 ? 0 : t->next_block.start[s->strip_dim];
        t->has_next = move_to_strip(s, &t->next_block, t->block.strip, strip_start);
    } else if (!small || (t->first_unit && program == 0)) {
        t->has_next = 1;
        if (c->inner == 1 && move_to_strip(s, &t->next_block, t->block.strip + 1, u->strip_start)) return;
        t->has_next = step + further >= u->first && step + further < u->end;
        if (!t->has_next) return;
        move_to(s, &c->block_axes, &t->next_block, step + further);
        if (c->inner == 1) move_to_strip(s, &t->next_block, 0, u->strip_start);
    }
}

/* Run a program over the blocks of a unit: some blocks of each strip, strip by strip. */
static void run_program(struct state *t, const struct cut *c, const struct unit *u, int64_t number) {
    const struct sweep *s = t->sweep;
    const struct program *p = s->program + number;
    for (int64_t strip = 0; p->sums && move_to_strip(s, &t->block, strip, u->strip_start); strip++)
        for (int64_t each = p->first_sum; each < p->first_sum + p->sums; each++) {
            if (last_reduced(s)) reset_rows(t->row_sums[each] + strip, sum_count(t), s->identity[each]);
            else start_columns(t->column_sums[each] + strip, sum_count(t), s->identity[each]);
        }
    const int back = number % 2 && blocks_of(s, u) > MAX_CACHED_BLOCKS; /* the last blocks may still be in the cache */
    for (int64_t from = u->first, to; from < u->end; from = to) {
        to = min_of(u->end, c->inner == 1 ? from + 1 : from + c->inner - from % c->inner);
        for (int64_t strip = 0; move_to_strip(s, &t->block, strip, u->strip_start); strip++)
            for (int64_t i = from; i < to; i++) {
                int64_t step = back ? u->end - 1 - (i - u->first) : i;
                move_to(s, &c->block_axes, &t->block, step);
                if (s->prefetch) choose_next_block(t, c, u, number, step, back ? -1 : 1);
                run_block(t, p);
            }
    }
}

static void run_unit(struct state *t, const struct cut *c, int64_t unit, int64_t next, int64_t group) {
    const struct sweep *s = t->sweep;
    int64_t first = group * c->of_group, end = min_of(c->blocks, first + c->of_group);
    memset(&t->block, 0, sizeof t->block);
    move_to(s, &c->unit_axes, &t->block, unit);
    const struct unit u = {.next = next, .first = min_of(first, end), .end = end,
                           .strip_start = s->strip_dim < 0 ? 0 : t->block.start[s->strip_dim]};
    for (int64_t number = 0; number < s->programs; number++) {
        const struct program *p = s->program + number;
        const int is_last = number == s->programs - 1;
        run_program(t, c, &u, number);
        for (int64_t strip = 0; p->sums && move_to_strip(s, &t->block, strip, u.strip_start); strip++) {
            for (int64_t each = p->first_sum; !last_reduced(s) && each < p->first_sum + p->sums; each++)
                finish_columns(t->column_sums[each] + strip, sum_count(t));
            if (!is_last) keep_sums(t, p);
            if (s->totals) write_totals(t, c, p, group);
        }
        move_to_strip(s, &t->block, 0, u.strip_start);
    }
}

/* The state of a thread in its scratch memory; NULL if there is none. */
static struct state *prepare(const struct sweep *s) {
    int64_t state = (int64_t)(sizeof(struct state) + 63) / 64 * 64;
    int64_t finished = s->sums * STRIPS * (int64_t)sizeof(struct finished_sum);
    int64_t rows = s->sums * BLOCK * 8, columns = s->sums * STRIPS * (int64_t)sizeof(struct columns);
    char *memory = scratch(state + finished + rows + columns + 64 * SUMS + s->registers * REGISTER);
    if (!memory) return 0;
    struct state *t = (struct state *)memory;
    t->sweep = s;
    t->prefetches = t->next_prefetch = t->lines_left = t->has_next = 0;
    for (int64_t number = 0; number < s->programs; number++) {
        t->steps_of_program[number] = 0;
        for (int64_t i = 0; i < s->program[number].count; i++)
            t->steps_of_program[number] += s->program[number].instructions[i].extent == MANY;
    }
    t->registers = memory += state;
    t->earlier_sums = (struct finished_sum *)(memory += s->registers * REGISTER);
    memory += finished;
    for (int64_t each = 0; each < s->sums; each++) {
        t->row_sums[each] = (double *)memory;
        memory += BLOCK * 8;
        t->column_sums[each] = (struct columns *)memory;
        memory += STRIPS * sizeof(struct columns);
    }
    return t;
}

struct work { const struct sweep *sweep; struct cut cut; int64_t units, jobs; int failed; };

static void run_job(void *about, int64_t number) {
    struct work *work = about;
    struct state *t = prepare(work->sweep);
    if (!t) {
        __atomic_store_n(&work->failed, 1, __ATOMIC_RELAXED);
        return;
    }
    int64_t group = number / work->jobs, unit = number % work->jobs * work->units, first = unit;
    for (int64_t end = min_of(work->cut.units, unit + work->units); unit < end; unit++) {
        t->first_unit = unit == first;
        run_unit(t, &work->cut, unit, unit + 1 < end ? unit + 1 : -1, group);
    }
    end_streaming();
}

/* Add the sums of all groups, in order, to the sums of the first group. */
static void combine(const struct sweep *s, int64_t results) {
    for (int64_t group = 1; group < s->groups; group++)
        for (int64_t each = 0; each < s->sums; each++) {
            double *to = s->totals + each * results;
            const double *from = to + group * s->sums * results, identity = s->identity[each];
            if (identity == 0) EACH(results) to[i] += from[i];
            else EACH(results) to[i] = extreme(from[i], to[i], identity > 0);
        }
}

/* Bounds of the elements of a job, within which there are JOBS jobs. */
enum { MIN_JOB = 1 << 15, MAX_JOB = 1 << 18, JOBS = 64 };

int evaluator_run(const struct sweep *s) {
    struct work work = {.sweep = s, .cut = cut_of(s)};
    int64_t elements = 1;
    for (int64_t d = 0; d < s->dims; d++) elements *= s->size[d];
    int64_t of_unit = elements / work.cut.units / s->groups + 1;
    int64_t of_job = elements / JOBS < MIN_JOB ? MIN_JOB : min_of(elements / JOBS, MAX_JOB);
    work.units = min_of(work.cut.units, of_job / of_unit + 1);
    work.jobs = pieces(work.cut.units, work.units);
    if (!prepare(s)) return 1;
    each_job(work.jobs * s->groups, elements < s->min_parallel ? 1 : s->threads, run_job, &work);
    if (s->totals) combine(s, work.cut.results);
    return work.failed;
}

/* Names and sizes that the Python side compares with its own declarations. */
#define AS_TEXT(name) #name " "
const char *evaluator_types(void) { return TYPE_NAMES(AS_TEXT); }
const char *evaluator_operations(void) { return OPERATION_NAMES(AS_TEXT) OTHER_NAMES(AS_TEXT); }
int evaluator_knows(int64_t op, int64_t type) {
    if (op >= OPERATIONS || type > BF16) return 0;
    return type < REGISTER_TYPES ? operations[op][type] != 0 : narrow_operations[op][type - F16] != 0;
}
int64_t evaluator_layout(int64_t which) {
    const int64_t sizes[] = {sizeof(struct instruction), sizeof(struct memory), sizeof(struct update),
                             sizeof(struct program), sizeof(struct sweep), sizeof(struct positions),
                             sizeof(struct segments), sizeof(struct running), sizeof(struct blend), sizeof(struct order),
                             sizeof(struct triangle), sizeof(struct copy), sizeof(struct product),
                             sizeof(struct convolution), sizeof(struct reduction), sizeof(struct attention), DIMS,
                             BLOCK, SUMS, STRIPS};
    return which < (int64_t)(sizeof sizes / sizeof *sizes) ? sizes[which] : -1;
}

/* The best build for this processor: 0 plain, 1 AVX2, 2 AVX-512. */
int evaluator_best(void) {
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return 2;
    if (__builtin_cpu_supports("avx2")) return 1; /* every processor with AVX2 has F16C */
#endif
    return 0;
}
