/* A 16-bit float as float32, and back: rounded half to even. */
#ifndef SIXTEEN_H
#define SIXTEEN_H

#include "internal.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

static inline uint32_t bits_if(int condition) { return -(uint32_t)condition; }

/* float16 to float32: the bits are shifted to their positions, and an exact product corrects the bias of the exponent.
 * */
static inline float from_half(uint16_t half) {
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, size = (uint32_t)(half & 0x7fff) << 13;
    float value = float_of(size) * 0x1p112f;
    return float_of(bits_of(value) | sign | (bits_if((half & 0x7c00) == 0x7c00) & 0x7f800000));
}

static inline float from_bfloat(uint16_t bfloat) { return float_of((uint32_t)bfloat << 16); }

/* float32 to float16. A normal result is computed with integers. A subnormal result is rounded by adding 0.5, as the
 * last bit of a float32 near 0.5 has the value 2**-24. */
static inline uint16_t to_half(float value) {
    uint32_t all = bits_of(value), size = all & 0x7fffffff;
    uint32_t normal = (size + 0xc8000fff + ((size >> 13) & 1)) >> 13;
    uint32_t tiny = bits_of(float_of(size) + 0.5f) - 0x3f000000;
    uint32_t large = bits_if(size >= 0x47800000), small = bits_if(size < 0x38800000), nan = bits_if(size > 0x7f800000);
    uint32_t half = (tiny & small) | (normal & ~small);
    half = (half & ~large) | (0x7c00 & large) | (0x200 & nan);
    return (uint16_t)(half | (all >> 16 & 0x8000));
}

static inline uint16_t to_bfloat(float value) {
    uint32_t all = bits_of(value), nan = bits_if((all & 0x7fffffff) > 0x7f800000);
    return (uint16_t)(((all + ((0x7fff + (all >> 16 & 1)) & ~nan)) | (0x400000 & nan)) >> 16);
}

#endif
