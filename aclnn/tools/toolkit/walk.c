/* The callers of a call of the API: the return addresses of up to three functions of the program, the innermost first.
 * Also the callers of an instruction at which a signal interrupted the program, such as one of memcpy.
 *
 * The unwinder of libgcc reads the unwind tables of the program, which every compiler writes for C++, and most for C. It
 * takes 0.1 us for a frame. This file and the stubs have unwind tables themselves. The functions that the stubs share
 * have none, so neither an exception nor a walk goes from a callback through the frames of Python.
 *
 * Rejected. Frame pointers: faster, but programs with -O2 have none, and the walk then skips functions. backtrace(3):
 * slower, as it begins in its own frames. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>
#include <unwind.h>
#include "bridge.h"

enum { OURS = 2 }; /* our own frames: of `aclnn_walk` and of the stub */

EXPORTED int aclnn_callers = 1; /* 0: no callers; 1: of all calls but those for descriptors and plans; 2: of all calls */

static _Unwind_Reason_Code (*backtrace)(_Unwind_Trace_Fn, void *);
static uintptr_t (*address_of)(struct _Unwind_Context *);
static void *(*function_at)(void *);

__attribute__((constructor)) static void find_unwinder(void)
{
    void *library = dlopen("libgcc_s.so.1", RTLD_LAZY);
    void *symbols[] = {NULL, NULL, NULL};
    if (library) {
        symbols[0] = dlsym(library, "_Unwind_Backtrace");
        symbols[1] = dlsym(library, "_Unwind_GetIP");
        symbols[2] = dlsym(library, "_Unwind_FindEnclosingFunction");
    }
    memcpy(&backtrace, &symbols[0], sizeof backtrace);
    memcpy(&address_of, &symbols[1], sizeof address_of);
    memcpy(&function_at, &symbols[2], sizeof function_at);
}

struct walk { struct place *place; int frames; };

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *given)
{
    struct walk *walk = given;
    int frame = walk->frames++ - OURS;
    const void *at = (const void *)address_of(context);
    if (frame < 0)
        return _URC_NO_REASON;
    if (frame == 0)
        return at == walk->place->at[0] ? _URC_NO_REASON : _URC_END_OF_STACK;
    walk->place->at[frame] = at;
    return frame + 1 < FRAMES ? _URC_NO_REASON : _URC_END_OF_STACK;
}

HIDDEN void aclnn_walk(struct place *place)
{
    struct walk walk = {place, 0};
    if (backtrace && address_of)
        backtrace(visit, &walk);
}

struct interruption { const void *at, **frames; int known; };

static _Unwind_Reason_Code look(struct _Unwind_Context *context, void *given)
{
    struct interruption *interruption = given;
    const void *at = (const void *)address_of(context);
    if (!interruption->known && at != interruption->at)
        return _URC_NO_REASON; /* a frame of the handler */
    interruption->frames[interruption->known] = interruption->known ? at : (const char *)at + 1;
    return ++interruption->known < DEEP ? _URC_NO_REASON : _URC_END_OF_STACK;
}

/* Called in the handler of a signal that interrupted the program at this instruction: the instruction and its callers,
 * the innermost first. `frames` has room for DEEP addresses and is filled with zeros before. Each address lies behind its
 * instruction, as return addresses do. */
EXPORTED void aclnn_interrupted(const void *at, const void **frames)
{
    struct interruption interruption = {at, frames, 0};
    if (backtrace && address_of)
        backtrace(look, &interruption);
    if (!interruption.known)
        frames[0] = (const char *)at + 1;
}

static const void *instruction(void *context)
{
#if defined __x86_64__
    return (const void *)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
#elif defined __aarch64__
    return (const void *)((ucontext_t *)context)->uc_mcontext.pc;
#else
    return (const void *)(0 * (uintptr_t)context);
#endif
}

/* The handler of SIGSEGV. It is in this file because the walk passes through its frame. Only for a known cause, as the
 * stack of any other crash may be damaged. */
HIDDEN void aclnn_on_segv(int signal, siginfo_t *info, void *context)
{
    const void *frames[DEEP] = {NULL};
    if (aclnn_in_window((uintptr_t)info->si_addr))
        aclnn_interrupted(instruction(context), frames);
    aclnn_fault(signal, info, context, frames);
}

/* The start of the function that has this instruction; NULL if it has no unwind table. */
EXPORTED const void *aclnn_function(const void *at) { return function_at ? function_at((void *)at) : NULL; }
