/* Operations on two blocks of 16-bit floats as they are in memory. They are widened in the loop, so that no register is
 * written and read in between. The result is float32. */
#include "sixteen.h"

#if defined(__AVX512F__)
typedef __m512 wide;
enum { LANES = 16 };
static inline wide widened(const uint16_t *from) { return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)from)); }
static inline void put(float *to, wide values) { _mm512_storeu_ps(to, values); }
#elif defined(__F16C__)
typedef __m256 wide;
enum { LANES = 8 };
static inline wide widened(const uint16_t *from) { return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)from)); }
static inline void put(float *to, wide values) { _mm256_storeu_ps(to, values); }
#else
typedef float wide;
enum { LANES = 1 };
static inline wide widened(const uint16_t *from) { return from_half(*from); }
static inline void put(float *to, wide value) { *to = value; }
#endif

#define SIXTEEN(name, expression) \
    void name##_f16(void *result, const void *of_a, const void *of_b, int64_t n, int va, int vb) { \
        float *to = result; \
        const uint16_t *a = of_a, *b = of_b; \
        const int64_t whole = n / LANES * LANES; \
        (void)va, (void)vb; \
        _Pragma("GCC ivdep") for (int64_t i = 0; i < whole; i += LANES) { \
            const wide x = widened(a + i), y = widened(b + i); \
            put(to + i, expression); \
        } \
        for (int64_t i = whole; i < n; i++) { \
            const float x = from_half(a[i]), y = from_half(b[i]); \
            to[i] = expression; \
        } \
    } \
    void name##_bf16(void *result, const void *of_a, const void *of_b, int64_t n, int va, int vb) { \
        float *to = result; \
        const uint16_t *a = of_a, *b = of_b; \
        (void)va, (void)vb; \
        EACH(n) { const float x = from_bfloat(a[i]), y = from_bfloat(b[i]); to[i] = expression; } \
    }

SIXTEEN(add, x + y)
SIXTEEN(subtract, x - y)
SIXTEEN(multiply, x * y)
SIXTEEN(divide, x / y)
