/* Declarations that bridge.c, descriptors.c and walk.c share. */
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

HIDDEN int aclnn_known_to_python(void); /* 1 if the calling thread has a thread state of Python, or may have one */

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
