struct MsprofApi;
typedef void *VOID_PTR;
typedef int32_t (*ProfCommandHandle)(uint32_t type, void *data, uint32_t len);
