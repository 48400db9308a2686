/* Tensors, scalars, arrays and lists that a C program creates and destroys, without Python.
 *
 * Most calls of a program create or destroy descriptors. Such a call only copies its arguments, so it is served here if
 * it is sure to succeed. Every other call goes through Python: a bad pointer, a dead handle, a negative stride, a call
 * inside a call. So no error status, no text and no finding is made in C.
 *
 * - Python and C share one sequence of handles: the place of a descriptor in the table follows from its number. Python
 *   asks for a number with `aclnn_next_number`.
 * - Python makes an object for a descriptor when Python first looks it up (`aclnn_describe`). From then on the object
 *   counts, and the descriptor is SEEN: its end is reported to Python with the next call that enters Python.
 * - A `line` is the return address of a call of the program. Where Python frames may lie below the call, as with a
 *   plugin of PyTorch, or where callers were asked for, a `line` has the top bit and the number of a trail
 *   (`aclnn_new_trail`).
 * - The latest calls are in a ring, from which Python makes the records of `machine.calls`.
 *
 * aclnn/tools/toolkit/native_objects.py is the Python side. It opens the table for one machine at a time, and arms it
 * while this machine is the current one. One lock protects the table. The lock is never held while Python runs. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "bridge.h"

enum { SPACING = 64, CHUNK = 1024, CHUNKS = 1 << 16, HISTORY = 10000, RING = 1 << 14 };
enum { MOST_DIMS = 32, SCALAR_TYPES = 64 };

struct chunk {
    struct descriptor all[CHUNK];
    unsigned left; /* descriptors that live or are still to come */
    uint64_t deaths; /* deaths in the whole table when the last descriptor of this chunk died */
    struct chunk *next;
    uint32_t place;
};
struct call { uint32_t function, thread; uint64_t result, words[RECORDED]; };
struct end { uint64_t number, line, owner; };

EXPORTED int aclnn_armed;                         /* 1 while descriptors are served */
EXPORTED int aclnn_python_below = 1;
EXPORTED uint64_t aclnn_served;                   /* the number of calls that were served in this process */
EXPORTED struct call aclnn_calls[RING];           /* the latest served calls */
EXPORTED uint8_t aclnn_scalar_bytes[SCALAR_TYPES]; /* bytes of a scalar by data type; 0: not served */
EXPORTED uint64_t (*aclnn_new_trail)(void);       /* filled by Python */

static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;
static struct chunk *chunks[CHUNKS], *dead_chunks, **last_dead = &dead_chunks;
static uint64_t first, taken, deaths;
static uint32_t ordinals[KINDS];
static struct end *ends; /* ends of descriptors that have an object in Python */
static size_t ends_room;
EXPORTED size_t aclnn_ends; /* number of entries in `ends` */
static unsigned generation = 1; /* counts the machines */
static __thread unsigned met;   /* the latest generation in which this thread called Python */
static __thread uint32_t thread;

HIDDEN void aclnn_hold_descriptors(void) { pthread_mutex_lock(&table); }
HIDDEN void aclnn_release_descriptors(void) { pthread_mutex_unlock(&table); }
HIDDEN void aclnn_descriptors_of_child(void) { aclnn_armed = 0, thread = 0; }

/* This thread calls Python, so the machine knows the thread. Calls of an unknown thread are not served. */
HIDDEN void aclnn_meet_thread(void) { met = __atomic_load_n(&generation, __ATOMIC_ACQUIRE); }

/* ---- the table; the lock is held ---- */

static int in_table(uint64_t place) { return place < (uint64_t)CHUNKS * CHUNK && chunks[place / CHUNK]; }

HIDDEN struct descriptor *aclnn_find(uint64_t number)
{
    uint64_t place = (number - first) / SPACING;
    int ours = first && number >= first && (number - first) % SPACING == 0 && place < taken && in_table(place);
    return ours ? &chunks[place / CHUNK]->all[place % CHUNK] : NULL;
}

