"""Mutations of the evaluator: its plans, and its sources in C."""

from __future__ import annotations

from typing import Final

from tests.mutations.mutation import mutations

FAST: Final = "tests/aclnn/engine/fast"
TERMS: Final = f"{FAST}/native/test_terms.py {FAST}/native/test_graphs.py {FAST}/native/test_rows.py"
INSTRUCTIONS: Final = f"{FAST}/native/test_instructions.py"
C: Final = "aclnn/engine/fast/native/c"

MUTATIONS: Final = (
    *mutations(__file__, "aclnn/engine/fast/eager_inputs.py", f"{FAST}/test_eager_inputs.py", {
        "eager inputs are computed once": ("            result[...] = new", "            pass"),
    }),
    *mutations(__file__, "aclnn/engine/fast/conversions.py", f"{FAST}/test_conversions.py", {
        "an output with gaps is written as a dense one": (" and out.flags.c_contiguous and", " and"),
        "a source with gaps is read as a dense one": ("dense: Array = np.ascontiguousarray(array)", "dense: Array = array"),
    }),
    *mutations(__file__, "aclnn/engine/fast/evaluate.py", f"{FAST}/native/test_instructions.py {FAST}/native/test_graphs.py tests/aclnn/engine/test_fast.py", {
        "memory that is read is written before the sums": (" and not any(target.shared for target in stored)", ""),
        "a cast to another type is left out": ("while isinstance(node, Cast) and node.to == dtype and", "while isinstance(node, Cast) and"),
    }),
    *mutations(__file__, f"{C}/sums.c", TERMS, {
        "the last element of a row is not added": ("first_terms(form, type, a, b, c, at, end - at);", "first_terms(form, type, a, b, c, at, end - at - 1);"),
        "a run beyond the largest float32 stays infinite": ("if (!isfinite(sum)) sum = wide_sum(t, n, start, stop);", ""),
        "a run in float64 begins with the row": ("start = stop, added = 0;", "added = 0;"),
        "the last columns never go to float64": ("beyond |= !isfinite(next[i]);", ""),
        "NaN is no extreme": ("((smallest ? x < y : x > y) | (x != x)) ? x : y;", "(smallest ? x < y : x > y) ? x : y;"),
        "a centred product is a product": ("return form == CENTRED ? a * (b - c)", "return form == CENTRED ? a * b"),
    }),
    *mutations(__file__, f"{C}/positions.c", f"{FAST}/native/test_positions.py", {
        "the place behind the last one is inside of a row": ("return at >= 0 && at < p->length ? at : -1;", "return at >= 0 && at <= p->length ? at : -1;"),
        "a negative position counts from the end without asking": ("if (at < 0 && p->negative) at += p->length;", "if (at < 0) at += p->length;"),
        "a negative position of an element counts from the end without asking": ("wrap = p->negative ? p->length : 0,", "wrap = p->length,"),
        "the place behind the last one is inside": ("(uint64_t)at < (uint64_t)length", "(uint64_t)at <= (uint64_t)length"),
        "a position out of range leaves the row": ("else memset(to + i * ts, 0, bytes);", ""),
    }),
    *mutations(__file__, f"{C}/running.c", f"{FAST}/native/test_running.py", {
        "NaN is not as good as an extreme": ("(from[at] or_equal so_far[i]) | nan;", "from[at] or_equal so_far[i];"),
        "a sum of negative zeros is positive": ("RUNNING(sum_f32, float, double, -0.0, SUM)", "RUNNING(sum_f32, float, double, 0.0, SUM)"),
        "the last rows are left out": ("if (rows > whole) sum_rows_at_once", "if (rows > whole + 8) sum_rows_at_once"),
        "the place of the first of equal elements counts": ("THREE(largest, x[i * ls], EXTREME(>, >=))", "THREE(largest, x[i * ls], EXTREME(>, >))"),
    }),
    *mutations(__file__, f"{C}/order.c", f"{FAST}/native/test_order.py", {
        "the two zeros are two keys": ("(U)(value ? x : 0); \\", "x; \\"),
        "NaN is ordered by its bits": ("key = value > (infinity) ? (U)-1 : bits & sign", "key = bits & sign"),
        "an item comes before equal ones": ("n && items[n - 1].key > new.key;", "n && items[n - 1].key >= new.key;"),
        "the last element of a group is not selected": ("i < min_of(group + GROUP, some); i++)", "i < min_of(group + GROUP, some) - 1; i++)"),
        "a key of 64 bits is sorted by its low bits alone": ("if (kinds[l->o->type].size < 8) return items;", "return items;"),
        "a later one of equal items is selected": ("count >= first && keys[i] >= limit", "count >= first && keys[i] > limit"),
    }),
    *mutations(__file__, f"{C}/triangle.c", f"{FAST}/native/test_triangles.py", {
        "a column before the first one is a column": ("t->left[row] < 0 ? 0 : min_of", "min_of"),
        "a column behind the last one is a column": ("min_of(t->left[row], t->count);", "t->left[row];"),
    }),
    *mutations(__file__, f"{C}/copy.c", f"{FAST}/native/test_copies.py", {
        "neighbours of the target are merged whatever the source is": (" && last->from == dim[d].from * dim[d].size;", ";"),
        "a block of four is not transposed": ("_MM_TRANSPOSE4_PS(a, b, c, d);", ""),
        "the last block has as many rows as the others": ("rows = min_of(TILE, cross->size - tile);", "rows = TILE;"),
        "the last piece of a row is left out": ("u.pieces = (last->size + u.piece - 1) / u.piece;", "u.pieces = last->size / u.piece + (last->size < u.piece);"),
    }),
    *mutations(__file__, f"{C}/positions.c", f"{FAST}/native/test_positions.py", {
        "the upper bound is in range": (">= (uint64_t)b->width; \\", "> (uint64_t)b->width; \\"),
    }),
    *mutations(__file__, f"{C}/segments.c", f"{FAST}/native/test_positions.py", {
        "the padding is added up": (" && at != s->padding ? at : -1;", " ? at : -1;"),
        "a mean is a sum": ("s->scale && count ? 1 / (float)count : 1;", "1;"),
        "the last index is left out": ("for (int64_t k = 0; k < count; k++) {", "for (int64_t k = 0; k + 1 < count || k < 1 && count; k++) {"),
    }),
    *mutations(__file__, f"{C}/special.c", INSTRUCTIONS, {
        "a negative whole exponent is positive": ("if (y < 0) EACH(count) product[i] = 1 / product[i];", ""),
        "an odd whole exponent is even": ("product[i] = y & 1 ? square[i] : 1;", "product[i] = 1;"),
    }),
    *mutations(__file__, f"{C}/elementwise.c", INSTRUCTIONS, {
        "NaN is not the larger one": ("BINARIES(maximum, (x > y) | (x != x) ? x : y)", "BINARIES(maximum, x > y ? x : y)"),
        "a shift by the width leaves bits": ("& -(T)((U)y < width)) \\", "& -(T)((U)y <= width)) \\"),
        "an unsigned byte has a sign": ("case U8: CONVERSION(T, int32_t, (uint8_t)x)", "case U8: CONVERSION(T, int32_t, (int8_t)x)"),
        "an infinity is finite": ("fabsf(x) < INFINITY,", "fabsf(x) <= INFINITY,"),
        "equal numbers are not greater or equal": ("COMPARISON(greater_equal, x >= y)", "COMPARISON(greater_equal, x > y)"),
    }),
    *mutations(__file__, f"{C}/block.c", f"{TERMS} tests/aclnn/engine/test_fast.py", {
        "the first column of a block is not changed": ("if (column >= 0 && column < n)", "if (column > 0 && column < n)"),
        "all rows of a block have one centre": ("if (terms.c && t->extent[in->c] == ROWS) terms.c++;", ""),
        "a change is in the first row of a block": ("(u->row_dim == last - 1 ? r : 0);", "0;"),
        "an extreme of rows is that of the first": ("*total = extreme(row_extreme(in->type, a + r * step,", "*total = extreme(row_extreme(in->type, a,"),
    }),
    *mutations(__file__, f"{C}/sweep.c", f"{TERMS} tests/aclnn/engine/test_fast.py", {
        "the last group of a sum is the sum": ("if (identity == 0) EACH(results) to[i] += from[i];", "if (identity == 0) EACH(results) to[i] = from[i];"),
        "the extreme of all groups is that of the wrong side": ("extreme(from[i], to[i], identity > 0)", "extreme(from[i], to[i], identity < 0)"),
        "a sum is recalled of its first element": ("if (count > 1) EACH(count) finished->wide[i]", "if (count > 2) EACH(count) finished->wide[i]"),
    }),
    *mutations(__file__, f"{C}/memory.c", f"{INSTRUCTIONS} {FAST}/native/test_graphs.py tests/aclnn/engine/test_fast.py", {
        "a mask has other bytes than 0 and 1": ("to[i] = *(const uint8_t *)(from + i * stride) != 0;", "to[i] = *(const uint8_t *)(from + i * stride);"),
        "float64 is rounded twice": ("return float_of(all + up - down);", "return near;"),
        "the end of a large result is not written": ("memcpy(to + at, from + at, (size_t)(bytes - at));", ""),
        "bfloat16 with gaps is read as a dense row": ("EACH(n) packed[i] = *(const uint16_t *)(from + i * stride);", "EACH(n) packed[i] = *(const uint16_t *)(from + i * 2);"),
    }),
)  # fmt: skip
