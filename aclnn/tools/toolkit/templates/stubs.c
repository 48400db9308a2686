#define EXPORTED __attribute__((visibility("default")))
extern EXPORTED void *aclnn_table[];
extern EXPORTED const int aclnn_count;
extern EXPORTED const char *const aclnn_prototypes[];
extern __thread int aclnn_attached;
extern __thread const void *aclnn_from;
void aclnn_attach(void);
void *aclnn_resolve(int);
#define SLOT(i) (__builtin_expect(!aclnn_attached, 0) ? aclnn_attach() : (void)0, \
    __builtin_expect(!!(slot = __atomic_load_n(&aclnn_table[i], __ATOMIC_ACQUIRE)), 1) ? slot : aclnn_resolve(i))
