/* written by aclnn.tools.toolkit: keywords and types of Ascend C, for the host functions of kernel files */
#ifndef ACLNN_EMULATOR_DEVICE_H
#define ACLNN_EMULATOR_DEVICE_H
#include <stddef.h>
#include <stdint.h>
#define __gm__
#define __global__
#define __aicore__
#define GM_ADDR uint8_t *
#ifdef __cplusplus
typedef struct half {
    uint16_t bits;
} half;
typedef struct bfloat16_t {
    uint16_t bits;
} bfloat16_t;
#endif
#endif
