#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#define EXPORTED __attribute__((visibility("default")))
#define SHARED __attribute__((visibility("hidden")))
#ifndef CALLS
/* The place of a call; with its callers if those of this level are asked for. */
#define PLACE(level) \
    struct place at = {{__builtin_return_address(0)}}; \
    if (__builtin_expect(aclnn_callers >= level, 0)) \
        aclnn_walk(&at);
#endif
extern EXPORTED void *aclnn_table[];
extern EXPORTED const int aclnn_count;
extern EXPORTED const char *const aclnn_prototypes[];
extern EXPORTED int aclnn_over, aclnn_running;
extern __thread int aclnn_attached, aclnn_ctrl_c;
enum { FRAMES = 4 };
struct place { const void *at[FRAMES]; };
extern __thread struct place aclnn_from;
extern int aclnn_callers;
void aclnn_walk(struct place *);
void aclnn_attach(void);
void aclnn_meet_thread(void);
void *aclnn_resolve(int);
void aclnn_interrupt(void);
int aclnn_create(int, int, const uint64_t *, int, const struct place *, uint64_t *);
int aclnn_destroy(int, int, const uint64_t *, const struct place *);
int aclnn_destroy_event(uint64_t, const struct place *);
int aclnn_first_phase(int, const uint64_t *, int, const struct place *);
void aclnn_first_phase_over(void);
#ifdef CALLS
/* The callback of a function in the table. The first call of a thread attaches the thread; the first call of a function
 * makes its callback. Null if there is no callback, or if the interpreter of the process ends. The running calls are
 * counted before `aclnn_over` is read, so that `aclnn_end` sees every call that still enters the interpreter. */
static __attribute__((noinline)) void *slot_of(int number)
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
static inline uint64_t float_bits(float number) { union { float number; uint32_t bits; } both = {number}; return both.bits; }
static inline uint64_t double_bits(double number) { union { double number; uint64_t bits; } both = {number}; return both.bits; }
#define LEAVE __atomic_sub_fetch(&aclnn_running, 1, __ATOMIC_SEQ_CST)
/* The result of a call that Ctrl-C has interrupted. The program gets the interrupt behind the call. */
#define INTERRUPTED(failed) if (__builtin_expect(aclnn_ctrl_c, 0)) { aclnn_interrupt(); failed; }
#endif
