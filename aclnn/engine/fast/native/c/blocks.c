/* A memory handler of numpy (PyDataMem_Handler). numpy keeps small blocks that arrays leave, values and all, and gives
 * them to the next array of their size. Blocks of this handler do not go there, and lose their values. All else is done
 * by numpy's default handler, to which `about` points. Its blocks are malloc's, so either can free a block. */
#include <stdlib.h>
#include <string.h>

enum { KEPT = 1024 }; /* numpy keeps blocks of fewer bytes */
struct handler {
    char name[127];
    unsigned char version;
    void *about;
    void *(*take)(void *about, size_t bytes);
    void *(*take_zeros)(void *about, size_t count, size_t bytes);
    void *(*resize)(void *about, void *block, size_t bytes);
    void (*give_back)(void *about, void *block, size_t bytes);
};

void *evaluator_take(const struct handler *numpys, size_t bytes) {
    return bytes < KEPT ? malloc(bytes) : numpys->take(numpys->about, bytes);
}

void evaluator_give_back(const struct handler *numpys, void *block, size_t bytes) {
    if (bytes >= KEPT) {
        numpys->give_back(numpys->about, block, bytes);
    } else {
        memset(block, 0xFF, bytes);                         /* NaN in floats */
        __asm__ volatile("" : : "r"(block) : "memory");     /* else the compiler leaves it out before `free` */
        free(block);
    }
}

void *evaluator_take_zeros(const struct handler *numpys, size_t count, size_t bytes) {
    return numpys->take_zeros(numpys->about, count, bytes);
}

void *evaluator_resize(const struct handler *numpys, void *block, size_t bytes) {
    return numpys->resize(numpys->about, block, bytes);
}
