/* The instructions of a program, run over one block. */
#include "state.h"

#include <string.h>

static char *address(const struct state *t, const struct memory *m, const struct block *block) {
    const int64_t last = t->sweep->dims - 1; /* (there are two dimensions at least) */
    char *p = m->base + block->place[last] * m->stride[last] + block->place[last - 1] * m->stride[last - 1];
    for (int64_t d = last - 2; d >= 0; d--) p += block->place[d] * m->stride[d];
    return p;
}

/* Memory sends the block ahead while this one is computed. Where rows are not contiguous only the first one comes. */
static void ask(struct state *t, const struct memory *m, const char *now) {
    const char *from = address(t, m, &t->ahead);
    int64_t across = m->stride[t->sweep->dims - 1], down = m->stride[t->sweep->dims - 2];
    int64_t bytes = t->ahead.columns * across;
    if (from == now || across <= 0 || across > 8 || t->wants == WANTS) return;
    if (down == bytes) bytes *= t->ahead.rows;
    const int64_t lines = (bytes + 63) / 64;
    t->wanted[t->wants++] = (struct wanted){from, lines};
    t->lines += lines;
}

/* A core that asks for many cache lines at a time stands still. So each of the steps that are left asks for some. They
 * come to the second cache: to the first one, which is small, a core can have few on their way. */
static void ask_for_some(struct state *t) {
    int64_t lines = t->lines / (t->steps > 0 ? t->steps : 1) + 1;
    while (t->next < t->wants && lines) {
        struct wanted *w = t->wanted + t->next;
        const int64_t now = least(lines, w->lines);
        for (int64_t i = 0; i < now; i++) __builtin_prefetch(w->at + 64 * i, 0, 2);
        w->at += 64 * now, w->lines -= now, t->lines -= now, lines -= now;
        t->next += !w->lines;
    }
}

/* Elements of a tensor. Rows that are not contiguous are packed one after the other, unless they may stay. */
static const void *fetch(struct state *t, const struct instruction *in, char *buffer) {
    const struct memory *m = t->sweep->memory + in->x;
    const char *from = address(t, m, &t->now);
    int64_t across = m->stride[t->sweep->dims - 1], down = m->stride[t->sweep->dims - 2], n = t->now.columns;
    const int64_t size = bytes_of(in->type);
    if (in->extent == ONE) return load((int)m->type, in->type, from, 0, 1, buffer);
    if (in->extent == ROWS) return load((int)m->type, in->type, from, down, t->now.rows, buffer);
    if (t->asks) ask(t, m, from);
    if (t->now.rows == 1) return load((int)m->type, in->type, from, across, n, buffer);
    if (down == n * across) return load((int)m->type, in->type, from, across, n * t->now.rows, buffer);
    const int may_stay = last_reduced(t->sweep) ? n % UNIFORM == 0 : rows_reduced(t->sweep);
    if (in->stays && may_stay && (int)m->type == in->type && across == size) {
        t->apart[in->to] = down / size;
        return from;
    }
    for (int64_t r = 0; r < t->now.rows; r++) {
        const void *row = load((int)m->type, in->type, from + r * down, across, n, buffer + r * size * n);
        if (row != buffer + r * size * n) memcpy(buffer + r * size * n, row, (size_t)(size * n));
    }
    return buffer;
}

/* The same value n times. */
static void fill(char *to, const char *value, int64_t size, int64_t n) {
    if (size == 1) memset(to, *value, (size_t)n);
    else if (size == 2) for (int64_t i = 0; i < n; i++) memcpy(to + 2 * i, value, 2);
    else if (size == 4) for (int64_t i = 0; i < n; i++) memcpy(to + 4 * i, value, 4);
    else for (int64_t i = 0; i < n; i++) memcpy(to + 8 * i, value, 8);
}

static void put(const struct state *t, const struct instruction *in, char *spare) {
    const struct memory *m = t->sweep->memory + in->x;
    char *to = address(t, m, &t->now);
    int64_t across = m->stride[t->sweep->dims - 1], down = m->stride[t->sweep->dims - 2], n = t->now.columns;
    const char *values = t->value[in->a];
    int64_t size = bytes_of(in->type);
    if (t->extent[in->a] == ONE) { /* one value for all */
        fill(spare, values, size, n * t->now.rows);
        values = spare;
    }
    if (t->now.rows == 1 || down == n * across) {
        n *= t->now.rows;
        if (m->past && values != spare) {
            if (in->type != (int)m->type) store((int)m->type, in->type, spare, across, values, n), values = spare;
            write_past_cache(to, values, n * across);
        } else {
            store((int)m->type, in->type, to, across, values, n);
        }
        return;
    }
    for (int64_t r = 0; r < t->now.rows; r++)
        store((int)m->type, in->type, to + r * down, across, values + r * n * size, n);
}

