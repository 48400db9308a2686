/* The stable order of the elements along a dimension.
 *
 * A tensor is dense, with three dimensions: `outer`, the sorted dimension, and `inner`. A lane has the elements at one
 * index of outer and one of inner. They become unsigned keys in the same order: both zeros have the same key, and NaN
 * the largest key. A descending order has inverted keys, so equal elements keep their order. Keys are sorted digit by
 * digit. If only the first few elements of a lane are needed, the others are not sorted. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

enum { DIGIT = 256, DIGITS = 4 };  /* values of a digit, and digits of a key */
enum { SHORT = 32 };               /* the most items that are sorted by insertion */
enum { FEW = 64 };                 /* the most selected items that are always in order */
enum { CHUNK = 512, GROUP = 32 };  /* keys computed at a time; keys compared with a limit at a time */
enum { JOB = 1 << 12 };            /* elements of a job */
enum { KEPT = 1 << 22 };           /* bytes of memory that a thread reuses for its next lane */

struct item { uint32_t key, place; };

/* The key of an element x: an unsigned number with the same order. U has the bits of the element. `top` is the sign
 * bit. The other bits of a NaN are above `infinity`. */
#define FLOAT_KEY(U, top, infinity) { \
        const U sign = (U)(top), value = (U)(x & (U)(sign - 1)), bits = (U)(value ? x : 0); \
        key = value > (infinity) ? (U)-1 : bits & sign ? (U)~bits : (U)(bits | sign); }
#define SIGNED_KEY(U, top) key = (U)(x ^ (U)(top));
#define UNSIGNED_KEY key = x;

/* Keys of n elements, `step` bytes apart. Only the 32 bits of the key above `shift` are stored. */
#define KEYS(name, U, make) \
    static void name(const char *from, int64_t step, int64_t n, uint32_t inverted, int shift, uint32_t *keys) { \
        const U *dense = (const U *)from; \
        if (step == sizeof(U)) EACH(n) { const U x = dense[i]; U key; make keys[i] = (uint32_t)(key >> shift) ^ inverted; } \
        else EACH(n) { const U x = *(const U *)(from + i * step); U key; make keys[i] = (uint32_t)(key >> shift) ^ inverted; } \
    }
KEYS(keys_f32, uint32_t, FLOAT_KEY(uint32_t, 0x80000000u, 0x7f800000u))
KEYS(keys_f64, uint64_t, FLOAT_KEY(uint64_t, 1ull << 63, 0x7ffull << 52))
KEYS(keys_f16, uint16_t, FLOAT_KEY(uint16_t, 0x8000, 0x7c00))
KEYS(keys_bf16, uint16_t, FLOAT_KEY(uint16_t, 0x8000, 0x7f80))
KEYS(keys_i8, uint8_t, SIGNED_KEY(uint8_t, 0x80))
KEYS(keys_i16, uint16_t, SIGNED_KEY(uint16_t, 0x8000))
KEYS(keys_i32, uint32_t, SIGNED_KEY(uint32_t, 0x80000000u))
KEYS(keys_i64, uint64_t, SIGNED_KEY(uint64_t, 1ull << 63))
KEYS(keys_u8, uint8_t, UNSIGNED_KEY)
KEYS(keys_u16, uint16_t, UNSIGNED_KEY)
KEYS(keys_u32, uint32_t, UNSIGNED_KEY)

static const struct { void (*keys)(const char *, int64_t, int64_t, uint32_t, int, uint32_t *); int size; } kinds[TYPES] = {
    [F32] = {keys_f32, 4}, [F64] = {keys_f64, 8}, [F16] = {keys_f16, 2}, [BF16] = {keys_bf16, 2}, [MASK] = {keys_u8, 1},
    [I8] = {keys_i8, 1}, [I16] = {keys_i16, 2}, [I32] = {keys_i32, 4}, [I64] = {keys_i64, 8}, [U8] = {keys_u8, 1},
    [U16] = {keys_u16, 2}, [U32] = {keys_u32, 4},
};

/* Insert an item into n sorted items, behind equal ones. */
static void insert(struct item *items, int64_t n, struct item new) {
    for (; n && items[n - 1].key > new.key; n--) items[n] = items[n - 1];
    items[n] = new;
}

/* Sort items by radix, with `other` as memory of the same size. Returns the memory with the result: `items` or `other`.
 * */
static struct item *sort(struct item *items, struct item *other, int64_t n, int digits) {
    if (n <= SHORT) {
        for (int64_t i = 1; i < n; i++) insert(items, i, items[i]);
        return items;
    }
    uint32_t count[DIGITS][DIGIT];
    memset(count, 0, (size_t)digits * sizeof *count);
    for (int64_t i = 0; i < n; i++)
        for (int d = 0; d < digits; d++) count[d][items[i].key >> 8 * d & 255]++;
    for (int d = 0; d < digits; d++) {
        uint32_t *next = count[d], sum = 0;
        if (next[items->key >> 8 * d & 255] == n) continue; /* all items have this digit */
        for (int i = 0; i < DIGIT; i++) { const uint32_t some = next[i]; next[i] = sum; sum += some; }
        for (int64_t i = 0; i < n; i++) other[next[items[i].key >> 8 * d & 255]++] = items[i];
        struct item *swap = items;
        items = other, other = swap;
    }
    return items;
}

