/* written by aclnn.tools.toolkit: four-bit floating-point numbers for host code in C++ */
#ifndef ACLNN_EMULATOR_OPDEV_FLOAT4_E2M1_H
#define ACLNN_EMULATOR_OPDEV_FLOAT4_E2M1_H
#ifdef __cplusplus
extern "C++" {
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace op {

/* One number of ACL_FLOAT4_E2M1 in the low four bits of a byte: 0, 0.5, 1, 1.5, 2, 3, 4, 6, or the negative of one. A
 * number is rounded to the nearest of these, ties to the even code. There are no infinities: numbers beyond 6 become 6.
 * There is no NaN: it becomes 0. Two numbers share a byte in device memory; `pack` makes this byte, with the first
 * number in the low bits. */
struct float4_e2m1 {
    uint8_t value;

    float4_e2m1() : value(0) {}

    template <typename T, typename = typename std::enable_if<std::is_arithmetic<T>::value>::type>
    float4_e2m1(T number) : value(fromDouble(static_cast<double>(number))) /* implicit, so that plain numbers work */
    {
    }

    static float4_e2m1 fromBits(uint8_t bits)
    {
        float4_e2m1 made;
        made.value = static_cast<uint8_t>(bits & 0xF);
        return made;
    }

    operator float() const { return toFloat(); }

    float toFloat() const
    {
        const float number = magnitude(value & 7);
        return (value & 8) != 0 ? -number : number;
    }

    static uint8_t pack(float4_e2m1 first, float4_e2m1 second)
    {
        return static_cast<uint8_t>(first.value | (second.value << 4));
    }

private:
    static float magnitude(int code)
    {
        const float numbers[] = {0.0F, 0.5F, 1.0F, 1.5F, 2.0F, 3.0F, 4.0F, 6.0F};
        return numbers[code];
    }

    static uint8_t fromDouble(double number)
    {
        const double size = std::fabs(number);
        int code = 0;
        for (int next = 1; next < 8; next++) {
            const double middle = (static_cast<double>(magnitude(next - 1)) + static_cast<double>(magnitude(next))) / 2;
            if (size > middle || (size >= middle && next % 2 == 0)) code = next;
        }
        return static_cast<uint8_t>(code | (std::signbit(number) ? 8 : 0));
    }
};

using Float4E2M1 = float4_e2m1;

}  // namespace op
}
#endif
#endif
