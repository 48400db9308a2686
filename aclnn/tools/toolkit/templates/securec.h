/* written by aclnn.tools.toolkit: copies and texts with the size of their target, as host code calls them */
#ifndef ACLNN_EMULATOR_SECUREC_H
#define ACLNN_EMULATOR_SECUREC_H
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Each function gets the size of its target. If a copy does not fit, the target is filled with zeros; if a text does not
 * fit, the target is an empty text. A copy or a text returns EOK or one of the other numbers; the functions that print
 * return the number of characters, or -1. */
typedef int errno_t;
#define EOK 0
#define EINVAL_AND_RESET (EINVAL | 128)
#define ERANGE_AND_RESET (ERANGE | 128)
#define EOVERLAP_AND_RESET 182
#define SECUREC_MEM_MAX_LEN ((size_t)0x7fffffff)
#define SECUREC_STRING_MAX_LEN ((size_t)0x7fffffff)

static inline errno_t aclnn_emulator_target(const void *dest, size_t destMax)
{
    return destMax == 0 || destMax > SECUREC_MEM_MAX_LEN ? ERANGE : dest == NULL ? EINVAL : EOK;
}

static inline int aclnn_emulator_overlap(const void *dest, const void *src, size_t count)
{
    uintptr_t to = (uintptr_t)dest, from = (uintptr_t)src;
    return to != from && to < from + count && from < to + count;
}

static inline errno_t aclnn_emulator_copy(void *dest, size_t destMax, const void *src, size_t count, int apart)
{
    errno_t bad = aclnn_emulator_target(dest, destMax);
    if (bad != EOK) return bad;
    if (src == NULL) bad = EINVAL_AND_RESET;
    else if (count > destMax) bad = ERANGE_AND_RESET;
    else if (apart && aclnn_emulator_overlap(dest, src, count)) bad = EOVERLAP_AND_RESET;
    if (bad != EOK) memset(dest, 0, destMax);
    else memmove(dest, src, count);
    return bad;
}

static inline errno_t memcpy_s(void *dest, size_t destMax, const void *src, size_t count)
{
    return aclnn_emulator_copy(dest, destMax, src, count, 1);
}

static inline errno_t memmove_s(void *dest, size_t destMax, const void *src, size_t count)
{
    return aclnn_emulator_copy(dest, destMax, src, count, 0);
}

static inline errno_t memset_s(void *dest, size_t destMax, int c, size_t count)
{
    errno_t bad = aclnn_emulator_target(dest, destMax);
    if (bad != EOK) return bad;
    memset(dest, c, count > destMax ? destMax : count);
    return count > destMax ? ERANGE_AND_RESET : EOK;
}

/* Write at most `count` characters of a text after the first `used` characters of the target. */
static inline errno_t aclnn_emulator_text(char *dest, size_t destMax, size_t used, const char *src, size_t count)
{
    size_t length = 0;
    if (src == NULL) {
        dest[0] = '\0';
        return EINVAL_AND_RESET;
    }
    while (length < count && src[length] != '\0') length++;
    if (used + length >= destMax) {
        dest[0] = '\0';
        return ERANGE_AND_RESET;
    }
    if (aclnn_emulator_overlap(dest + used, src, length + 1)) {
        dest[0] = '\0';
        return EOVERLAP_AND_RESET;
    }
    memmove(dest + used, src, length);
    dest[used + length] = '\0';
    return EOK;
}

static inline errno_t strncpy_s(char *dest, size_t destMax, const char *src, size_t count)
{
    errno_t bad = aclnn_emulator_target(dest, destMax);
    return bad != EOK ? bad : aclnn_emulator_text(dest, destMax, 0, src, count);
}

static inline errno_t strcpy_s(char *dest, size_t destMax, const char *src)
{
    return strncpy_s(dest, destMax, src, SECUREC_STRING_MAX_LEN);
}

static inline errno_t strncat_s(char *dest, size_t destMax, const char *src, size_t count)
{
    errno_t bad = aclnn_emulator_target(dest, destMax);
    size_t used = 0;
    if (bad != EOK) return bad;
    while (used < destMax && dest[used] != '\0') used++;
    if (used == destMax) {
        dest[0] = '\0';
        return EINVAL_AND_RESET;
    }
    return aclnn_emulator_text(dest, destMax, used, src, count);
}

static inline errno_t strcat_s(char *dest, size_t destMax, const char *src)
{
    return strncat_s(dest, destMax, src, SECUREC_STRING_MAX_LEN);
}

/* More than `count` characters are cut off. The result is then -1, as for a text that does not fit. */
static inline int vsnprintf_s(char *dest, size_t destMax, size_t count, const char *format, va_list arguments)
{
    size_t room = count < destMax ? count + 1 : destMax;
    int length;
    if (format == NULL || aclnn_emulator_target(dest, destMax) != EOK) {
        if (dest != NULL && destMax > 0) dest[0] = '\0';
        return -1;
    }
    length = vsnprintf(dest, room, format, arguments);
    if (length < 0 || (size_t)length >= room) {
        if (length < 0 || count >= destMax) dest[0] = '\0';
        return -1;
    }
    return length;
}

static inline int vsprintf_s(char *dest, size_t destMax, const char *format, va_list arguments)
{
    return vsnprintf_s(dest, destMax, destMax, format, arguments);
}

static inline int snprintf_s(char *dest, size_t destMax, size_t count, const char *format, ...)
{
    int length;
    va_list arguments;
    va_start(arguments, format);
    length = vsnprintf_s(dest, destMax, count, format, arguments);
    va_end(arguments);
    return length;
}

static inline int sprintf_s(char *dest, size_t destMax, const char *format, ...)
{
    int length;
    va_list arguments;
    va_start(arguments, format);
    length = vsnprintf_s(dest, destMax, destMax, format, arguments);
    va_end(arguments);
    return length;
}

#ifdef __cplusplus
}
#endif
#endif