struct lane { const struct order *o; const char *from; int64_t step; int digits; struct item *items, *other; };

static void keys_of(const struct lane *l, int64_t start, int64_t n, int shift, uint32_t *keys) {
    kinds[l->o->type].keys(l->from + start * l->step, l->step, n, l->o->descending ? ~0u : 0, shift, keys);
}

/* All items in order. Keys of 64 bits are sorted by their low bits first. */
static struct item *sort_lane(struct lane *l, int64_t n) {
    uint32_t keys[CHUNK];
    for (int64_t start = 0; start < n; start += CHUNK) {
        const int64_t some = min_of(CHUNK, n - start);
        keys_of(l, start, some, 0, keys);
        EACH(some) l->items[start + i] = (struct item){keys[i], (uint32_t)(start + i)};
    }
    struct item *items = sort(l->items, l->other, n, l->digits);
    if (kinds[l->o->type].size < 8) return items;
    for (int64_t i = 0; i < n; i++) keys_of(l, items[i].place, 1, 32, &items[i].key);
    return sort(items, items == l->items ? l->other : l->items, n, DIGITS);
}

/* The first `first` items. If `first` is small, each new item is inserted in order. Otherwise items below a limit are
 * collected, and sorted whenever the `room` is full. Of equal items the last ones are left out. */
static struct item *select_items(struct lane *l, int64_t n, int64_t room) {
    const int64_t first = l->o->first;
    const int few = first <= FEW;
    uint32_t keys[CHUNK], limit = ~0u;
    int64_t count = 0;
    struct item *items = l->items;
    for (int64_t start = 0; start < n; start += CHUNK) {
        const int64_t some = min_of(CHUNK, n - start);
        keys_of(l, start, some, 0, keys);
        for (int64_t i = some; i % GROUP; i++) keys[i] = ~0u;
        for (int64_t group = 0; group < some; group += GROUP) {
            uint32_t any = 0;
            for (int i = 0; i < GROUP; i++) any |= keys[group + i] < limit;
            if (!any && count >= first) continue;
            for (int64_t i = group; i < min_of(group + GROUP, some); i++) {
                if (count >= first && keys[i] >= limit) continue;
                const struct item new = {keys[i], (uint32_t)(start + i)};
                if (few) {
                    if (count == first) count--;
                    insert(items, count++, new);
                } else {
                    items[count++] = new;
                    if (count < room) continue;
                    items = sort(items, items == l->items ? l->other : l->items, count, l->digits);
                    count = first;
                }
                if (count == first) limit = items[first - 1].key;
            }
        }
    }
    return few ? items : sort(items, items == l->items ? l->other : l->items, count, l->digits);
}

struct lanes { const struct order *o; int64_t in_job; int failed; };

static int order_lane(const struct order *o, int64_t number) {
    const int64_t outer = number / o->inner, inner = number % o->inner, n = o->count;
    const int size = kinds[o->type].size, selects = size < 8 && o->first * 16 <= n;
    const int64_t room = selects ? 2 * o->first + SHORT : n, bytes = 2 * room * (int64_t)sizeof(struct item);
    char *own = bytes > KEPT ? malloc((size_t)bytes) : 0, *memory = own ? own : scratch(bytes);
    if (!memory) return 1;
    struct lane lane = {
        .o = o, .from = (const char *)o->from + (outer * n * o->inner + inner) * size, .step = o->inner * size,
        .digits = size < DIGITS ? size : DIGITS, .items = (struct item *)memory, .other = (struct item *)memory + room,
    };
    const struct item *items = selects ? select_items(&lane, n, room) : sort_lane(&lane, n);
    int64_t *to = o->places + outer * o->first * o->inner + inner;
    for (int64_t i = 0; i < o->first; i++) to[i * o->inner] = items[i].place;
    free(own);
    return 0;
}

static void order_lanes(void *about, int64_t job) {
    struct lanes *lanes = about;
    const int64_t end = min_of(lanes->o->outer * lanes->o->inner, (job + 1) * lanes->in_job);
    for (int64_t number = job * lanes->in_job; number < end; number++)
        if (order_lane(lanes->o, number)) __atomic_store_n(&lanes->failed, 1, __ATOMIC_RELAXED);
}

int evaluator_order(const struct order *o) {
    const int64_t count = o->outer * o->inner, elements = count * o->count;
    struct lanes lanes = {.o = o, .in_job = o->count < JOB ? JOB / o->count : 1};
    each_job((count + lanes.in_job - 1) / lanes.in_job, elements < o->min_parallel ? 1 : o->threads, order_lanes, &lanes);
    return lanes.failed;
}
