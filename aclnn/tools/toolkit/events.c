/* Destructions of events that are accepted here at once, and made by Python at the next call.
 *
 * A plugin of PyTorch destroys events on threads of its own. At its end it waits for these threads, and keeps Python's
 * lock meanwhile. The threads would wait for the lock for ever. So a call of aclrtDestroyEvent is accepted without the
 * lock if it is sure to succeed:
 *
 * - The event lives in the current machine. Python says which events do (`aclnn_event_lives`).
 * - The calling thread has called nothing before, and is no thread of Python. So its context is the default one.
 *   Python names no event if there is no default device, or if calls may fail on purpose.
 *
 * Python makes the accepted destructions before it serves its next call, in this order, and at the end, each with the
 * place of its call (`aclnn_take_destructions`). So every check, finding and record is the usual one, but for the thread.
 * late_destructions.py is the Python side. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include "bridge.h"

enum { SPACING = 64, SLOTS = 1 << 16 };
struct destruction { uint64_t number; struct place at; };

EXPORTED uint64_t aclnn_late; /* number of accepted destructions that Python has not made yet */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t living[SLOTS]; /* handles; one that has the slot of a later one is not known any more */
static struct destruction *accepted;
static size_t room;

HIDDEN void aclnn_hold_events(void) { pthread_mutex_lock(&lock); }
HIDDEN void aclnn_release_events(void) { pthread_mutex_unlock(&lock); }
HIDDEN void aclnn_events_of_child(void) { aclnn_forget_events(), aclnn_late = 0; } /* those of the parent */

static uint64_t *slot_of(uint64_t number) { return &living[number / SPACING % SLOTS]; }

static int make_room(void)
{
    if (aclnn_late < room)
        return 1;
    size_t more = 2 * room + 64;
    struct destruction *moved = realloc(accepted, more * sizeof *moved);
    if (moved)
        accepted = moved, room = more;
    return moved != NULL;
}

/* A call of aclrtDestroyEvent: 1 if it is accepted. */
HIDDEN int aclnn_destroy_event(uint64_t number, const struct place *at)
{
    if (!number || aclnn_known_to_python())
        return 0;
    pthread_mutex_lock(&lock);
    int done = *slot_of(number) == number && make_room();
    if (done) {
        *slot_of(number) = 0;
        accepted[aclnn_late] = (struct destruction){number, *at};
        __atomic_store_n(&aclnn_late, aclnn_late + 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    return done;
}

/* ---- calls of Python, which holds the interpreter lock ---- */

/* An event lives from now on, or does not live any more. */
EXPORTED void aclnn_event_lives(uint64_t number, int lives)
{
    pthread_mutex_lock(&lock);
    uint64_t *slot = slot_of(number);
    if (lives || *slot == number)
        *slot = lives ? number : 0;
    pthread_mutex_unlock(&lock);
}

/* No event is known from now on. Accepted destructions stay. */
EXPORTED void aclnn_forget_events(void)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < SLOTS; i++)
        living[i] = 0;
    pthread_mutex_unlock(&lock);
}

/* The accepted destructions, as `bytes`: Python makes them now. */
EXPORTED void *aclnn_take_destructions(void)
{
    pthread_mutex_lock(&lock);
    void *taken = aclnn_new_bytes(accepted, aclnn_late * sizeof *accepted);
    if (taken)
        __atomic_store_n(&aclnn_late, 0, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
    return taken;
}
