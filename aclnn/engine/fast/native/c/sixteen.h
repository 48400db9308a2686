/* 16-bit floats as float32. */
#ifndef SIXTEEN_H
#define SIXTEEN_H

#include "internal.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

static inline uint32_t bits_if(int condition) { return -(uint32_t)condition; }

/* float16 to float32: the bits are moved to their places, and an exact product corrects the bias of the exponent. */
static inline float from_half(uint16_t half) {
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, size = (uint32_t)(half & 0x7fff) << 13;
    float value = float_of(size) * 0x1p112f;
    return float_of(bits_of(value) | sign | (bits_if((half & 0x7c00) == 0x7c00) & 0x7f800000));
}

static inline float from_bfloat(uint16_t bfloat) { return float_of((uint32_t)bfloat << 16); }

#endif
