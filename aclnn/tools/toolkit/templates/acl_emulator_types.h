/* written by aclnn.tools.toolkit */
#ifndef ACLNN_EMULATOR_ACL_ACL_EMULATOR_TYPES_H
#define ACLNN_EMULATOR_ACL_ACL_EMULATOR_TYPES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C++" {
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
}
#else
#include <stdio.h>
#endif
#ifdef __cplusplus
extern "C" {
#endif
#ifndef ACL_FUNC_VISIBILITY
#define ACL_FUNC_VISIBILITY __attribute__((visibility("default")))
#endif
#ifndef ACLNN_API
#define ACLNN_API __attribute__((visibility("default")))
#endif
#ifndef ACL_EMULATOR_NODISCARD
#define ACLNN_EMULATOR_STATUS
#elif defined(__cplusplus) ? (__cplusplus >= 201703L || !defined(__clang__)) : __STDC_VERSION__ >= 202000L
#define ACLNN_EMULATOR_STATUS [[nodiscard]]
#else
#define ACLNN_EMULATOR_STATUS __attribute__((warn_unused_result))
#endif
typedef int aclError;
typedef int32_t aclnnStatus;
typedef uint16_t aclFloat16;
typedef struct aclrtSnapShotBackupArgs aclrtSnapShotBackupArgs;
typedef struct aclrtSnapShotRestoreArgs aclrtSnapShotRestoreArgs;
@TYPES@#ifdef __cplusplus
}
#endif
#endif
