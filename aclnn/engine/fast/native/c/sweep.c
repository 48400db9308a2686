/* From a sweep to units, from units to blocks, from blocks to instructions. */
#include "internal.h"

#include <string.h>

/* The scratch memory of a thread while it evaluates. */
struct known { double wide[BLOCK]; float narrow[BLOCK]; };
struct state {
    const struct sweep *sweep;
    int64_t place[DIMS];        /* of the block: its first element in each dimension */
    int64_t rows, columns;      /* elements of the block in the last two dimensions */
    int64_t strip;              /* which block of the unit's columns it is, if these are not reduced */
    int64_t fresh;              /* is this the first program, whose elements are in no cache? */
    const void *value[64];      /* of each register: where its elements are */
    unsigned char vector[64];   /* and whether it has all of the block or one */
    double *row_total[SUMS];    /* sums over rows: one for the block, or for each of its rows */
    struct columns *columns_of[SUMS]; /* sums of columns, one for each strip */
    struct known *known;        /* STRIPS for each sum */
    char *registers;
};

static int last_reduced(const struct sweep *s) { return s->reduced[s->dims - 1] != 0; }
static int rows_reduced(const struct sweep *s) { return s->reduced[s->dims - 2] != 0; }

static char *address(const struct state *t, const struct memory *m) {
    char *p = m->base;
    for (int64_t d = 0; d < t->sweep->dims; d++) p += t->place[d] * m->stride[d];
    return p;
}

static int64_t bytes_of(int type) { return type == F64 || type == I64 ? 8 : type == MASK ? 1 : 4; }

/* Elements of a tensor. Rows that are not contiguous are packed one after the other. */
static const void *fetch(const struct state *t, const struct instruction *in, char *buffer) {
    const struct memory *m = t->sweep->memory + in->x;
    const char *from = address(t, m);
    int64_t across = m->stride[t->sweep->dims - 1], down = m->stride[t->sweep->dims - 2], n = t->columns;
    if (!in->vector) return load((int)m->type, in->type, from, 0, 1, buffer);
    if (t->fresh && t->rows == 1 && across > 0 && across <= 8) { /* memory sends the next block meanwhile */
        const char *next = from + n * across;
        for (int64_t at = 0; at < n * across; at += 64) __builtin_prefetch(next + at);
    }
    if (t->rows == 1) return load((int)m->type, in->type, from, across, n, buffer);
    if (down == n * across) return load((int)m->type, in->type, from, across, n * t->rows, buffer);
    for (int64_t r = 0, size = bytes_of(in->type) * n; r < t->rows; r++) {
        const void *row = load((int)m->type, in->type, from + r * down, across, n, buffer + r * size);
        if (row != buffer + r * size) memcpy(buffer + r * size, row, (size_t)size);
    }
    return buffer;
}

static void put(const struct state *t, const struct instruction *in, char *spare) {
    const struct memory *m = t->sweep->memory + in->x;
    char *to = address(t, m);
    int64_t across = m->stride[t->sweep->dims - 1], down = m->stride[t->sweep->dims - 2], n = t->columns;
    const char *values = t->value[in->a];
    int64_t size = bytes_of(in->type);
    if (!t->vector[in->a]) { /* one value for all */
        for (int64_t i = 0; i < n * t->rows; i++) memcpy(spare + i * size, values, (size_t)size);
        values = spare;
    }
    if (t->rows == 1 || down == n * across) {
        store((int)m->type, in->type, to, across, values, n * t->rows);
        return;
    }
    for (int64_t r = 0; r < t->rows; r++)
        store((int)m->type, in->type, to + r * down, across, values + r * n * size, n);
}

/* A sum of an earlier program, for the elements of a block. */
static const void *recall(const struct state *t, const struct instruction *in, char *buffer) {
    const struct known *known = t->known + in->x * STRIPS + t->strip;
    const void *values = in->type == F32 ? (const void *)known->narrow : known->wide;
    int64_t across = !last_reduced(t->sweep), down = !rows_reduced(t->sweep), n = t->columns;
    if (!in->vector || t->rows == 1 || (across && down)) return values;
    for (int64_t r = 0; r < t->rows; r++) {
        int64_t from = down ? r * (across ? n : 1) : 0;
        if (in->type == F32) {
            float *to = (float *)buffer + r * n;
            EACH(n) to[i] = known->narrow[from + i * across];
        } else {
            double *to = (double *)buffer + r * n;
            EACH(n) to[i] = known->wide[from + i * across];
        }
    }
    return buffer;
}

