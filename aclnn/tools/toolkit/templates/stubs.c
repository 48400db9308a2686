#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#define EXPORTED __attribute__((visibility("default")))
#define SHARED static __attribute__((noinline))
extern EXPORTED void *aclnn_table[];
extern EXPORTED const int aclnn_count;
extern EXPORTED const char *const aclnn_prototypes[];
extern EXPORTED int aclnn_over, aclnn_running;
extern __thread int aclnn_attached;
extern __thread const void *aclnn_from;
void aclnn_attach(void);
void aclnn_meet_thread(void);
void *aclnn_resolve(int);
int aclnn_create(int, int, const uint64_t *, int, const void *, uint64_t *);
int aclnn_destroy(int, int, const uint64_t *, const void *);
/* The callback of a function in the table. The first call of a thread attaches the thread; the first call of a function
 * makes its callback. Null if there is no callback, or if the interpreter of the process ends. The running calls are
 * counted before `aclnn_over` is read, so that `aclnn_end` sees every call that still enters the interpreter. */
SHARED void *slot_of(int number)
{
    __atomic_add_fetch(&aclnn_running, 1, __ATOMIC_SEQ_CST);
    if (__builtin_expect(__atomic_load_n(&aclnn_over, __ATOMIC_SEQ_CST), 0))
        return 0;
    if (__builtin_expect(!aclnn_attached, 0))
        aclnn_attach();
    aclnn_meet_thread();
    void *slot = __atomic_load_n(&aclnn_table[number], __ATOMIC_ACQUIRE);
    return __builtin_expect(!slot, 0) ? aclnn_resolve(number) : slot;
}
#define LEAVE __atomic_sub_fetch(&aclnn_running, 1, __ATOMIC_SEQ_CST)
