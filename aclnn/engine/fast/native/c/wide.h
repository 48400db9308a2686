/* Floats in memory as float32: one number, or a vector of the processor. `type` is F32, F16 or BF16. In fast loops it
 * is a constant, so that the loop has no branch.
 *
 * `not_finite` returns nonzero if a number is infinite or NaN. `extreme_of` returns NaN if one number is NaN. `first`
 * and `part_at` return the first n numbers, followed by zeros; `put_part` stores the first n. */
#ifndef WIDE_H
#define WIDE_H

#include "sixteen.h"

#include <string.h>

#define ALWAYS static inline __attribute__((always_inline))

ALWAYS float number_at(int type, const void *from, int64_t at) {
    if (type == F32) return ((const float *)from)[at];
    const uint16_t bits = ((const uint16_t *)from)[at];
    return type == F16 ? from_half(bits) : from_bfloat(bits);
}

ALWAYS void put_number(int type, void *to, int64_t at, float value) {
    if (type == F32) ((float *)to)[at] = value;
    else ((uint16_t *)to)[at] = type == F16 ? to_half(value) : to_bfloat(value);
}

ALWAYS float extreme_float(int smallest, float x, float y) { return ((smallest ? x < y : x > y) | (x != x)) ? x : y; }

#if defined(__AVX512F__)
typedef __m512 wide;
enum { LANES = 16 };
ALWAYS wide all(float value) { return _mm512_set1_ps(value); }

ALWAYS wide wide_at(int type, const void *from, int64_t at) {
    if (type == F32) return _mm512_loadu_ps((const float *)from + at);
    const __m256i bits = _mm256_loadu_si256((const __m256i *)((const uint16_t *)from + at));
    if (type == F16) return _mm512_cvtph_ps(bits);
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16));
}

ALWAYS uint32_t not_finite(wide value) { return _mm512_fpclass_ps_mask(value, 0x99); }
ALWAYS wide first(wide value, int64_t n) { return _mm512_maskz_mov_ps((__mmask16)((1 << n) - 1), value); }

ALWAYS wide extreme_of(int smallest, wide x, wide y) { /* min and max give y if a number is NaN */
    const wide found = smallest ? _mm512_min_ps(x, y) : _mm512_max_ps(x, y);
    return _mm512_mask_mov_ps(found, _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), x);
}

ALWAYS wide part_at(int type, const void *from, int64_t at, int64_t n) {
    const __mmask16 part = (__mmask16)((1 << n) - 1);
    if (type == F32) return _mm512_maskz_loadu_ps(part, (const float *)from + at);
    const __m256i bits = _mm256_maskz_loadu_epi16(part, (const uint16_t *)from + at);
    return wide_at(type, &bits, 0);
}

ALWAYS __m256i narrowed(int type, wide value) {
    if (type == F16) return _mm512_cvtps_ph(value, 0);
    const __m512i bits = _mm512_castps_si512(value);
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    const __m512i near = _mm512_add_epi32(_mm512_add_epi32(bits, odd), _mm512_set1_epi32(0x7fff));
    const __mmask16 nan = _mm512_cmp_ps_mask(value, value, _CMP_UNORD_Q);
    const __m512i found = _mm512_mask_or_epi32(near, nan, bits, _mm512_set1_epi32(0x400000));
    return _mm512_cvtepi32_epi16(_mm512_srli_epi32(found, 16));
}

ALWAYS void put_wide(int type, void *to, int64_t at, wide value) {
    if (type == F32) _mm512_storeu_ps((float *)to + at, value);
    else _mm256_storeu_si256((__m256i *)((uint16_t *)to + at), narrowed(type, value));
}

ALWAYS void put_part(int type, void *to, int64_t at, wide value, int64_t n) {
    const __mmask16 part = (__mmask16)((1 << n) - 1);
    if (type == F32) _mm512_mask_storeu_ps((float *)to + at, part, value);
    else _mm256_mask_storeu_epi16((uint16_t *)to + at, part, narrowed(type, value));
}
#elif defined(__AVX2__) && defined(__F16C__)
typedef __m256 wide;
enum { LANES = 8 };
ALWAYS wide all(float value) { return _mm256_set1_ps(value); }

ALWAYS wide wide_at(int type, const void *from, int64_t at) {
    if (type == F32) return _mm256_loadu_ps((const float *)from + at);
    const __m128i bits = _mm_loadu_si128((const __m128i *)((const uint16_t *)from + at));
    if (type == F16) return _mm256_cvtph_ps(bits);
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16));
}

ALWAYS uint32_t not_finite(wide value) {
    const wide zero = value - value;
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(zero, zero, _CMP_UNORD_Q));
}

ALWAYS wide extreme_of(int smallest, wide x, wide y) {
    const wide found = smallest ? _mm256_min_ps(x, y) : _mm256_max_ps(x, y);
    return _mm256_blendv_ps(found, x, _mm256_cmp_ps(x, x, _CMP_UNORD_Q));
}

ALWAYS void put_wide(int type, void *to, int64_t at, wide value) {
    if (type == F32) {
        _mm256_storeu_ps((float *)to + at, value);
        return;
    }
    __m128i *narrow = (__m128i *)((uint16_t *)to + at);
    if (type == F16) {
        _mm_storeu_si128(narrow, _mm256_cvtps_ph(value, 0));
        return;
    }
    const __m256i bits = _mm256_castps_si256(value);
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    const __m256i near = _mm256_add_epi32(_mm256_add_epi32(bits, odd), _mm256_set1_epi32(0x7fff));
    const __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(value, value, _CMP_UNORD_Q));
    const __m256i quiet = _mm256_or_si256(bits, _mm256_set1_epi32(0x400000));
    const __m256i found = _mm256_srli_epi32(_mm256_blendv_epi8(near, quiet, nan), 16);
    _mm_storeu_si128(narrow, _mm_packus_epi32(_mm256_castsi256_si128(found), _mm256_extracti128_si256(found, 1)));
}
#else
typedef float wide;
enum { LANES = 1 };
ALWAYS wide all(float value) { return value; }
ALWAYS uint32_t not_finite(wide value) { return (bits_of(value) & 0x7f800000) == 0x7f800000; }
ALWAYS wide extreme_of(int smallest, wide x, wide y) { return extreme_float(smallest, x, y); }
ALWAYS wide wide_at(int type, const void *from, int64_t at) { return number_at(type, from, at); }
ALWAYS void put_wide(int type, void *to, int64_t at, wide value) { put_number(type, to, at, value); }
#endif

#if !defined(__AVX512F__)
ALWAYS wide first(wide value, int64_t n) {
    float part[LANES] = {0};
    memcpy(part, &value, (size_t)n * sizeof *part);
    return wide_at(F32, part, 0);
}

ALWAYS wide part_at(int type, const void *from, int64_t at, int64_t n) {
    const size_t size = (size_t)bytes_of(type);
    float part[LANES] = {0};
    memcpy(part, (const char *)from + (size_t)at * size, (size_t)n * size);
    return wide_at(type, part, 0);
}

ALWAYS void put_part(int type, void *to, int64_t at, wide value, int64_t n) {
    const size_t size = (size_t)bytes_of(type);
    float part[LANES];
    put_wide(type, part, 0, value);
    memcpy((char *)to + (size_t)at * size, part, (size_t)n * size);
}
#endif

#endif
