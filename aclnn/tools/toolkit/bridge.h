/* Declarations that the C files of the library share. */
#include <signal.h>
#include <stdint.h>

#define EXPORTED __attribute__((visibility("default")))
#define HIDDEN __attribute__((visibility("hidden")))

extern EXPORTED int aclnn_over, aclnn_running;
extern HIDDEN __thread int aclnn_attached;

enum { FRAMES = 4, DEEP = 32 };
struct place { const void *at[FRAMES]; }; /* return addresses: of a call, and of its callers as far as they are known */
extern HIDDEN __thread struct place aclnn_from;

/* walk.c */
extern EXPORTED int aclnn_callers;
HIDDEN void aclnn_walk(struct place *place); /* called by a stub: find the callers */
HIDDEN void aclnn_on_segv(int signal, siginfo_t *info, void *context);

/* bridge.c */
HIDDEN int aclnn_in_window(uintptr_t address); /* 1 for an address of device memory or of a handle */
HIDDEN void aclnn_fault(int signal, siginfo_t *info, void *context, const void **frames);
HIDDEN int aclnn_readable(uintptr_t from, uintptr_t size); /* 0 also if the check is impossible */
HIDDEN void *aclnn_new_bytes(const void *from, uintptr_t size);
enum { DEEPEST = 128, LONGEST_KEY = FRAMES + 2 * DEEPEST };
HIDDEN int aclnn_take_python(void); /* take the interpreter lock; the result is for aclnn_leave_python */
HIDDEN void aclnn_leave_python(int state);
/* the interpreter lock is held */
HIDDEN int aclnn_key_of_call(uintptr_t *key); /* a key of the running call and its Python stack, as that of aclnn_stack */
HIDDEN void aclnn_keep_codes(const uintptr_t *key, int used, int keep); /* 1: keep the code objects; 0: no longer */

/* a hash of words, which are added one by one */
static inline uint64_t aclnn_mixed(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

HIDDEN int aclnn_known_to_python(void); /* 1 if the calling thread has a thread state of Python, or may have one */

HIDDEN void *aclnn_release_lock(void);    /* the thread state if this thread has the lock of Python; or NULL */
HIDDEN void aclnn_take_lock(void *state); /* the reverse */

/* joins.c */
HIDDEN void aclnn_watch_joins(void); /* from now on a thread releases the lock of Python while it joins another one */

/* events.c */
HIDDEN void aclnn_hold_events(void);
HIDDEN void aclnn_release_events(void);
HIDDEN void aclnn_events_of_child(void);
EXPORTED void aclnn_forget_events(void);

/* descriptors.c */
HIDDEN void aclnn_meet_thread(void); /* this thread makes a call in Python */
HIDDEN void aclnn_hold_descriptors(void);
HIDDEN void aclnn_release_descriptors(void);
HIDDEN void aclnn_descriptors_of_child(void);
extern EXPORTED int aclnn_python_below; /* 1 if Python frames may lie below a call */

/* descriptors.c, for first_phases.c */

/* in the order of KINDS in native_objects.py; an executor is the last */
enum { OF_PYTHON, TENSOR, SCALAR, INT_ARRAY, FLOAT_ARRAY, BOOL_ARRAY, TENSOR_LIST, SCALAR_LIST, EXECUTOR, KINDS };
enum { NONE, LIVE, SEEN, DEAD };
enum { RECORDED = 24 }; /* the most words of a recorded call */
enum { MOST_BYTES = 4096 }; /* of an array that a program passes. A descriptor has at most three times as many */

struct descriptor {
    uint8_t kind, state;
    uint32_t ordinal;
    uint32_t size; /* of the content, in bytes */
    int32_t dtype, format; /* of an executor: its plan, and the thread that planned it */
    uint32_t dims, storage_dims; /* of an executor: its function, and the number of its handles */
    int64_t offset; /* of an executor: the place of the copies of scalars and lists in its content */
    uint64_t address;
    uint64_t made, ended; /* lines of the program */
    uint64_t owner;       /* the list that was destroyed together with this member; or 0 */
    char *content;        /* dims, strides and dims of the storage; the value; the elements; the members; the handles and
                             all arguments of the call that an executor is for, then its scalars and lists */
};

/* the lock of the table is held */
HIDDEN struct descriptor *aclnn_find(uint64_t number); /* NULL if C has no such descriptor */
HIDDEN uint64_t aclnn_add(const struct descriptor *one); /* its handle; 0 if the table is full */
HIDDEN void aclnn_record(int function, uint64_t result, const uint64_t *words, int count);

/* the lock of the table is not held */
HIDDEN int aclnn_serves(void); /* 1 if calls of this thread are served now */
HIDDEN uint64_t aclnn_line_at(const struct place *at); /* the line of a call of the program; 0 if it is unknown */
HIDDEN uint32_t aclnn_thread_id(void);

/* first_phases.c */
HIDDEN void aclnn_drop_plans(void); /* the lock of the table is held */
