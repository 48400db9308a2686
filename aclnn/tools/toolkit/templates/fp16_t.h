/* written by aclnn.tools.toolkit: half-precision numbers for host code in C++ */
#ifndef ACLNN_EMULATOR_OPDEV_FP16_T_H
#define ACLNN_EMULATOR_OPDEV_FP16_T_H
#ifdef __cplusplus
extern "C++" {
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace op {

/* The bits of an IEEE 754 binary16. A number is rounded to the nearest value, ties to even; too large numbers become an
 * infinity. A value converts to float implicitly, so arithmetic and comparisons are those of float. */
struct fp16_t {
    uint16_t val;

    fp16_t() : val(0) {}

    template <typename T, typename = typename std::enable_if<std::is_arithmetic<T>::value>::type>
    fp16_t(T number) : val(fromDouble(static_cast<double>(number))) /* implicit, so that plain numbers work */
    {
    }

    static fp16_t fromBits(uint16_t bits)
    {
        fp16_t made;
        made.val = bits;
        return made;
    }

    operator float() const { return toFloat(); }

    float toFloat() const
    {
        const uint32_t sign = static_cast<uint32_t>(val & 0x8000) << 16;
        const uint32_t exponent = (val >> 10) & 0x1F, fraction = val & 0x3FF;
        if (exponent == 0) { /* zero, or subnormal: fraction * 2^-24, which is exact in float */
            const float number = static_cast<float>(fraction) * 5.9604644775390625e-8F;
            return sign != 0 ? -number : number;
        }
        const uint32_t wide = exponent == 0x1F ? 0xFF : exponent + (127 - 15);
        const uint32_t bits = sign | (wide << 23) | (fraction << 13);
        float number;
        std::memcpy(&number, &bits, sizeof number);
        return number;
    }

    double toDouble() const { return static_cast<double>(toFloat()); }

    template <typename T>
    fp16_t &operator+=(const T &other)
    {
        return *this = fp16_t(toFloat() + static_cast<float>(other));
    }
    template <typename T>
    fp16_t &operator-=(const T &other)
    {
        return *this = fp16_t(toFloat() - static_cast<float>(other));
    }
    template <typename T>
    fp16_t &operator*=(const T &other)
    {
        return *this = fp16_t(toFloat() * static_cast<float>(other));
    }
    template <typename T>
    fp16_t &operator/=(const T &other)
    {
        return *this = fp16_t(toFloat() / static_cast<float>(other));
    }

private:
    /* From double, which has each float and each integer in the range exactly: so there is only one rounding. */
    static uint16_t fromDouble(double number)
    {
        uint64_t bits;
        std::memcpy(&bits, &number, sizeof bits);
        const uint32_t sign = static_cast<uint32_t>(bits >> 48) & 0x8000U;
        const int exponent = static_cast<int>((bits >> 52) & 0x7FF) - 1023 + 15;
        const uint64_t fraction = bits & 0xFFFFFFFFFFFFFULL, one = 1;
        if (exponent == 0x7FF - 1023 + 15 && fraction != 0) return static_cast<uint16_t>(sign | 0x7E00U);
        if (exponent >= 0x1F) return static_cast<uint16_t>(sign | 0x7C00U);
        if (exponent < -10) return static_cast<uint16_t>(sign);
        const int dropped = exponent > 0 ? 42 : 43 - exponent; /* of 52 bits; more if the result is subnormal */
        const uint64_t whole = fraction | (one << 52), rest = whole & ((one << dropped) - 1);
        uint64_t kept = whole >> dropped;
        if (rest > one << (dropped - 1) || (rest == one << (dropped - 1) && (kept & 1) != 0)) kept++;
        const uint64_t below = exponent > 1 ? static_cast<uint64_t>(exponent - 1) << 10 : 0; /* `kept` adds 1 << 10 */
        return static_cast<uint16_t>(sign | (below + kept)); /* a carry increases the exponent, up to infinity */
    }
};

}  // namespace op
}
#endif
#endif
