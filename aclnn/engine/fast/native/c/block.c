/* The instructions of a program, run over one block. */
#include "state.h"

#include <string.h>

static char *address(const struct state *t, const struct memory *m, const struct block *block) {
    const int64_t last = t->sweep->dims - 1; /* (there are two dimensions at least) */
    char *p = m->base + block->start[last] * m->stride[last] + block->start[last - 1] * m->stride[last - 1];
    for (int64_t d = last - 2; d >= 0; d--) p += block->start[d] * m->stride[d];
    return p;
}

/* Plan to prefetch the next block of a tensor while this one is computed: all rows, or only the first one if they are
 * not contiguous. */
static void plan_prefetch(struct state *t, const struct memory *m, const char *current) {
    const char *from = address(t, m, &t->next_block);
    int64_t across = m->stride[t->sweep->dims - 1], down = m->stride[t->sweep->dims - 2];
    int64_t bytes = t->next_block.columns * across;
    if (from == current || across <= 0 || across > 8 || t->prefetches == MAX_PREFETCHES) return;
    if (down == bytes) bytes *= t->next_block.rows;
    const int64_t lines = (bytes + 63) / 64;
    t->prefetch[t->prefetches++] = (struct prefetch){from, lines};
    t->lines_left += lines;
}

/* Prefetch some of the remaining cache lines. A core that prefetches many lines at a time stalls, so the lines are
 * distributed over the remaining steps. They go to the second-level cache: the first level is small and slow at many
 * prefetches. */
static void prefetch_some(struct state *t) {
    int64_t lines = t->lines_left / (t->steps_left > 0 ? t->steps_left : 1) + 1;
    while (t->next_prefetch < t->prefetches && lines) {
        struct prefetch *p = t->prefetch + t->next_prefetch;
        const int64_t count = min_of(lines, p->lines);
        for (int64_t i = 0; i < count; i++) __builtin_prefetch(p->address + 64 * i, 0, 2);
        p->address += 64 * count, p->lines -= count, t->lines_left -= count, lines -= count;
        t->next_prefetch += !p->lines;
    }
}

/* The elements of a tensor in the block. Rows that are not contiguous are packed one after the other, unless they are
 * read in place. Then the distance of two rows is 0 if all rows are the same one. */
