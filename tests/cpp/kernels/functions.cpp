// The C++ functions that replace the kernels of this folder.
#include "aclnn_emulator_kernel.h"

#include <cstdio>

namespace {

using aclnn_emulator::Launch;

const uint64_t SECONDS = 1000000;
const size_t ELEMENTS = 16384;

void easy(Launch &launch, uint32_t *x)
{
    uint32_t *values = launch.update(x, launch.blocks());
    for (uint32_t block = 0; block < launch.blocks(); ++block) {
        values[block] += 1;
    }
}

void twice(Launch &launch, uint32_t *x)
{
    uint32_t *values = launch.update(x, launch.blocks());
    for (uint32_t block = 0; block < launch.blocks(); ++block) {
        values[block] *= 2;
    }
}

void error(Launch &launch)
{
    launch.fail();
}

void write_number(Launch &launch, int *p, int v)
{
    int *values = launch.write(p, launch.blocks());
    for (uint32_t block = 0; block < launch.blocks(); ++block) {
        values[block] = v;
        std::printf("Source data: %d\n", v);
    }
}

void read_number(Launch &launch, int *p)
{
    const int *values = launch.read(p, launch.blocks());
    for (uint32_t block = 0; block < launch.blocks(); ++block) {
        std::printf("Destination data: %d\n", values[block]);
    }
}

void print_hello(Launch &launch)
{
    for (uint32_t block = 0; block < launch.blocks(); ++block) {
        std::printf("Hello World\n");
    }
}

void vector_add(Launch &launch, float *a, float *b, float *dst, float alpha, uint32_t n)
{
    const float *x = launch.read(a, n), *y = launch.read(b, n);
    float *z = launch.write(dst, n);
    for (uint32_t i = 0; i < n; ++i) {
        z[i] = x[i] + alpha * y[i];
    }
}

void add_blocks(Launch &launch, float *a, float *b, float *dst, uint32_t n)
{
    vector_add(launch, a, b, dst, 1, n);
}

void add_halves(Launch &launch, aclFloat16 *x, aclFloat16 *y, aclFloat16 *z, size_t count)
{
    const aclFloat16 *a = launch.read(x, count), *b = launch.read(y, count);
    aclFloat16 *sum = launch.write(z, count);
    for (size_t i = 0; i < count; ++i) {
        sum[i] = aclFloatToFloat16(aclFloat16ToFloat(a[i]) + aclFloat16ToFloat(b[i]));
    }
}

void add_custom(Launch &launch, aclFloat16 *x, aclFloat16 *y, aclFloat16 *z)
{
    add_halves(launch, x, y, z, ELEMENTS);
}

void add_placeholder(Launch &launch, aclFloat16 *x, aclFloat16 *y, aclFloat16 *z, int32_t *length, int32_t *tiles)
{
    if (*launch.read(tiles, 1) > 0) {
        add_halves(launch, x, y, z, static_cast<size_t>(*launch.read(length, 1)));
    }
}

void sum_table(Launch &launch)
{
    const uint32_t *table = launch.read(launch.variable<const uint32_t>("table"), 3);
    int32_t *total = launch.update(launch.variable<int32_t>("total"), 1);
    for (int i = 0; i < 3; ++i) {
        *total += static_cast<int32_t>(table[i]);
    }
}

void count_threads(Launch &launch, uint32_t *counts)
{
    const dim3 grid = launch.grid(), threads = launch.threads();
    uint32_t *to = launch.write(counts, 2);
    to[0] = launch.blocks() == grid.x * grid.y * grid.z ? launch.blocks() : 0;
    to[1] = threads.x * threads.y * threads.z;
}

const int32_t registered =
    aclnn_emulator::replace("easy_op", easy) + aclnn_emulator::replace("short_op", twice) +
    aclnn_emulator::replace("long_op", easy, 3 * SECONDS) + aclnn_emulator::replace("error_op", error) +
    aclnn_emulator::replace("write_number", write_number) + aclnn_emulator::replace("read_number", read_number) +
    aclnn_emulator::replace("print_hello", print_hello) + aclnn_emulator::replace("add_blocks", add_blocks) +
    aclnn_emulator::replace("vector_add", vector_add) + aclnn_emulator::replace("sum_table", sum_table) +
    aclnn_emulator::replace("count_threads", count_threads) + aclnn_emulator::replace("add_custom", add_custom) +
    aclnn_emulator::replace("add_placeholder", add_placeholder);

}  // namespace

int32_t kernels_registered() { return registered; }