static void add_up(struct state *t, const struct instruction *in) {
    const float *a = t->value[in->a], *b = in->op == OP_dot ? t->value[in->b] : 0;
    int64_t n = t->columns, rows = t->rows;
    if (last_reduced(t->sweep)) {
        double *total = t->row_total[in->x];
        for (int64_t r = 0; r < rows; r++)
            total[rows_reduced(t->sweep) ? 0 : r] += row_sum(a + r * n, b ? b + r * n : 0, n);
    } else if (rows_reduced(t->sweep)) {
        for (int64_t r = 0; r < rows; r++)
            add_row(t->columns_of[in->x] + t->strip, a + r * n, b ? b + r * n : 0, n);
    } else {
        add_row(t->columns_of[in->x] + t->strip, a, b, n * rows);
    }
}

/* Single elements of the block that are changed. */
static void change(const struct state *t, const struct instruction *in) {
    const struct update *u = t->sweep->updates + in->x;
    float *values = (float *)(uintptr_t)t->value[in->a];
    const int64_t last = t->sweep->dims - 1, n = t->columns;
    for (int64_t r = 0; r < t->rows; r++) {
        int64_t row = u->row_dim < 0 ? 0 : t->place[u->row_dim] + (u->row_dim == last - 1 ? r : 0);
        int64_t low = 0, high = u->count;
        while (low < high) {
            int64_t middle = (low + high) / 2;
            if (u->row[middle] < row) low = middle + 1;
            else high = middle;
        }
        for (; low < u->count && u->row[low] == row; low++) {
            int64_t column = u->column[low] - t->place[last];
            if (column >= 0 && column < n)
                values[r * n + column] += u->subtract ? -u->by[low] : u->by[low];
        }
    }
}

static void run_block(struct state *t, const struct program *program) {
    const struct sweep *s = t->sweep;
    for (const struct instruction *in = program->instructions, *end = in + program->count; in < end; in++) {
        char *to = in->to < 0 ? 0 : in->aim < 0 ? t->registers + in->to * REGISTER : address(t, s->memory + in->aim);
        const void *result = to, *a = in->a < 0 ? 0 : t->value[in->a], *b = in->b < 0 ? 0 : t->value[in->b];
        int va = in->a >= 0 && t->vector[in->a], vb = in->b >= 0 && t->vector[in->b];
        int64_t n = in->vector ? t->rows * t->columns : 1;
        if (!in->vector) va = vb = 1;
        switch (in->op) {
        case OP_constant:
            if (in->type == F32) *(float *)to = (float)in->number;
            else if (in->type == F64) *(double *)to = in->number;
            else if (in->type == I32) *(int32_t *)to = (int32_t)in->whole;
            else if (in->type == I64) *(int64_t *)to = in->whole;
            else *(uint8_t *)to = (uint8_t)in->whole;
            break;
        case OP_load: result = fetch(t, in, to); break;
        case OP_known: result = recall(t, in, to); break;
        case OP_convert: convert(in->type, in->x, a, to, n); break;
        case OP_round: round_floats(in->x, a, (float *)to, n); break;
        case OP_select:
            select_values(in->type, a, b, t->value[in->c], to, n, va, vb, in->vector ? t->vector[in->c] : 1);
            break;
        case OP_sum: case OP_dot: add_up(t, in); continue;
        case OP_update: change(t, in); continue;
        case OP_store: put(t, in, t->registers + (s->registers - 1) * REGISTER); continue;
        default: operations[in->op][in->type](to, a, b, n, va, vb);
        }
        t->value[in->to] = result;
        t->vector[in->to] = (unsigned char)in->vector;
    }
}