static struct descriptor *find_live(uint64_t number, int kind)
{
    struct descriptor *one = aclnn_find(number);
    return one && one->kind == kind && (one->state == LIVE || one->state == SEEN) ? one : NULL;
}

static void free_chunk(struct chunk *chunk)
{
    for (int i = 0; i < CHUNK; i++)
        free(chunk->all[i].content);
    chunks[chunk->place] = NULL;
    free(chunk);
}

/* Count a descriptor that died. A dead chunk is freed after HISTORY more deaths, as reports name dead objects. */
static void count_death(uint64_t place)
{
    struct chunk *chunk = chunks[place / CHUNK];
    deaths++;
    if (--chunk->left == 0) {
        chunk->deaths = deaths, chunk->next = NULL;
        *last_dead = chunk, last_dead = &chunk->next;
    }
}

static void free_old_chunks(void)
{
    while (dead_chunks && deaths - dead_chunks->deaths > HISTORY) {
        struct chunk *old = dead_chunks;
        if (!(dead_chunks = old->next))
            last_dead = &dead_chunks;
        free_chunk(old);
    }
}

/* The next place. `in_table` is 0 for this place if the table is full or there is no memory. */
static uint64_t take_place(void)
{
    uint64_t chunk = taken / CHUNK;
    if (taken % CHUNK == 0 && chunk < CHUNKS) {
        free_old_chunks();
        if ((chunks[chunk] = calloc(1, sizeof **chunks)))
            chunks[chunk]->left = CHUNK, chunks[chunk]->place = (uint32_t)chunk;
    }
    return taken++;
}

static void end(struct descriptor *one, uint64_t number, uint64_t line, uint64_t owner)
{
    if (one->state == SEEN)
        ends[aclnn_ends++] = (struct end){number, line, owner}; /* `room_for_ends` has been called */
    one->state = DEAD, one->ended = line, one->owner = owner;
    count_death((number - first) / SPACING);
}

static int room_for_ends(size_t more)
{
    if (aclnn_ends + more <= ends_room)
        return 1;
    size_t room = 2 * (aclnn_ends + more);
    struct end *moved = realloc(ends, room * sizeof *ends);
    if (moved)
        ends = moved, ends_room = room;
    return moved != NULL;
}

HIDDEN uint32_t aclnn_thread_id(void)
{
    if (!thread)
        thread = (uint32_t)syscall(SYS_gettid);
    return thread;
}

HIDDEN void aclnn_record(int function, uint64_t result, const uint64_t *words, int count)
{
    struct call *call = &aclnn_calls[aclnn_served % RING];
    call->function = (uint32_t)function, call->thread = aclnn_thread_id(), call->result = result;
    memcpy(call->words, words, (size_t)count * sizeof *words);
    __atomic_store_n(&aclnn_served, aclnn_served + 1, __ATOMIC_RELEASE);
}

/* ---- calls of the program ---- */

HIDDEN int aclnn_serves(void)
{
    return aclnn_attached && __atomic_load_n(&aclnn_armed, __ATOMIC_ACQUIRE) && !aclnn_from.at[0] &&
           met == __atomic_load_n(&generation, __ATOMIC_ACQUIRE);
}

/* Lines of calls with Python frames below, by their keys. A key has addresses of code objects, which live as long as the
 * key is kept. The interpreter lock protects this table. */
enum { LINE_SLOTS = 1024, MOST_LINES = 4096 };
struct known_line {
    struct known_line *next;
    uint64_t line;
    int used;
    uintptr_t key[];
};
static struct known_line *known_lines[LINE_SLOTS];
static int lines;

static struct known_line **place_of_line(const uintptr_t *key, int used)
{
    uint64_t hash = (uint64_t)used;
    for (int i = 0; i < used; i++)
        hash = aclnn_mixed(hash, key[i]);
    struct known_line **place = &known_lines[hash % LINE_SLOTS];
    while (*place && ((*place)->used != used || memcmp((*place)->key, key, (size_t)used * sizeof *key) != 0))
        place = &(*place)->next;
    return place;
}

