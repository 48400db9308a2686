/* Copies of blocks of tensors to registers, and back. 16-bit floats are float32 in a register, and are rounded once,
 * half to even, when they are stored. Narrow integers are int32 in a register; uint32 is int64. */
#include "wide.h"

/* float64 to float32, where an inexact number becomes its odd neighbour. A second rounding, to 16 bits, then gives the
 * same result as one rounding of the float64. */
static inline float to_odd(double value) {
    float near = (float)value;
    double back = (double)near, size = value < 0 ? -value : value, rounded = back < 0 ? -back : back;
    uint32_t all = bits_of(near), even = ~all & 1;
    uint32_t up = even & (uint32_t)(rounded < size), down = even & (uint32_t)(rounded > size);
    return float_of(all + up - down);
}

ALWAYS void widen_all(int type, const uint16_t *from, float *to, int64_t n) {
    const int64_t whole = n - n % LANES;
    for (int64_t i = 0; i < whole; i += LANES) put_wide(F32, to, i, wide_at(type, from, i));
    for (int64_t i = whole; i < n; i++) to[i] = number_at(type, from, i);
}

ALWAYS void narrow_all(int type, const float *values, uint16_t *to, int64_t n) {
    const int64_t whole = n - n % LANES;
    for (int64_t i = 0; i < whole; i += LANES) put_wide(type, to, i, wide_at(F32, values, i));
    for (int64_t i = whole; i < n; i++) put_number(type, to, i, values[i]);
}

static void widen(int memory_type, const uint16_t *from, float *to, int64_t n) {
    if (memory_type == F16) widen_all(F16, from, to, n);
    else widen_all(BF16, from, to, n);
}

static void narrow(int memory_type, const float *values, uint16_t *to, int64_t n) {
    if (memory_type == F16) narrow_all(F16, values, to, n);
    else narrow_all(BF16, values, to, n);
}

void evaluator_widen(int64_t type, const uint16_t *from, float *to, int64_t n) { widen((int)type, from, to, n); }
static int64_t distance(int64_t stride) { return stride < 0 ? -stride : stride; }

/* The memory is read from one end to the other if it is dense: the inner loop is over the nearest rows. */
void evaluator_widen_rows(int64_t type, const char *from, float *to, const int64_t *size, const int64_t *stride) {
    const int inner = distance(stride[1]) < distance(stride[2]) ? 1 : 2, outer = 3 - inner;
    const int64_t to_stride[] = {size[1] * size[2] * size[3], size[2] * size[3], size[3]};
    for (int64_t i = 0; i < size[0]; i++)
        for (int64_t j = 0; j < size[outer]; j++) {
            const char *row = from + i * stride[0] + j * stride[outer];
            float *wide = to + i * to_stride[0] + j * to_stride[outer];
            for (int64_t k = 0; k < size[inner]; k++)
                widen((int)type, (const uint16_t *)(row + k * stride[inner]), wide + k * to_stride[inner], size[3]);
        }
}
void evaluator_narrow(int64_t type, const float *values, uint16_t *to, int64_t n) { narrow((int)type, values, to, n); }

/* The loops of `load` and of `store`. T is the type in memory, R the type in a register. */
#define GATHER(T, R) { \
        R *to = buffer; \
        if (stride == sizeof(T)) { EACH(n) to[i] = (R)((const T *)from)[i]; } \
        else if (stride == 0) { const R all = (R)*(const T *)from; EACH(n) to[i] = all; } \
        else if (stride == 2 * sizeof(T)) { EACH(n) to[i] = (R)((const T *)from)[2 * i]; } \
        else { EACH(n) to[i] = (R)*(const T *)(from + i * stride); } \
        return to; \
    }
#define SCATTER(T, R) { \
        const R *values = given; \
        if (stride == sizeof(T)) { EACH(n) ((T *)to)[i] = (T)values[i]; } \
        else { for (int64_t i = 0; i < n; i++) *(T *)(to + i * stride) = (T)values[i]; } \
        return; \
    }

