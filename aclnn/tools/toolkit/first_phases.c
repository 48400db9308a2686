/* First phases that a C program repeats, without Python.
 *
 * A program launches one operator on tensors of one shape again and again. Python checks and plans the first such call.
 * Its plan depends on the contents of its descriptors and on its other arguments, and on nothing else, so Python gives
 * the plan a number and lets C keep it under a key of them (`aclnn_learn`). A later call with an equal key gets an
 * executor here: a descriptor with the number of the plan and the arguments of the call. Python makes its object when
 * the launch looks it up.
 *
 * - A call is served only if it is sure to succeed: its descriptors live and have no object in Python that may differ,
 *   its thread planned a call with success before, and its two results can be written. Every other call goes through
 *   Python.
 * - A plan also depends on the context of the thread and on a few settings. Python calls `aclnn_conditions_changed` when
 *   one of them changes: all plans are dropped, and each thread has to plan a call in Python before it is served again.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "bridge.h"

/* ---- the contents of the arguments of a call ---- */

/* the key, the values of scalars, the addresses of tensors, the scalars and lists */
enum { KEY, VALUES, ADDRESSES, COPIES, PARTS };
enum { CONTENTS = 1 << 15, MOST_COPIES = 2 * MOST_BYTES, MOST_TENSORS = 1024 };
struct contents {
    int good;
    uint32_t tensors, sizes[PARTS];
    char parts[PARTS][CONTENTS];
    uint64_t numbers[MOST_TENSORS];
};
static struct contents all; /* of the call that a thread looks at while it holds the lock of the table */

static void begin(void) { all.good = 1, all.tensors = 0, memset(all.sizes, 0, sizeof all.sizes); }

static void append(int part, const void *from, size_t size)
{
    if (all.sizes[part] + size > (part == COPIES ? MOST_COPIES : CONTENTS))
        all.good = 0;
    if (!all.good)
        return;
    memcpy(all.parts[part] + all.sizes[part], from, size);
    all.sizes[part] += (uint32_t)size;
}

/* Python may change the description of a tensor that has an object there. So only a LIVE tensor counts. */
static void append_tensor(uint64_t number, const struct descriptor *one)
{
    uint32_t same = 0;
    while (same < all.tensors && all.numbers[same] != number)
        same++;
    all.good &= one->state == LIVE && all.tensors < MOST_TENSORS;
    if (!all.good)
        return;
    all.numbers[all.tensors++] = number;
    int64_t head[] = {one->dims, one->storage_dims, one->dtype, one->format, one->offset, same};
    append(KEY, head, sizeof head);
    append(KEY, one->content, one->size);
    append(ADDRESSES, &one->address, sizeof one->address);
}

/* A launch needs scalars and the members of lists, also if they are destroyed before it. The table may have dropped them
 * by then, so an executor keeps them: number, kind, data type, ordinal, size and content. */
static void append_copy(uint64_t number, const struct descriptor *one)
{
    struct { uint64_t number; uint32_t kind, dtype, ordinal, size; } head = {
        number, one->kind, (uint32_t)one->dtype, one->ordinal, one->size};
    append(COPIES, &head, sizeof head);
    append(COPIES, one->content, one->size);
}

static void append_one(uint64_t number, int in_list)
{
    const struct descriptor *one = number ? aclnn_find(number) : NULL;
    uint32_t head[] = {one ? one->kind : 0, one ? one->size : 0, one && one->kind == SCALAR ? (uint32_t)one->dtype : 0};
    int is_list = one && (one->kind == TENSOR_LIST || one->kind == SCALAR_LIST);
    all.good &= one ? one->state == LIVE || one->state == SEEN : !number && !in_list;
    all.good &= !(in_list && is_list) && !(one && one->kind == EXECUTOR);
    append(KEY, head, sizeof head);
    if (!one || !all.good)
        return;
    if (one->kind == SCALAR || is_list)
        append_copy(number, one);
    if (one->kind == TENSOR)
        append_tensor(number, one);
    else if (one->kind == SCALAR)
        append(VALUES, one->content, one->size);
    else if (!is_list)
        append(KEY, one->content, one->size);
    for (size_t i = 0; is_list && i < one->size / sizeof number; i++)
        append_one(((const uint64_t *)one->content)[i], 1);
}

static int look_at(const char *numbers, uintptr_t size)
{
    begin();
    for (uintptr_t at = 0; at < size; at += sizeof(uint64_t)) {
        uint64_t number;
        memcpy(&number, numbers + at, sizeof number);
        append_one(number, 0);
    }
    return all.good;
}

/* Some parts of the contents of descriptors, after the sizes of all of them. */
static void *contents(const char *numbers, uintptr_t size, const int *parts, int count)
{
    char copy[PARTS * (sizeof(uint64_t) + CONTENTS)];
    uintptr_t whole = 0;
    aclnn_hold_descriptors();
    if (look_at(numbers, size)) {
        whole = (uintptr_t)count * sizeof(uint64_t);
        for (int i = 0; i < count; i++) {
            uint64_t of_part = all.sizes[parts[i]];
            memcpy(copy + (size_t)i * sizeof of_part, &of_part, sizeof of_part);
            memcpy(copy + whole, all.parts[parts[i]], of_part);
            whole += of_part;
        }
    }
    aclnn_release_descriptors();
    return aclnn_new_bytes(copy, whole);
}