/* The sizes of what a sweep is cut into. */
struct cut {
    int64_t units;      /* places in the dimensions that are not reduced, by strips */
    int64_t blocks;     /* of a unit, for each strip */
    int64_t strips;     /* of a unit: more than one only if its columns are summed up */
    int64_t across;     /* blocks of the last dimension */
    int64_t down;       /* blocks of the dimension before it */
    int64_t places;     /* sums of each kind that all units make */
};

static int64_t pieces(int64_t size, int64_t piece) { return (size + piece - 1) / piece; }

static struct cut cut_of(const struct sweep *s) {
    int64_t last = s->dims - 1;
    struct cut c = {1, 1, 1, pieces(s->size[last], BLOCK), pieces(s->size[last - 1], s->rows), 1};
    for (int64_t d = 0; d < last; d++) {
        int64_t many = d == last - 1 ? c.down : s->size[d];
        if (s->reduced[d]) c.blocks *= many;
        else c.units *= many, c.places *= s->size[d];
    }
    if (s->reduced[last]) {
        c.blocks *= c.across;
    } else {
        if (c.blocks > 1) c.strips = least(STRIPS, c.across);
        c.units *= pieces(c.across, c.strips), c.places *= s->size[last];
    }
    return c;
}

/* Go to the place with this number in the dimensions that are reduced, or in the others. */
static void go(struct state *t, const struct cut *c, int64_t number, int reduced) {
    const struct sweep *s = t->sweep;
    int64_t last = s->dims - 1;
    for (int64_t d = last; d >= 0; d--) {
        if ((s->reduced[d] != 0) != reduced) continue;
        int64_t many = s->size[d], piece = 1;
        if (d == last) many = pieces(c->across, c->strips), piece = BLOCK * c->strips;
        else if (d == last - 1) many = c->down, piece = s->rows;
        t->place[d] = number % many * piece;
        number /= many;
        if (d == last) t->columns = least(BLOCK, s->size[d] - t->place[d]);
        else if (d == last - 1) t->rows = least(s->rows, s->size[d] - t->place[d]);
    }
}

/* Go to a strip of the unit whose columns begin at `first`. Returns 0 if it has no such strip. */
static int go_to_strip(struct state *t, int64_t strip, int64_t first) {
    int64_t last = t->sweep->dims - 1, at = first + strip * BLOCK;
    if (at >= t->sweep->size[last]) return 0;
    t->strip = strip;
    t->place[last] = at;
    t->columns = least(BLOCK, t->sweep->size[last] - at);
    return 1;
}

/* So many sums has a strip of a unit. */
static int64_t sums_of(const struct state *t) {
    return (last_reduced(t->sweep) ? 1 : t->columns) * (rows_reduced(t->sweep) ? 1 : t->rows);
}

static const double *totals(const struct state *t, int64_t sum) {
    return last_reduced(t->sweep) ? t->row_total[sum] : t->columns_of[sum][t->strip].total;
}

/* Sums of a strip to their places in the result. */
static void give(const struct state *t, const struct cut *c, const struct program *p, int64_t group) {
    const struct sweep *s = t->sweep;
    int64_t last = s->dims - 1, across = last_reduced(s) ? 1 : t->columns, down = rows_reduced(s) ? 1 : t->rows;
    int64_t width = last_reduced(s) ? 1 : s->size[last], at = 0;
    for (int64_t d = 0; d < last; d++)
        if (!s->reduced[d]) at = at * s->size[d] + t->place[d];
    at = at * width + (last_reduced(s) ? 0 : t->place[last]);
    for (int64_t each = 0; each < p->sums; each++) {
        double *to = s->totals + (group * p->sums + each) * c->places + at;
        const double *from = totals(t, p->first_sum + each);
        for (int64_t r = 0; r < down; r++) memcpy(to + r * width, from + r * across, (size_t)across * sizeof *to);
    }
}

/* Sums of a strip to where later programs find them. */
static void keep(const struct state *t, const struct program *p) {
    for (int64_t each = p->first_sum; each < p->first_sum + p->sums; each++) {
        struct known *known = t->known + each * STRIPS + t->strip;
        const double *from = totals(t, each);
        EACH(sums_of(t)) known->wide[i] = from[i], known->narrow[i] = (float)from[i];
    }
}

