/* Declarations that bridge.c and descriptors.c share. */
#include <stdint.h>

#define EXPORTED __attribute__((visibility("default")))
#define HIDDEN __attribute__((visibility("hidden")))

extern EXPORTED int aclnn_over, aclnn_running;
extern HIDDEN __thread int aclnn_attached;
extern HIDDEN __thread const void *aclnn_from;

/* bridge.c */
HIDDEN int aclnn_readable(uintptr_t from, uintptr_t size); /* 0 also if the check is impossible */
HIDDEN void *aclnn_new_bytes(const void *from, uintptr_t size);

/* descriptors.c */
HIDDEN void aclnn_meet_thread(void); /* this thread makes a call in Python */
HIDDEN void aclnn_hold_descriptors(void);
HIDDEN void aclnn_release_descriptors(void);
HIDDEN void aclnn_descriptors_of_child(void);
extern EXPORTED int aclnn_python_below; /* 1 if Python frames may lie below a call */