static void drop_lines(void)
{
    for (int slot = 0; slot < LINE_SLOTS; slot++)
        while (known_lines[slot]) {
            struct known_line *old = known_lines[slot];
            known_lines[slot] = old->next;
            aclnn_keep_codes(old->key, old->used, 0);
            free(old);
        }
    lines = 0;
}

static void keep_line(const uintptr_t *key, int used, uint64_t line)
{
    if (lines >= MOST_LINES)
        drop_lines();
    struct known_line **place = place_of_line(key, used), *new = *place;
    if (new || !(new = malloc(sizeof *new + (size_t)used * sizeof *key)))
        return;
    new->next = NULL, new->line = line, new->used = used;
    memcpy(new->key, key, (size_t)used * sizeof *key);
    aclnn_keep_codes(key, used, 1);
    *place = new, lines++;
}

/* The line of the running call, which Python finds at the first call with its key. */
static uint64_t line_in_python(void)
{
    uintptr_t key[LONGEST_KEY];
    int state = aclnn_take_python(), used = aclnn_key_of_call(key);
    const struct known_line *known = used ? *place_of_line(key, used) : NULL;
    uint64_t line = known ? known->line : aclnn_new_trail();
    if (!known && used && line)
        keep_line(key, used, line);
    aclnn_leave_python(state);
    return line;
}

HIDDEN uint64_t aclnn_line_at(const struct place *at)
{
    if (!__atomic_load_n(&aclnn_python_below, __ATOMIC_RELAXED) && !at->at[1])
        return (uint64_t)at->at[0];
    __atomic_add_fetch(&aclnn_running, 1, __ATOMIC_SEQ_CST); /* as `slot_of` of the stubs */
    uint64_t line = 0;
    if (!__atomic_load_n(&aclnn_over, __ATOMIC_SEQ_CST)) {
        aclnn_from = *at;
        line = line_in_python();
        aclnn_from = (struct place){{NULL}};
    }
    __atomic_sub_fetch(&aclnn_running, 1, __ATOMIC_SEQ_CST);
    return line;
}

struct part { uint64_t from, size; };
static char *copies(const struct part *parts, int count, uint32_t *size)
{
    uint64_t all = 0;
    for (int i = 0; i < count; i++) {
        if (parts[i].size > MOST_BYTES || !aclnn_readable(parts[i].from, parts[i].size))
            return NULL;
        all += parts[i].size;
    }
    char *copy = malloc(all + 1), *to = copy;
    for (int i = 0; copy && i < count; to += parts[i++].size)
        if (parts[i].size)
            memcpy(to, (const void *)parts[i].from, parts[i].size);
    *size = (uint32_t)all;
    return copy;
}

static int describe_tensor(const uint64_t *w, struct descriptor *one)
{
    uint64_t dims = w[1], storage_dims = w[7];
    int64_t offset = (int64_t)w[4];
    if (dims > MOST_DIMS || storage_dims > MOST_DIMS || offset < 0 || (dims && (!w[0] || !w[3])) ||
        (storage_dims && !w[6]))
        return 0;
    one->dims = (uint32_t)dims, one->storage_dims = (uint32_t)storage_dims;
    one->dtype = (int32_t)w[2], one->offset = offset, one->format = (int32_t)w[5], one->address = w[8];
    one->content = copies((struct part[]){{w[0], 8 * dims}, {w[3], 8 * dims}, {w[6], 8 * storage_dims}}, 3, &one->size);
    const int64_t *strides = (const int64_t *)one->content + dims;
    for (uint64_t i = 0; one->content && i < dims; i++)
        if (strides[i] < 0)
            return 0;
    return one->content != NULL;
}