static const void *load_block(struct state *t, const struct instruction *in, char *buffer) {
    const struct memory *m = t->sweep->memory + in->immediate;
    const char *from = address(t, m, &t->block);
    int64_t across = m->stride[t->sweep->dims - 1], down = m->stride[t->sweep->dims - 2], n = t->block.columns;
    const int64_t size = bytes_of(in->type);
    if (in->extent == ONE) return load((int)m->type, in->type, from, 0, 1, buffer);
    if (in->extent == ROWS) return load((int)m->type, in->type, from, down, t->block.rows, buffer);
    if (t->has_next) plan_prefetch(t, m, from);
    if (t->block.rows == 1) return load((int)m->type, in->type, from, across, n, buffer);
    if (down == n * across) return load((int)m->type, in->type, from, across, n * t->block.rows, buffer);
    const int may_be_summed = last_reduced(t->sweep) ? n % UNIFORM == 0 : rows_reduced(t->sweep);
    const int in_place = in->in_place == BY_OPERATIONS || (in->in_place == BY_SUMS && may_be_summed);
    if (in_place && (int)m->type == in->type && across == size) {
        t->row_stride[in->to] = down / size;
        return from;
    }
    for (int64_t r = 0; r < t->block.rows; r++) {
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

/* Store a register to a tensor. `spare` is a free register. */
static void store_block(const struct state *t, const struct instruction *in, char *spare) {
    const struct memory *m = t->sweep->memory + in->immediate;
    char *to = address(t, m, &t->block);
    int64_t across = m->stride[t->sweep->dims - 1], down = m->stride[t->sweep->dims - 2], n = t->block.columns;
    const char *values = t->values[in->a];
    int64_t size = bytes_of(in->type);
    if (in->extent != MANY) { /* a tensor with one number for each row or unit */
        store((int)m->type, in->type, to, down, values, in->extent == ROWS ? t->block.rows : 1);
        return;
    }
    if (t->extent[in->a] == ONE) { /* one value for all elements */
        fill(spare, values, size, n * t->block.rows);
        values = spare;
    }
    if (t->block.rows == 1 || down == n * across) {
        n *= t->block.rows;
        if (m->streaming && values != spare) {
            if (in->type != (int)m->type) store((int)m->type, in->type, spare, across, values, n), values = spare;
            stream_bytes(to, values, n * across);
        } else {
            store((int)m->type, in->type, to, across, values, n);
        }
        return;
    }
    for (int64_t r = 0; r < t->block.rows; r++)
        store((int)m->type, in->type, to + r * down, across, values + r * n * size, n);
}

/* A sum of an earlier program, with the extent of the instruction. */
static const void *recall_sum(const struct state *t, const struct instruction *in, char *buffer) {
    const struct finished_sum *sum = t->earlier_sums + in->immediate * STRIPS + t->block.strip;
    const void *values = in->type == F32 ? (const void *)sum->narrow : sum->wide;
    if (in->extent != MANY || t->block.rows == 1 || !rows_reduced(t->sweep)) return values;
    const int64_t row = t->block.columns * bytes_of(in->type); /* all rows have the same sums of columns */
    for (int64_t r = 0; r < t->block.rows; r++) memcpy(buffer + r * row, values, (size_t)row);
    return buffer;
}

/* Reduce a block to its largest or smallest elements. */
static void reduce_extreme(struct state *t, const struct instruction *in) {
    const char *a = t->values[in->a];
    int64_t n = t->block.columns, rows = t->block.rows, step = t->row_stride[in->a] * bytes_of(in->type);
    const int smallest = in->op == OP_smallest;
    if (last_reduced(t->sweep)) {
        for (int64_t r = 0; r < rows; r++) {
            double *total = t->row_sums[in->immediate] + t->block.strip + (rows_reduced(t->sweep) ? 0 : r);
            *total = extreme(row_extreme(in->type, a + r * step, n, smallest), *total, smallest);
        }
    } else {
        struct columns *columns = t->column_sums[in->immediate] + t->block.strip;
        if (!rows_reduced(t->sweep)) n *= rows, rows = 1;
        for (int64_t r = 0; r < rows; r++) extreme_row(columns, in->type, a + r * step, n, smallest);
    }
}

/* Add the terms of a block to a sum. */
static void reduce_sum(struct state *t, const struct instruction *in) {
    static const enum form forms[OPS] = {
        [OP_sum] = PLAIN, [OP_dot] = PRODUCT, [OP_centred_dot] = CENTRED, [OP_squares] = SQUARE,
    };
    int64_t n = t->block.columns, rows = t->block.rows;
    struct terms terms = {.form = forms[in->op], .type = in->type};
    terms.a = t->values[in->a], terms.stride_a = t->row_stride[in->a];
    if (in->b >= 0) terms.b = t->values[in->b], terms.stride_b = t->row_stride[in->b];
    if (in->c >= 0) terms.c = t->values[in->c];
    if (!last_reduced(t->sweep)) {
        if (!rows_reduced(t->sweep)) n *= rows, rows = 1;
        add_rows(t->column_sums[in->immediate] + t->block.strip, &terms, n, rows);
        return;
    }
    double *total = t->row_sums[in->immediate] + t->block.strip;
    if (rows_reduced(t->sweep)) { /* contiguous rows of a register are one long row */
        if (terms.stride_a == n && (!terms.b || terms.stride_b == n)) n *= rows, rows = 1;
        *total += sum_rows(&terms, n, rows);
        return;
    }
    for (int64_t r = 0; r < rows; r++) {
        total[r] += sum_rows(&terms, n, 1);
        terms.a += terms.stride_a * bytes_of(in->type);
        if (terms.b) terms.b += terms.stride_b * bytes_of(in->type);
        if (terms.c && t->extent[in->c] == ROWS) terms.c++;
    }
}

/* Copy the number of each row to all elements of the row. */
static void spread_rows(const struct state *t, const struct instruction *in, char *to) {
    const char *from = t->values[in->a];
    const int64_t n = t->block.columns, size = bytes_of(in->type);
    for (int64_t r = 0; r < t->block.rows; r++) fill(to + r * n * size, from + r * size, size, n);
}

/* Apply an update to the elements of the block. */
static void apply_update(const struct state *t, const struct instruction *in) {
    const struct update *u = t->sweep->updates + in->immediate;
    float *values = (float *)(uintptr_t)t->values[in->a];
    const int64_t last = t->sweep->dims - 1, n = t->block.columns;
    for (int64_t r = 0; r < t->block.rows; r++) {
        int64_t row = u->row_dim < 0 ? 0 : t->block.start[u->row_dim] + (u->row_dim == last - 1 ? r : 0);
        int64_t low = 0, high = u->count;
        while (low < high) {
            int64_t middle = (low + high) / 2;
            if (u->row[middle] < row) low = middle + 1;
            else high = middle;
        }
        for (; low < u->count && u->row[low] == row; low++) {
            int64_t column = u->column[low] - t->block.start[last];
            if (column >= 0 && column < n)
                values[r * n + column] += u->subtract ? -u->delta[low] : u->delta[low];
        }
    }
}

/* The operands of an operation, with the extent of each. */
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

/* The bytes from one row of a register to the next. With the extent ROWS a register has one number for each row, which
 * is ONE number for the loop over a row. */
static int64_t row_step(int *extent, int type, int64_t row_stride) {
    const int64_t size = *extent == NARROW ? 2 : type < REGISTER_TYPES ? bytes_of(type) : 4;
    if (*extent == ONE) return 0;
    if (*extent != ROWS) return row_stride * size;
    *extent = ONE;
    return size;
}

/* 1 if an operation with this operand is computed row by row: the operand has one number for each row, or is read in
 * place and its rows are not contiguous. */
static int by_rows(const struct state *t, int32_t a) {
    return t->extent[a] == ROWS || (t->row_stride[a] != t->block.columns && t->block.rows > 1);
}

static void compute(const struct state *t, const struct instruction *in, char *to, int64_t n) {
    /* an operation with fewer operands ignores b and c */
    const int32_t a = in->a, b = in->b < 0 ? a : in->b, c = in->c < 0 ? a : in->c;
    struct operands o = {to, t->values[a], t->values[b], t->values[c], t->extent[a], t->extent[b], t->extent[c]};
    if (in->extent == ONE) { /* computed as a block of one element */
        o.of_a = o.of_b = o.of_c = MANY;
    } else if (in->extent == ROWS) { /* computed as a block with an element for each row */
        o.of_a = o.of_a != ONE, o.of_b = o.of_b != ONE, o.of_c = o.of_c != ONE;
    } else if (by_rows(t, a) || by_rows(t, b) || by_rows(t, c)) {
        const int64_t across = t->block.columns, step = across * size_of_result(in);
        const int64_t step_a = row_step(&o.of_a, in->op == OP_select ? MASK : in->type, t->row_stride[a]);
        const int64_t step_b = row_step(&o.of_b, in->type, t->row_stride[b]);
        const int64_t step_c = row_step(&o.of_c, in->type, t->row_stride[c]);
        for (int64_t r = 0; r < t->block.rows; r++) {
            operate(in, &o, across);
            o.to += step, o.a += step_a, o.b += step_b, o.c += step_c;
        }
        return;
    }
    operate(in, &o, n);
}

/* The address for the result of an instruction. */
static char *result_address(const struct state *t, const struct instruction *in) {
    return in->direct < 0 ? t->registers + in->to * REGISTER : address(t, t->sweep->memory + in->direct, &t->block);
}

static void set_constant(const struct instruction *in, char *to) {
    if (in->type == F32) *(float *)to = (float)in->number;
    else if (in->type == F64) *(double *)to = in->number;
    else if (in->type == I32) *(int32_t *)to = (int32_t)in->integer;
    else if (in->type == I64) *(int64_t *)to = in->integer;
    else *(uint8_t *)to = (uint8_t)in->integer;
}

void run_block(struct state *t, const struct program *program) {
    const int64_t elements[] = {[ONE] = 1, [MANY] = t->block.rows * t->block.columns, [ROWS] = t->block.rows};
    if (t->has_next) t->prefetches = t->next_prefetch = t->lines_left = 0; /* too late for the lines that are left */
    for (const struct instruction *in = program->instructions, *end = in + program->count; in < end; in++) {
        if (in->extent == MANY) { /* the prefetch may be planned by an earlier program */
            if (t->next_prefetch < t->prefetches) prefetch_some(t);
            t->steps_left--;
        }
        switch (in->op) {
        case OP_sum: case OP_dot: case OP_centred_dot: case OP_squares: reduce_sum(t, in); continue;
        case OP_largest: case OP_smallest: reduce_extreme(t, in); continue;
        case OP_update: apply_update(t, in); continue;
        case OP_store: store_block(t, in, t->registers + (t->sweep->registers - 1) * REGISTER); continue;
        }
        char *to = result_address(t, in);
        const void *result = to;
        const int64_t n = elements[in->extent];
        t->row_stride[in->to] = t->block.columns;
        switch (in->op) {
        case OP_constant: set_constant(in, to); break;
        case OP_load: result = load_block(t, in, to); break;
        case OP_recall: result = recall_sum(t, in, to); break;
        case OP_convert: convert(in->type, in->immediate, t->values[in->a], to, n); break;
        case OP_spread: spread_rows(t, in, to); break;
        case OP_round: round_floats(in->immediate, t->values[in->a], (float *)to, n); break;
        default: compute(t, in, to, n);
        }
        t->values[in->to] = result;
        t->extent[in->to] = (unsigned char)(in->narrow ? NARROW : in->extent);
    }
}
