/* A memory handler for numpy (PyDataMem_Handler). numpy's own handler caches small freed blocks with their values, and
 * gives them to later arrays. This handler frees small blocks, and overwrites their values. Everything else is done by
 * numpy's default handler, to which `about` points. Both use malloc, so each can free the blocks of the other. */
#include <stdlib.h>
#include <string.h>

enum { KEPT = 1024 }; /* numpy caches blocks of fewer bytes */
struct handler {
    char name[127];
    unsigned char version;
    void *about;
    void *(*take)(void *about, size_t bytes);
    void *(*take_zeros)(void *about, size_t count, size_t bytes);
    void *(*resize)(void *about, void *block, size_t bytes);
    void (*give_back)(void *about, void *block, size_t bytes);
};

static void *take(void *about, size_t bytes) {
    const struct handler *numpys = about;
    return bytes < KEPT ? malloc(bytes) : numpys->take(numpys->about, bytes);
}

static void *take_zeros(void *about, size_t count, size_t bytes) {
    const struct handler *numpys = about;
    return numpys->take_zeros(numpys->about, count, bytes);
}

static void *resize(void *about, void *block, size_t bytes) {
    const struct handler *numpys = about;
    return numpys->resize(numpys->about, block, bytes);
}

static void give_back(void *about, void *block, size_t bytes) {
    const struct handler *numpys = about;
    if (bytes >= KEPT) {
        numpys->give_back(numpys->about, block, bytes);
    } else if (block) { /* numpy may pass NULL */
        memset(block, 0xFF, bytes); /* NaN in floats */
        __asm__ volatile("" : : "r"(block) : "memory"); /* else the compiler drops `memset` before `free` */
        free(block);
    }
}

/* The handler of tasks; NULL if `numpys` is not numpy's default handler, but one of the program. */
void *evaluator_handler(struct handler *numpys) {
    static struct handler of_tasks = {"tasks", 1, NULL, take, take_zeros, resize, give_back};
    of_tasks.about = numpys;
    return strcmp(numpys->name, "default_allocator") ? NULL : &of_tasks;
}