static int describe_scalar(const uint64_t *w, struct descriptor *one)
{
    int32_t dtype = (int32_t)w[1];
    uint64_t size = dtype >= 0 && dtype < SCALAR_TYPES ? aclnn_scalar_bytes[dtype] : 0;
    if (!size || !w[0])
        return 0;
    one->dtype = dtype;
    one->content = copies(&(struct part){w[0], size}, 1, &one->size);
    return one->content != NULL;
}

static int describe_elements(const uint64_t *w, struct descriptor *one)
{
    static const uint8_t bytes[KINDS] = {[INT_ARRAY] = 8, [FLOAT_ARRAY] = 4, [BOOL_ARRAY] = 1,
                                         [TENSOR_LIST] = 8, [SCALAR_LIST] = 8};
    uint64_t count = w[0] ? w[1] : 0;
    if (count > MOST_BYTES)
        return 0;
    one->content = copies(&(struct part){w[0], count * bytes[one->kind]}, 1, &one->size);
    return one->content != NULL;
}

HIDDEN uint64_t aclnn_add(const struct descriptor *one)
{
    uint64_t place = take_place();
    if (!in_table(place))
        return 0;
    struct descriptor *added = &chunks[place / CHUNK]->all[place % CHUNK];
    *added = *one, added->ordinal = ++ordinals[one->kind];
    return first + place * SPACING;
}

HIDDEN int aclnn_create(int kind, int function, const uint64_t *words, int count, const struct place *at, uint64_t *handle)
{
    if (!aclnn_serves())
        return 0;
    struct descriptor one = {.kind = (uint8_t)kind, .state = LIVE};
    int good = kind == TENSOR ? describe_tensor(words, &one)
             : kind == SCALAR ? describe_scalar(words, &one) : describe_elements(words, &one);
    int done = 0;
    if (good && (one.made = aclnn_line_at(at))) {
        pthread_mutex_lock(&table);
        uint64_t made = aclnn_armed && met == generation ? aclnn_add(&one) : 0;
        if ((done = made != 0)) {
            *handle = made;
            aclnn_record(function, made, words, count);
        }
        pthread_mutex_unlock(&table);
    }
    if (!done)
        free(one.content);
    return done;
}

/* 1 if all members of a list are alive and have its kind. */
static int whole(const struct descriptor *list)
{
    const uint64_t *members = (const uint64_t *)list->content;
    for (size_t i = 0; i < list->size / sizeof *members; i++)
        if (members[i] && !find_live(members[i], list->kind - TENSOR_LIST + TENSOR))
            return 0;
    return 1;
}

static int destroy(int kind, uint64_t number, uint64_t line)
{
    struct descriptor *one = find_live(number, kind);
    int is_list = kind >= TENSOR_LIST;
    if (!one || (is_list && !whole(one)))
        return 0;
    size_t members = is_list ? one->size / sizeof number : 0;
    if (!room_for_ends(members + 1))
        return 0;
    end(one, number, line, 0);
    for (size_t i = 0; i < members; i++) {
        uint64_t member = ((const uint64_t *)one->content)[i];
        struct descriptor *of_list = member ? aclnn_find(member) : NULL;
        if (of_list && of_list->state != DEAD) /* a list may have a member twice */
            end(of_list, member, line, number);
    }
    return 1;
}

HIDDEN int aclnn_destroy(int kind, int function, const uint64_t *words, const struct place *at)
{
    uint64_t line;
    if (!aclnn_serves() || !(line = aclnn_line_at(at)))
        return 0;
    pthread_mutex_lock(&table);
    int done = aclnn_armed && met == generation && (!words[0] || destroy(kind, words[0], line));
    if (done)
        aclnn_record(function, 0, words, 1);
    pthread_mutex_unlock(&table);
    return done;
}

/* ---- calls of Python, which holds the interpreter lock ---- */