/* A sum of an earlier program, for the elements of a block, or for its rows. */
static const void *recall(const struct state *t, const struct instruction *in, char *buffer) {
    const struct known *known = t->known + in->x * STRIPS + t->now.strip;
    const void *values = in->type == F32 ? (const void *)known->narrow : known->wide;
    if (in->extent != MANY || t->now.rows == 1 || !rows_reduced(t->sweep)) return values;
    const int64_t row = t->now.columns * bytes_of(in->type); /* all rows have the same sums of columns */
    for (int64_t r = 0; r < t->now.rows; r++) memcpy(buffer + r * row, values, (size_t)row);
    return buffer;
}

static void find_extreme(struct state *t, const struct instruction *in) {
    const char *a = t->value[in->a];
    int64_t n = t->now.columns, rows = t->now.rows, step = t->apart[in->a] * bytes_of(in->type);
    const int smallest = in->op == OP_smallest;
    if (last_reduced(t->sweep)) {
        for (int64_t r = 0; r < rows; r++) {
            double *total = t->row_total[in->x] + t->now.strip + (rows_reduced(t->sweep) ? 0 : r);
            *total = extreme(row_extreme(in->type, a + r * step, n, smallest), *total, smallest);
        }
    } else {
        struct columns *columns = t->columns_of[in->x] + t->now.strip;
        if (!rows_reduced(t->sweep)) n *= rows, rows = 1;
        for (int64_t r = 0; r < rows; r++) extreme_row(columns, in->type, a + r * step, n, smallest);
    }
}

static void add_up(struct state *t, const struct instruction *in) {
    static const enum form forms[OPS] = {
        [OP_sum] = PLAIN, [OP_dot] = PRODUCT, [OP_centred_dot] = CENTRED, [OP_squares] = SQUARE,
    };
    int64_t n = t->now.columns, rows = t->now.rows;
    struct terms terms = {.form = forms[in->op], .type = in->type, .a = t->value[in->a], .apart_a = t->apart[in->a]};
    if (in->b >= 0) terms.b = t->value[in->b], terms.apart_b = t->apart[in->b];
    if (in->c >= 0) terms.c = t->value[in->c];
    if (!last_reduced(t->sweep)) {
        if (!rows_reduced(t->sweep)) n *= rows, rows = 1;
        add_rows(t->columns_of[in->x] + t->now.strip, &terms, n, rows);
        return;
    }
    double *total = t->row_total[in->x] + t->now.strip;
    if (rows_reduced(t->sweep)) { /* rows of a register, one after the other, are a long row */
        if (terms.apart_a == n && (!terms.b || terms.apart_b == n)) n *= rows, rows = 1;
        *total += sum_rows(&terms, n, rows);
        return;
    }
    for (int64_t r = 0; r < rows; r++) {
        total[r] += sum_rows(&terms, n, 1);
        terms.a += terms.apart_a * bytes_of(in->type);
        if (terms.b) terms.b += terms.apart_b * bytes_of(in->type);
        if (terms.c && t->extent[in->c] == ROWS) terms.c++;
    }
}

/* The number of a row for all of its elements. */
static void spread(const struct state *t, const struct instruction *in, char *to) {
    const char *from = t->value[in->a];
    const int64_t n = t->now.columns, size = bytes_of(in->type);
    for (int64_t r = 0; r < t->now.rows; r++) fill(to + r * n * size, from + r * size, size, n);
}

/* Single elements of the block that are changed. */
static void change(const struct state *t, const struct instruction *in) {
    const struct update *u = t->sweep->updates + in->x;
    float *values = (float *)(uintptr_t)t->value[in->a];
    const int64_t last = t->sweep->dims - 1, n = t->now.columns;
    for (int64_t r = 0; r < t->now.rows; r++) {
        int64_t row = u->row_dim < 0 ? 0 : t->now.place[u->row_dim] + (u->row_dim == last - 1 ? r : 0);
        int64_t low = 0, high = u->count;
        while (low < high) {
            int64_t middle = (low + high) / 2;
            if (u->row[middle] < row) low = middle + 1;
            else high = middle;
        }
        for (; low < u->count && u->row[low] == row; low++) {
            int64_t column = u->column[low] - t->now.place[last];
            if (column >= 0 && column < n)
                values[r * n + column] += u->subtract ? -u->by[low] : u->by[low];
        }
    }
}

/* The operands of an operation, and what each of them has. */
struct operands { char *to; const char *a, *b, *c; int of_a, of_b, of_c; };

