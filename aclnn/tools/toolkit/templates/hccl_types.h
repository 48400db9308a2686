typedef enum HcclResult {
    HCCL_SUCCESS = 0,
    HCCL_E_PARA = 1,
    HCCL_E_PTR = 2,
    HCCL_E_MEMORY = 3,
    HCCL_E_INTERNAL = 4,
    HCCL_E_NOT_SUPPORT = 5
} HcclResult;
typedef enum HcclConfig {
    HCCL_DETERMINISTIC = 0
} HcclConfig;
typedef union HcclConfigValue {
    int32_t value;
} HcclConfigValue;