/* Open an empty table for a machine: `number` is its first handle. */
EXPORTED void aclnn_open_table(uint64_t number)
{
    pthread_mutex_lock(&table);
    aclnn_armed = 0;
    for (uint64_t place = 0; place < taken; place += CHUNK)
        if (in_table(place))
            free_chunk(chunks[place / CHUNK]);
    first = number, taken = deaths = 0, dead_chunks = NULL, last_dead = &dead_chunks, aclnn_ends = 0;
    memset(ordinals, 0, sizeof ordinals);
    aclnn_drop_plans();
    __atomic_add_fetch(&generation, 1, __ATOMIC_ACQ_REL);
    pthread_mutex_unlock(&table);
}

EXPORTED void aclnn_arm(int on)
{
    pthread_mutex_lock(&table);
    __atomic_store_n(&aclnn_armed, on, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&table);
}

/* A number for an object of Python. */
EXPORTED uint64_t aclnn_next_number(void)
{
    pthread_mutex_lock(&table);
    uint64_t place = take_place();
    if (in_table(place))
        count_death(place);
    pthread_mutex_unlock(&table);
    return first + place * SPACING;
}

EXPORTED uint32_t aclnn_next_ordinal(int kind)
{
    pthread_mutex_lock(&table);
    uint32_t ordinal = ++ordinals[kind];
    pthread_mutex_unlock(&table);
    return ordinal;
}

/* The handle after the last one. */
EXPORTED uint64_t aclnn_end_of_numbers(void)
{
    pthread_mutex_lock(&table);
    uint64_t number = first + taken * SPACING;
    pthread_mutex_unlock(&table);
    return number;
}

static void forget(struct descriptor *one, uint64_t number)
{
    free(one->content);
    one->state = NONE, one->content = NULL;
    count_death((number - first) / SPACING);
}

/* The fields of a descriptor before `content`, then the content; empty if C has no such descriptor. Python calls this to
 * make the object of the descriptor. C forgets an executor, which Python then keeps alone. */
EXPORTED void *aclnn_describe(uint64_t number)
{
    enum { HEAD = offsetof(struct descriptor, content), ROOM = HEAD + 3 * MOST_BYTES };
    char copy[ROOM];
    uintptr_t size = 0;
    pthread_mutex_lock(&table);
    struct descriptor *one = aclnn_find(number);
    if (one && one->state != NONE) {
        memcpy(copy, one, HEAD);
        memcpy(copy + HEAD, one->content, one->size);
        size = HEAD + one->size;
        if (one->kind == EXECUTOR)
            forget(one, number);
        else if (one->state == LIVE)
            one->state = SEEN;
    }
    pthread_mutex_unlock(&table);
    return aclnn_new_bytes(copy, size);
}

/* Python has destroyed the object of a descriptor, and keeps its history. */
EXPORTED void aclnn_forget(uint64_t number)
{
    pthread_mutex_lock(&table);
    struct descriptor *one = aclnn_find(number);
    if (one && one->state == SEEN)
        forget(one, number);
    pthread_mutex_unlock(&table);
}

/* The ends, since the last call of this function, of descriptors that have an object in Python. */
EXPORTED void *aclnn_take_ends(void)
{
    pthread_mutex_lock(&table);
    struct end *all = ends;
    size_t size = aclnn_ends * sizeof *ends;
    ends = NULL, aclnn_ends = ends_room = 0;
    pthread_mutex_unlock(&table);
    void *bytes = aclnn_new_bytes(all ? (const void *)all : "", size);
    free(all);
    return bytes;
}

/* The first handle from `number` on whose descriptor lives and has no object in Python; 0 if there is none. `kind`: of
 * which kind; 0: of any kind. */
EXPORTED uint64_t aclnn_next_unseen(uint64_t number, int kind)
{
    uint64_t next = 0;
    pthread_mutex_lock(&table);
    for (uint64_t place = number > first ? (number - first) / SPACING : 0; place < taken && !next; place++)
        if (in_table(place)) {
            const struct descriptor *one = &chunks[place / CHUNK]->all[place % CHUNK];
            next = one->state == LIVE && (!kind || one->kind == kind) ? first + place * SPACING : 0;
        }
    pthread_mutex_unlock(&table);
    return next;
}