const void *load(int memory_type, int type, const char *from, int64_t stride, int64_t n, void *buffer) {
    switch (memory_type) {
    case F16: case BF16: {
        uint16_t packed[BLOCK];
        if (type == memory_type) { /* the operation widens the elements */
            if (stride == 2) return from;
            GATHER(uint16_t, uint16_t)
        }
        if (stride != 2) {
            EACH(n) packed[i] = *(const uint16_t *)(from + i * stride);
            from = (const char *)packed;
        }
        widen(memory_type, (const uint16_t *)from, buffer, n);
        return buffer;
    }
    case F32:
        if (type == F64) GATHER(float, double)
        if (stride == 4) return from;
        GATHER(float, float)
    case F64:
        if (type == F32) GATHER(double, float)
        if (stride == 8) return from;
        GATHER(double, double)
    case I32:
        if (stride == 4) return from;
        GATHER(int32_t, int32_t)
    case I64:
        if (stride == 8) return from;
        GATHER(int64_t, int64_t)
    case I8: GATHER(int8_t, int32_t)
    case U8: GATHER(uint8_t, int32_t)
    case I16: GATHER(int16_t, int32_t)
    case U16: GATHER(uint16_t, int32_t)
    case U32: GATHER(uint32_t, int64_t)
    default: { /* a mask: any byte but 0 is true */
        uint8_t *to = buffer;
        EACH(n) to[i] = *(const uint8_t *)(from + i * stride) != 0;
        return to;
    }
    }
}

void store(int memory_type, int type, char *to, int64_t stride, const void *given, int64_t n) {
    switch (memory_type) {
    case F16: case BF16: {
        if (type == memory_type) SCATTER(uint16_t, uint16_t) /* rounded by the operation */
        uint16_t packed[BLOCK], *near = stride == 2 ? (uint16_t *)to : packed;
        if (type == F64) {
            for (int64_t i = 0; i < n; i++) {
                const float odd = to_odd(((const double *)given)[i]);
                near[i] = memory_type == F16 ? to_half(odd) : to_bfloat(odd);
            }
        } else {
            narrow(memory_type, given, near, n);
        }
        for (int64_t i = 0; stride != 2 && i < n; i++) *(uint16_t *)(to + i * stride) = packed[i];
        return;
    }
    case F32:
        if (type == F64) SCATTER(float, double)
        SCATTER(float, float)
    case F64:
        if (type == F32) SCATTER(double, float)
        SCATTER(double, double)
    case I32: SCATTER(int32_t, int32_t)
    case I64: SCATTER(int64_t, int64_t)
    case I8: SCATTER(int8_t, int32_t)
    case U8: SCATTER(uint8_t, int32_t)
    case I16: SCATTER(int16_t, int32_t)
    case U16: SCATTER(uint16_t, int32_t)
    case U32: SCATTER(uint32_t, int64_t)
    default: SCATTER(uint8_t, uint8_t)
    }
}

void round_floats(int memory_type, const float *values, float *result, int64_t n) {
    uint16_t packed[BLOCK];
    narrow(memory_type, values, packed, n);
    widen(memory_type, packed, result, n);
}

#if defined(__AVX512F__)
#define WRITE_LINE(to, from) _mm512_stream_si512((void *)(to), _mm512_loadu_si512(from))
#elif defined(__SSE2__)
#define QUARTER(to, from, i) _mm_stream_si128((__m128i *)(to) + i, _mm_loadu_si128((const __m128i *)(from) + i))
#define WRITE_LINE(to, from) (QUARTER(to, from, 0), QUARTER(to, from, 1), QUARTER(to, from, 2), QUARTER(to, from, 3))
#else
#define WRITE_LINE(to, from) memcpy(to, from, 64)
#endif

void stream_bytes(char *to, const void *given, int64_t bytes) {
    const char *from = given;
    int64_t at = min_of((int64_t)(-(uintptr_t)to & 63), bytes);
    memcpy(to, from, (size_t)at);
    for (; at + 64 <= bytes; at += 64) WRITE_LINE(to + at, from + at);
    memcpy(to + at, from + at, (size_t)(bytes - at));
}

void end_streaming(void) {
#if defined(__SSE2__)
    _mm_sfence();
#endif
}