static void operate(const struct instruction *in, const struct operands *o, int64_t n) {
    const int a = o->of_a, b = o->of_b;
    if (in->op == OP_select) select_values(in->type, (const uint8_t *)o->a, o->b, o->c, o->to, n, a, b, o->of_c);
    else if (in->type < REGISTER_TYPES) operations[in->op][in->type](o->to, o->a, o->b, n, a, b);
    else narrow_operations[in->op][in->type - F16](in->narrow ? NARROW : MANY, o->to, o->a, a, o->b, b, n);
}

static int64_t size_of_result(const struct instruction *in) {
    if (in->op >= OP_isnan && in->op <= OP_not_equal) return 1; /* a mask */
    return in->type < REGISTER_TYPES ? bytes_of(in->type) : in->narrow ? 2 : 4;
}

/* How far it is from the elements for one row to those for the next. A row has one of ROWS. */
static int64_t step_of(int *extent, int type, int64_t columns) {
    const int64_t size = *extent == NARROW ? 2 : type < REGISTER_TYPES ? bytes_of(type) : 4;
    if (*extent == ONE) return 0;
    if (*extent != ROWS) return columns * size;
    *extent = ONE;
    return size;
}

/* An operation on a block, some of whose operands have a number for each row: row by row. */
static void operate_on_rows(const struct state *t, const struct instruction *in, struct operands o) {
    const int64_t n = t->now.columns, to = n * size_of_result(in);
    const int64_t a = step_of(&o.of_a, in->op == OP_select ? MASK : in->type, n);
    const int64_t b = step_of(&o.of_b, in->type, n), c = step_of(&o.of_c, in->type, n);
    for (int64_t r = 0; r < t->now.rows; r++) {
        operate(in, &o, n);
        o.to += to, o.a += a, o.b += b, o.c += c;
    }
}

static void compute(const struct state *t, const struct instruction *in, char *to, int64_t n) {
    const int32_t b = in->b < 0 ? in->a : in->b, c = in->c < 0 ? in->a : in->c; /* (who has fewer operands ignores these) */
    struct operands o = {to, t->value[in->a], t->value[b], t->value[c], t->extent[in->a], t->extent[b], t->extent[c]};
    if (in->extent == ONE) { /* as a block of one element */
        o.of_a = o.of_b = o.of_c = MANY;
    } else if (in->extent == ROWS) { /* as a block of a few */
        o.of_a = o.of_a != ONE, o.of_b = o.of_b != ONE, o.of_c = o.of_c != ONE;
    } else if (o.of_a == ROWS || o.of_b == ROWS || o.of_c == ROWS) {
        operate_on_rows(t, in, o);
        return;
    }
    operate(in, &o, n);
}

/* Where the result of an instruction goes. */
static char *target(const struct state *t, const struct instruction *in) {
    return in->aim < 0 ? t->registers + in->to * REGISTER : address(t, t->sweep->memory + in->aim, &t->now);
}

static void set_constant(const struct instruction *in, char *to) {
    if (in->type == F32) *(float *)to = (float)in->number;
    else if (in->type == F64) *(double *)to = in->number;
    else if (in->type == I32) *(int32_t *)to = (int32_t)in->whole;
    else if (in->type == I64) *(int64_t *)to = in->whole;
    else *(uint8_t *)to = (uint8_t)in->whole;
}

void run_block(struct state *t, const struct program *program) {
    const int64_t of_extent[] = {[ONE] = 1, [MANY] = t->now.rows * t->now.columns, [ROWS] = t->now.rows};
    if (t->asks) t->wants = t->next = t->lines = 0; /* what is left comes too late */
    for (const struct instruction *in = program->instructions, *end = in + program->count; in < end; in++) {
        if (in->extent == MANY) { /* (also in a program after the one that asks) */
            if (t->next < t->wants) ask_for_some(t);
            t->steps--;
        }
        switch (in->op) {
        case OP_sum: case OP_dot: case OP_centred_dot: case OP_squares: add_up(t, in); continue;
        case OP_largest: case OP_smallest: find_extreme(t, in); continue;
        case OP_update: change(t, in); continue;
        case OP_store: put(t, in, t->registers + (t->sweep->registers - 1) * REGISTER); continue;
        }
        char *to = target(t, in);
        const void *result = to;
        const int64_t n = of_extent[in->extent];
        t->apart[in->to] = t->now.columns;
        switch (in->op) {
        case OP_constant: set_constant(in, to); break;
        case OP_load: result = fetch(t, in, to); break;
        case OP_known: result = recall(t, in, to); break;
        case OP_convert: convert(in->type, in->x, t->value[in->a], to, n); break;
        case OP_spread: spread(t, in, to); break;
        case OP_round: round_floats(in->x, t->value[in->a], (float *)to, n); break;
        default: compute(t, in, to, n);
        }
        t->value[in->to] = result;
        t->extent[in->to] = (unsigned char)(in->narrow ? NARROW : in->extent);
    }
}
