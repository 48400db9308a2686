#define MSTX_SUCCESS 0
#define MSTX_FAIL 1
#define MSTX_TOOL_INVALID_ID 0x0
#define MSTX_TOOL_MSPROF_ID 0x1000
#define MSTX_TOOL_MSOPPROF_ID 0x1001
#define MSTX_TOOL_MSSANITIZER_ID 0x1002
#define MSTX_TOOL_MSLEAKS_ID 0x1003
typedef uint64_t mstxRangeId;
typedef void *mstxDomainHandle_t;
typedef void *mstxMemHeapHandle_t;
typedef void *mstxMemRegionHandle_t;
typedef struct mstxMemVirtualRangeDesc_t {
    uint32_t deviceId;
    const void *ptr;
    uint64_t size;
} mstxMemVirtualRangeDesc_t;
typedef enum mstxMemHeapUsageType {
    MSTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR = 0
} mstxMemHeapUsageType;
typedef enum mstxMemType {
    MSTX_MEM_TYPE_VIRTUAL_ADDRESS = 0
} mstxMemType;
typedef struct mstxMemHeapDesc_t {
    mstxMemHeapUsageType usage;
    mstxMemType type;
    const void *typeSpecificDesc;
} mstxMemHeapDesc_t;
typedef struct mstxMemRegionsRegisterBatch_t {
    mstxMemHeapHandle_t heap;
    mstxMemType regionType;
    size_t regionCount;
    const void *regionDescArray;
    mstxMemRegionHandle_t *regionHandleArrayOut;
} mstxMemRegionsRegisterBatch_t;
typedef enum mstxMemRegionRefType {
    MSTX_MEM_REGION_REF_TYPE_POINTER = 0,
    MSTX_MEM_REGION_REF_TYPE_HANDLE = 1
} mstxMemRegionRefType;
typedef struct mstxMemRegionRef_t {
    mstxMemRegionRefType refType;
    union {
        const void *pointer;
        mstxMemRegionHandle_t handle;
    } ref;
} mstxMemRegionRef_t;
typedef struct mstxMemRegionsUnregisterBatch_t {
    size_t refCount;
    const mstxMemRegionRef_t *refArray;
} mstxMemRegionsUnregisterBatch_t;
typedef struct mstxMemPermissionsAssignRegionsDesc_t {
    uint32_t flags;
    mstxMemRegionRef_t region;
} mstxMemPermissionsAssignRegionsDesc_t;
typedef struct mstxMemPermissionsAssignBatch_t {
    size_t regionCount;
    const mstxMemPermissionsAssignRegionsDesc_t *regionDescArray;
} mstxMemPermissionsAssignBatch_t;