/* The key, the values, and the scalars and lists of descriptors. Empty if a descriptor is dead, or if a tensor has an
 * object in Python. Two calls with equal keys and values have equal plans. */
EXPORTED void *aclnn_contents(const char *numbers, uintptr_t size)
{
    return contents(numbers, size, (const int[]){KEY, VALUES, COPIES}, 3);
}

/* The values and the addresses of descriptors, for a launch; empty as those of `aclnn_contents`. */
EXPORTED void *aclnn_launched(const char *numbers, uintptr_t size)
{
    return contents(numbers, size, (const int[]){VALUES, ADDRESSES}, 2);
}

/* ---- plans ---- */

enum { SLOTS = 1024, MOST_PLANS = 1000 };
struct plan {
    struct plan *next;
    uint64_t hash, workspace;
    uint32_t number, size; /* of the key */
    char key[];
};
struct form { int handles; uint8_t places[RECORDED]; }; /* of a function: the places of its handles among its words */

extern const int aclnn_count;
static struct plan *plans[SLOTS];
static int kept;
static struct form **forms; /* by function; NULL: calls of the function are not served */
static uint64_t conditions = 1; /* counts the changes of conditions */
static __thread uint64_t ready; /* `conditions` when this thread last planned a call with success */
static __thread uint64_t latest; /* the executor of the latest call of this thread that was served */
static __thread struct { const uint64_t *words; int function, count; } asked; /* the call that Python plans now */

enum { RESULTS = 2 }; /* the last two arguments: workspaceSize and executor */

HIDDEN void aclnn_drop_plans(void)
{
    for (int slot = 0; slot < SLOTS; slot++)
        for (struct plan *next, *plan = plans[slot]; plan; plan = next)
            next = plan->next, free(plan);
    memset(plans, 0, sizeof plans), kept = 0;
    __atomic_add_fetch(&conditions, 1, __ATOMIC_ACQ_REL);
}

static uint64_t hash_of_key(void)
{
    uint64_t hash = all.sizes[KEY], word;
    char *end = all.parts[KEY] + all.sizes[KEY];
    memset(end, 0, sizeof word); /* behind a key there is room for a word */
    for (const char *at = all.parts[KEY]; at < end; at += sizeof word) {
        memcpy(&word, at, sizeof word);
        hash = aclnn_mixed(hash, word);
    }
    return hash;
}

static struct plan **place_of_key(uint64_t hash)
{
    struct plan **place = &plans[hash % SLOTS];
    while (*place && ((*place)->hash != hash || (*place)->size != all.sizes[KEY] ||
                      memcmp((*place)->key, all.parts[KEY], all.sizes[KEY]) != 0))
        place = &(*place)->next;
    return place;
}

/* Make the key of a call without the values of its scalars; 0 if a descriptor is not as it should be. */
static int make_key(int function, const struct form *form, const uint64_t *words, int count)
{
    int handle = 0;
    begin();
    append(KEY, &function, sizeof function);
    for (int place = 0; place < count - RESULTS; place++)
        if (handle < form->handles && form->places[handle] == place)
            append_one(words[place], 0), handle++;
        else
            append(KEY, &words[place], sizeof *words);
    return all.good && all.sizes[KEY] + all.sizes[VALUES] + sizeof(uint64_t) <= CONTENTS;
}

/* Python may have found that a plan depends on the values of scalars. Its key has them at the end. */
static void add_values(void) { append(KEY, all.parts[VALUES], all.sizes[VALUES]); }

static const struct plan *find_plan(int function, const struct form *form, const uint64_t *words, int count)
{
    if (!make_key(function, form, words, count))
        return NULL;
    struct plan *plan = *place_of_key(hash_of_key());
    if (!plan && all.sizes[VALUES])
        add_values(), plan = *place_of_key(hash_of_key());
    return plan;
}

/* 1 if a variable of the program can be written, which a signal would tell otherwise: the kernel writes the signal mask
 * into it. `before`: its value until then. */
static int can_store(uint64_t at, uint64_t *before)
{
    if (!aclnn_readable(at, sizeof *before))
        return 0;
    memcpy(before, (const void *)at, sizeof *before);
    return syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, at, sizeof *before) == 0;
}

static char *content_of(const struct form *form, const uint64_t *words, int count, struct descriptor *one)
{
    size_t handles = (size_t)form->handles * sizeof *words, arguments = (size_t)(count - RESULTS) * sizeof *words;
    one->offset = (int64_t)(handles + arguments), one->size = (uint32_t)one->offset + all.sizes[COPIES];
    char *content = malloc(one->size + 1);
    if (!content)
        return NULL;
    for (int i = 0; i < form->handles; i++)
        memcpy(content + (size_t)i * sizeof *words, &words[form->places[i]], sizeof *words);
    memcpy(content + handles, words, arguments);
    memcpy(content + handles + arguments, all.parts[COPIES], all.sizes[COPIES]);
    return content;
}

