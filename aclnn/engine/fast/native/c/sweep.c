/* From a sweep to units, and from units to blocks. */
#include "state.h"

#include <string.h>

/* A dimension that blocks are cut from: so many pieces of this size. */
struct axis { int64_t dim, many, piece; };
struct axes { int64_t count; struct axis axis[DIMS]; }; /* inner to outer */

/* The sizes of what a sweep is cut into. */
struct cut {
    struct axes outside, within; /* what a place in these dimensions is: a unit; a block of a unit */
    int64_t units;      /* places in the dimensions that are not reduced, by strips */
    int64_t blocks;     /* of a unit, for each strip */
    int64_t inner;      /* so many of them, one after the other, are computed before the next strip */
    int64_t places;     /* sums of each kind that all units make */
    int64_t of_group;   /* blocks of a unit */
};

static int64_t pieces(int64_t size, int64_t piece) { return (size + piece - 1) / piece; }

static struct cut cut_of(const struct sweep *s) {
    const int64_t last = s->dims - 1;
    struct cut c = {.units = 1, .blocks = 1, .inner = 1, .places = 1};
    for (int64_t d = last; d >= 0; d--) {
        const int64_t piece = d == last ? BLOCK : d == last - 1 ? s->rows : 1, many = pieces(s->size[d], piece);
        struct axes *axes = s->reduced[d] ? &c.within : &c.outside;
        if (d == s->lane) axes->axis[axes->count++] = (struct axis){d, pieces(many, s->strips), piece * s->strips};
        else axes->axis[axes->count++] = (struct axis){d, many, piece};
        if (s->reduced[d]) c.blocks *= many;
        else c.units *= d == s->lane ? pieces(many, s->strips) : many, c.places *= s->size[d];
        if (d == last && s->reduced[d]) c.inner = many;
    }
    c.of_group = pieces(c.blocks, s->groups);
    return c;
}

/* Go to the place with this number in these dimensions. */
static void go(const struct sweep *s, const struct axes *axes, struct block *block, int64_t number) {
    const int64_t last = s->dims - 1;
    for (const struct axis *axis = axes->axis, *end = axis + axes->count; axis < end; axis++) {
        int64_t next = number < axis->many ? 0 : number / axis->many; /* (a division takes longer than a short step) */
        const int64_t d = axis->dim, at = block->place[d] = (number - next * axis->many) * axis->piece;
        number = next;
        if (d == last) block->columns = least(BLOCK, s->size[d] - at);
        else if (d == last - 1) block->rows = least(s->rows, s->size[d] - at);
    }
}

/* Go to a strip of the unit whose first one is at this place. Returns 0 if it has no such strip. */
static int go_to_strip(const struct sweep *s, struct block *block, int64_t strip, int64_t first) {
    if (strip == s->strips) return 0;
    block->strip = strip;
    if (s->strips == 1) return 1;
    const int of_columns = s->lane == s->dims - 1;
    int64_t at = first + strip * (of_columns ? BLOCK : 1);
    if (at >= s->size[s->lane]) return 0;
    block->place[s->lane] = at;
    if (of_columns) block->columns = least(BLOCK, s->size[s->lane] - at);
    return 1;
}

/* So many sums has a strip of a unit. */
static int64_t sums_of(const struct state *t) {
    return (last_reduced(t->sweep) ? 1 : t->now.columns) * (rows_reduced(t->sweep) ? 1 : t->now.rows);
}

static const double *totals(const struct state *t, int64_t sum) {
    return last_reduced(t->sweep) ? t->row_total[sum] + t->now.strip : t->columns_of[sum][t->now.strip].total;
}

static void start_rows(double *total, int64_t n, double start) {
    total[0] = start;
    if (n > 1) EACH(n) total[i] = start; /* (there is mostly one, for which a vector's loop would be long) */
}

/* Sums of a strip to their places in the result. */
static void give(const struct state *t, const struct cut *c, const struct program *p, int64_t group) {
    const struct sweep *s = t->sweep;
    int64_t last = s->dims - 1, across = last_reduced(s) ? 1 : t->now.columns, down = rows_reduced(s) ? 1 : t->now.rows;
    int64_t width = last_reduced(s) ? 1 : s->size[last], at = 0;
    for (int64_t d = 0; d < last; d++)
        if (!s->reduced[d]) at = at * s->size[d] + t->now.place[d];
    at = at * width + (last_reduced(s) ? 0 : t->now.place[last]);
    for (int64_t each = 0; each < p->sums; each++) {
        double *to = s->totals + (group * s->sums + p->first_sum + each) * c->places + at;
        const double *from = totals(t, p->first_sum + each);
        for (int64_t r = 0; r < down; r++) memcpy(to + r * width, from + r * across, (size_t)across * sizeof *to);
    }
}

