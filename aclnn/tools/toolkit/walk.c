/* The callers of a call of the API: the return addresses of up to three functions of the program, the innermost first.
 *
 * The unwinder of libgcc reads the unwind tables of the program, which every compiler writes for C++, and most for C. It
 * takes 0.1 us for a frame. This file and the stubs have unwind tables themselves. The functions that the stubs share
 * have none, so neither an exception nor a walk goes from a callback through the frames of Python.
 *
 * Rejected. Frame pointers: faster, but programs with -O2 have none, and the walk then skips functions. backtrace(3):
 * slower, as it begins in its own frames. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
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

/* The start of the function that has this instruction; NULL if it has no unwind table. */
EXPORTED const void *aclnn_function(const void *at) { return function_at ? function_at((void *)at) : NULL; }