enum { CACHED = 64 }; /* blocks that the cache of a core holds */

/* Run a program over the blocks of a unit, from `first` to `end`. */
static void run_program(struct state *t, const struct cut *c, int64_t number, int64_t first, int64_t end) {
    const struct sweep *s = t->sweep;
    const struct program *p = s->program + number;
    const int by_rows = last_reduced(s), sums = (int)p->sums;
    const int64_t column = by_rows ? 0 : t->place[s->dims - 1];
    t->fresh = number == 0;
    for (int64_t each = p->first_sum; each < p->first_sum + sums; each++) {
        if (by_rows) memset(t->row_total[each], 0, (size_t)sums_of(t) * sizeof(double));
        else for (int64_t i = 0; i < c->strips && go_to_strip(t, i, column); i++)
            start_columns(t->columns_of[each] + i, sums_of(t));
    }
    const int backwards = number % 2 && end - first > CACHED; /* the last blocks may still be in the cache */
    for (int64_t step = first; step < end; step++) {
        go(t, c, backwards ? end - 1 - (step - first) : step, 1);
        if (by_rows) run_block(t, p);
        else for (int64_t i = 0; i < c->strips && go_to_strip(t, i, column); i++) run_block(t, p);
    }
}

static void run_unit(struct state *t, const struct cut *c, int64_t unit, int64_t group) {
    const struct sweep *s = t->sweep;
    int64_t step = pieces(c->blocks, s->groups), first = group * step, end = least(c->blocks, first + step);
    memset(t->place, 0, sizeof t->place);
    t->strip = 0;
    go(t, c, unit, 0);
    const int64_t column = t->place[s->dims - 1];
    for (int64_t number = 0; number < s->programs; number++) {
        const struct program *p = s->program + number;
        const int is_last = number == s->programs - 1;
        run_program(t, c, number, least(first, end), end);
        for (int64_t i = 0; p->sums && i < c->strips && (last_reduced(s) || go_to_strip(t, i, column)); i++) {
            for (int64_t each = p->first_sum; !last_reduced(s) && each < p->first_sum + p->sums; each++)
                finish_columns(t->columns_of[each] + i, sums_of(t));
            if (!is_last) keep(t, p);
            else if (s->totals) give(t, c, p, group);
        }
        if (!last_reduced(s)) go_to_strip(t, 0, column);
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
    int64_t group = number / work->jobs, unit = number % work->jobs * work->units;
    for (int64_t end = least(work->cut.units, unit + work->units); unit < end; unit++)
        run_unit(t, &work->cut, unit, group);
}

enum { JOB = 1 << 15 }; /* elements that are worth being a job */

int evaluator_run(const struct sweep *s) {
    struct work work = {.sweep = s, .cut = cut_of(s)};
    int64_t elements = 1;
    for (int64_t d = 0; d < s->dims; d++) elements *= s->size[d];
    int64_t of_unit = elements / work.cut.units / s->groups + 1;
    work.units = least(work.cut.units, JOB / of_unit + 1);
    work.jobs = pieces(work.cut.units, work.units);
    if (!prepare(s)) return 1;
    each_job(work.jobs * s->groups, elements < s->large ? 1 : s->threads, run_job, &work);
    return work.failed;
}

/* What the Python side checks before it trusts its own declarations. */
#define AS_TEXT(name) #name " "
const char *evaluator_types(void) { return TYPE_NAMES(AS_TEXT); }
const char *evaluator_operations(void) { return OPERATION_NAMES(AS_TEXT) OTHER_NAMES(AS_TEXT); }
int evaluator_knows(int64_t op, int64_t type) { return op < OPERATIONS && type < REGISTER_TYPES && operations[op][type] != 0; }
int64_t evaluator_layout(int64_t which) {
    const int64_t sizes[] = {sizeof(struct instruction), sizeof(struct memory), sizeof(struct update),
                             sizeof(struct program), sizeof(struct sweep), DIMS, BLOCK, SUMS, STRIPS};
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