/* Sums of a strip to where later programs find them. */
static void keep(const struct state *t, const struct program *p) {
    for (int64_t each = p->first_sum; each < p->first_sum + p->sums; each++) {
        struct known *known = t->known + each * STRIPS + t->now.strip;
        const double *from = totals(t, each);
        const int64_t many = sums_of(t);
        known->wide[0] = from[0], known->narrow[0] = (float)from[0];
        if (many > 1) EACH(many) known->wide[i] = from[i], known->narrow[i] = (float)from[i];
    }
}

/* A unit while its programs run. */
struct unit {
    int64_t next;           /* the number of the next one of the job; -1: this is the last */
    int64_t first, end;     /* of its blocks, those of the group */
    int64_t lane;           /* where its strips begin */
};

/* Of the blocks that the cache of a core holds, a unit may have so many if those of the next unit are to come too. */
enum { CACHED = 16 };

static int64_t blocks_of(const struct sweep *s, const struct unit *u) { return (u->end - u->first) * s->strips; }

/* Choose the block that memory is asked for while this one is computed, which is the block `step` of a program. While
 * the last program finishes a small unit, the blocks of the next unit come into the cache; if the unit is one block, only
 * its first program loads it. Of a large unit the next block of the program comes: `further` blocks from here, in this
 * strip. */
static void look_ahead(struct state *t, const struct cut *c, const struct unit *u, int64_t program, int64_t step,
                       int64_t further) {
    const struct sweep *s = t->sweep;
    const int alone = blocks_of(s, u) == 1, small = blocks_of(s, u) <= CACHED, loads = alone ? 0 : s->programs - 1;
    t->asks = 0;
    t->ahead = t->now;
    if (!alone || program == 0) t->steps = t->steps_of[program];
    for (int64_t later = 1; alone && program == 0 && later < s->programs; later++) t->steps += t->steps_of[later];
    if (small && program == loads) {
        if (u->next < 0) return;
        go(s, &c->outside, &t->ahead, u->next);
        t->asks = go_to_strip(s, &t->ahead, t->now.strip, s->lane < 0 ? 0 : t->ahead.place[s->lane]);
    } else if (!small || (t->fresh && program == 0)) {
        t->asks = 1;
        if (c->inner == 1 && go_to_strip(s, &t->ahead, t->now.strip + 1, u->lane)) return;
        t->asks = step + further >= u->first && step + further < u->end;
        if (!t->asks) return;
        go(s, &c->within, &t->ahead, step + further);
        if (c->inner == 1) go_to_strip(s, &t->ahead, 0, u->lane);
    }
}

/* Run a program over the blocks of a unit: some blocks of each strip in turn. */
static void run_program(struct state *t, const struct cut *c, const struct unit *u, int64_t number) {
    const struct sweep *s = t->sweep;
    const struct program *p = s->program + number;
    for (int64_t strip = 0; p->sums && go_to_strip(s, &t->now, strip, u->lane); strip++)
        for (int64_t each = p->first_sum; each < p->first_sum + p->sums; each++) {
            if (last_reduced(s)) start_rows(t->row_total[each] + strip, sums_of(t), s->start[each]);
            else start_columns(t->columns_of[each] + strip, sums_of(t), s->start[each]);
        }
    const int back = number % 2 && blocks_of(s, u) > CACHED; /* the last blocks may still be in the cache */
    for (int64_t from = u->first, to; from < u->end; from = to) {
        to = least(u->end, c->inner == 1 ? from + 1 : from + c->inner - from % c->inner);
        for (int64_t strip = 0; go_to_strip(s, &t->now, strip, u->lane); strip++)
            for (int64_t i = from; i < to; i++) {
                int64_t step = back ? u->end - 1 - (i - u->first) : i;
                go(s, &c->within, &t->now, step);
                if (s->ask) look_ahead(t, c, u, number, step, back ? -1 : 1);
                run_block(t, p);
            }
    }
}