/* 1 if the first phase is done. */
static int repeat(int function, const uint64_t *words, int count, const struct place *at)
{
    uint64_t now = __atomic_load_n(&conditions, __ATOMIC_ACQUIRE);
    if (ready != now || count >= RECORDED || !aclnn_serves())
        return 0;
    struct descriptor one = {.kind = EXECUTOR, .state = LIVE, .dims = (uint32_t)function};
    uint64_t workspace = 0, executor = 0, recorded[RECORDED];
    aclnn_hold_descriptors();
    const struct form *form = forms ? forms[function] : NULL;
    const struct plan *plan = form && now == conditions ? find_plan(function, form, words, count) : NULL;
    if (plan) {
        one.dtype = (int32_t)plan->number, workspace = plan->workspace;
        one.storage_dims = (uint32_t)form->handles, one.format = (int32_t)aclnn_thread_id();
        one.content = content_of(form, words, count, &one);
    }
    aclnn_release_descriptors();
    if (!one.content)
        return 0;
    one.made = aclnn_line_at(at);
    uint64_t size_at = words[count - 2], executor_at = words[count - 1], before[RESULTS];
    int has_size = one.made && can_store(size_at, &before[0]);
    int has_both = has_size && can_store(executor_at, &before[1]);
    if (has_both) {
        memcpy(recorded, words, (size_t)count * sizeof *words), recorded[count] = workspace;
        aclnn_hold_descriptors();
        if (aclnn_serves() && now == conditions && (executor = aclnn_add(&one)))
            aclnn_record(function, executor, recorded, count + 1);
        aclnn_release_descriptors();
    }
    if (executor) {
        memcpy((void *)size_at, &workspace, sizeof workspace);
        memcpy((void *)executor_at, &executor, sizeof executor);
        latest = executor;
        return 1;
    }
    if (has_both)
        memcpy((void *)executor_at, &before[1], sizeof before[1]);
    if (has_size)
        memcpy((void *)size_at, &before[0], sizeof before[0]);
    free(one.content);
    return 0;
}

HIDDEN int aclnn_first_phase(int function, const uint64_t *words, int count, const struct place *at)
{
    int done = repeat(function, words, count, at);
    asked.words = done ? NULL : words, asked.function = function, asked.count = count;
    return done;
}

HIDDEN void aclnn_first_phase_over(void) { asked.words = NULL; }

/* ---- calls of Python, which holds the interpreter lock ---- */

EXPORTED void aclnn_conditions_changed(void)
{
    aclnn_hold_descriptors();
    aclnn_drop_plans();
    aclnn_release_descriptors();
}

/* The function whose first phase this thread has asked Python for; -1: none. */
EXPORTED int aclnn_asked(void) { return asked.words ? asked.function : -1; }

/* The executor of the latest call of this thread that was served; 0: none. */
EXPORTED uint64_t aclnn_latest_executor(void) { return latest; }

static void keep(uint32_t number, uint64_t workspace)
{
    uint64_t hash = hash_of_key();
    struct plan **place = place_of_key(hash), *plan = *place;
    if (!plan && (plan = malloc(sizeof *plan + all.sizes[KEY]))) {
        plan->next = NULL, plan->hash = hash, plan->size = all.sizes[KEY];
        memcpy(plan->key, all.parts[KEY], all.sizes[KEY]);
        *place = plan, kept++;
    }
    if (plan)
        plan->number = number, plan->workspace = workspace;
}

static const struct form *form_of(int function, const uint8_t *places, int handles)
{
    if (!forms)
        forms = calloc((size_t)aclnn_count, sizeof *forms);
    if (forms && !forms[function] && (forms[function] = malloc(sizeof **forms))) {
        forms[function]->handles = handles;
        memcpy(forms[function]->places, places, (size_t)handles);
    }
    return forms ? forms[function] : NULL;
}

/* Keep the plan of the call that this thread asked Python for. `by_value`: it depends on the values of the scalars.
 * `places`: the places of the handles among the arguments; `numbers`: these handles. */
EXPORTED void aclnn_learn(uint32_t plan, uint64_t workspace, int by_value, const char *places, const char *numbers,
                          int handles)
{
    int mine = asked.words && asked.count < RECORDED && handles <= asked.count - RESULTS;
    for (int i = 0; mine && i < handles; i++)
        mine = memcmp(&asked.words[(uint8_t)places[i]], numbers + 8 * i, 8) == 0;
    if (!mine)
        return;
    aclnn_hold_descriptors();
    if (kept >= MOST_PLANS)
        aclnn_drop_plans();
    const struct form *form = form_of(asked.function, (const uint8_t *)places, handles);
    if (form && make_key(asked.function, form, asked.words, asked.count)) {
        if (by_value)
            add_values();
        keep(plan, workspace);
        ready = conditions;
    }
    aclnn_release_descriptors();
    asked.words = NULL;
}