static void run_unit(struct state *t, const struct cut *c, int64_t unit, int64_t next, int64_t group) {
    const struct sweep *s = t->sweep;
    int64_t first = group * c->of_group, end = least(c->blocks, first + c->of_group);
    memset(&t->now, 0, sizeof t->now);
    go(s, &c->outside, &t->now, unit);
    const struct unit u = {.next = next, .first = least(first, end), .end = end,
                           .lane = s->lane < 0 ? 0 : t->now.place[s->lane]};
    for (int64_t number = 0; number < s->programs; number++) {
        const struct program *p = s->program + number;
        const int is_last = number == s->programs - 1;
        run_program(t, c, &u, number);
        for (int64_t strip = 0; p->sums && go_to_strip(s, &t->now, strip, u.lane); strip++) {
            for (int64_t each = p->first_sum; !last_reduced(s) && each < p->first_sum + p->sums; each++)
                finish_columns(t->columns_of[each] + strip, sums_of(t));
            if (!is_last) keep(t, p);
            if (s->totals) give(t, c, p, group);
        }
        go_to_strip(s, &t->now, 0, u.lane);
    }
}

/* The state of a thread in its scratch memory; NULL if there is none. */
static struct state *prepare(const struct sweep *s) {
    int64_t state = (int64_t)(sizeof(struct state) + 63) / 64 * 64, known = s->sums * STRIPS * (int64_t)sizeof(struct known);
    int64_t rows = s->sums * BLOCK * 8, columns = s->sums * STRIPS * (int64_t)sizeof(struct columns);
    char *memory = scratch(state + known + rows + columns + 64 * SUMS + s->registers * REGISTER);
    if (!memory) return 0;
    struct state *t = (struct state *)memory;
    t->sweep = s;
    t->wants = t->next = t->lines = t->asks = 0;
    for (int64_t number = 0; number < s->programs; number++) {
        t->steps_of[number] = 0;
        for (int64_t i = 0; i < s->program[number].count; i++)
            t->steps_of[number] += s->program[number].instructions[i].extent == MANY;
    }
    t->registers = memory += state;
    t->known = (struct known *)(memory += s->registers * REGISTER);
    memory += known;
    for (int64_t each = 0; each < s->sums; each++) {
        t->row_total[each] = (double *)memory;
        memory += BLOCK * 8;
        t->columns_of[each] = (struct columns *)memory;
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
    for (int64_t end = least(work->cut.units, unit + work->units); unit < end; unit++) {
        t->fresh = unit == first;
        run_unit(t, &work->cut, unit, unit + 1 < end ? unit + 1 : -1, group);
    }
    end_writing();
}

/* The sums of all groups, in order, to those of the first one. */
static void combine(const struct sweep *s, int64_t places) {
    for (int64_t group = 1; group < s->groups; group++)
        for (int64_t each = 0; each < s->sums; each++) {
            double *to = s->totals + each * places;
            const double *from = to + group * s->sums * places, start = s->start[each];
            if (start == 0) EACH(places) to[i] += from[i];
            else EACH(places) to[i] = extreme(from[i], to[i], start > 0);
        }
}

/* Elements that are worth being a job, and so many that each job has if it still leaves many of them. */
enum { JOB = 1 << 15, FULL_JOB = 1 << 18, JOBS = 64 };

int evaluator_run(const struct sweep *s) {
    struct work work = {.sweep = s, .cut = cut_of(s)};
    int64_t elements = 1;
    for (int64_t d = 0; d < s->dims; d++) elements *= s->size[d];
    int64_t of_unit = elements / work.cut.units / s->groups + 1;
    int64_t of_job = elements / JOBS < JOB ? JOB : least(elements / JOBS, FULL_JOB);
    work.units = least(work.cut.units, of_job / of_unit + 1);
    work.jobs = pieces(work.cut.units, work.units);
    if (!prepare(s)) return 1;
    each_job(work.jobs * s->groups, elements < s->large ? 1 : s->threads, run_job, &work);
    if (s->totals) combine(s, work.cut.places);
    return work.failed;
}

/* What the Python side checks before it trusts its own declarations. */
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
                             sizeof(struct segments), sizeof(struct running), DIMS, BLOCK, SUMS, STRIPS};
    return which < (int64_t)(sizeof sizes / sizeof *sizes) ? sizes[which] : -1;
}

/* The best build for this processor: 0 plain, 1 AVX2, 2 AVX-512. */
int evaluator_best(void) {
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return 2;
    if (__builtin_cpu_supports("avx2")) return 1; /* (every processor with AVX2 has F16C) */
#endif
    return 0;
}
