// Kernels of this project, as Ascend C has them. No compiler here reads their bodies.
#include "kernel_ops.h"

#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t BUFFER_NUM = 2;
__gm__ int32_t total = 5;
const __gm__ uint32_t table[3] = {1, 2, 3};

class VectorAdd {
public:
    __aicore__ inline VectorAdd() {}
    __aicore__ inline void Process(GM_ADDR a, GM_ADDR b, GM_ADDR dst, float alpha, uint32_t n)
    {
        pipe.InitBuffer(queue, BUFFER_NUM, n * sizeof(float));
        first.SetGlobalBuffer((__gm__ float *)a, n);
        for (uint32_t i = GetBlockIdx(); i < n; i += GetBlockNum()) { first.SetValue(i, alpha); }
    }

private:
    TPipe pipe;
    TQue<QuePosition::VECIN, BUFFER_NUM> queue;
    GlobalTensor<float> first;
};

extern "C" __global__ __aicore__ void easy_op(__gm__ uint32_t *x) { x[GetBlockIdx()] += 1; }
extern "C" __global__ __aicore__ void short_op(__gm__ uint32_t *x) { x[GetBlockIdx()] *= 2; }
extern "C" __global__ __aicore__ void long_op(__gm__ uint32_t *x)
{
    for (uint64_t i = 0; i < 0xFFFFFFFF; ++i) { x[GetBlockIdx()] += (i == 7); }
}
extern "C" __global__ __aicore__ void error_op() { trap(); }
extern "C" __global__ __aicore__ void write_number(__gm__ int *p, int v)
{
    p[GetBlockIdx()] = v;
    PRINTF("Source data: %d\n", v);
}
extern "C" __global__ __aicore__ void read_number(__gm__ int *p) { PRINTF("Destination data: %d\n", p[GetBlockIdx()]); }
extern "C" __global__ __aicore__ void print_hello() { PRINTF("Hello World\n"); }
extern "C" __global__ __aicore__ void add_blocks(GM_ADDR a, GM_ADDR b, GM_ADDR dst, uint32_t n)
{
    VectorAdd op;
    op.Process(a, b, dst, 1, n);
}
extern "C" __global__ __aicore__ void vector_add(GM_ADDR a, GM_ADDR b, GM_ADDR dst, float alpha, uint32_t n)
{
    VectorAdd op;
    op.Process(a, b, dst, alpha, n);
}
extern "C" __global__ __aicore__ void sum_table()
{
    for (uint32_t i = 0; i < 3; ++i) { total += table[i]; }
}

static uint8_t *bytes(float *address) { return reinterpret_cast<uint8_t *>(address); }

void EasyOP(uint32_t blockDim, void *stream, uint32_t *x) { easy_op<<<blockDim, nullptr, stream>>>(x); }
void ShortOP(uint32_t blockDim, void *stream, uint32_t *x) { short_op<<<blockDim, nullptr, stream>>>(x); }
void LongOP(uint32_t blockDim, void *stream, uint32_t *x) { long_op<<<blockDim, nullptr, stream>>>(x); }
void ErrorOP(uint32_t blockDim, void *stream) { error_op<<<blockDim, nullptr, stream>>>(); }
void WriteDo(uint32_t blockDim, void *stream, int *p, int v) { write_number<<<blockDim, nullptr, stream>>>(p, v); }
void ReadDo(uint32_t blockDim, void *stream, int *p) { read_number<<<blockDim, nullptr, stream>>>(p); }
void PrintDo(uint32_t blockDim, void *stream) { print_hello<<<blockDim, nullptr, stream>>>(); }
void AddDo(uint32_t blockDim, void *stream, float *a, float *b, float *dst, uint32_t n)
{
    add_blocks<<<blockDim, nullptr, stream>>>(bytes(a), bytes(b), bytes(dst), n);
}
int32_t VectorAddDo(uint32_t blockDim, void *stream, float *a, float *b, float *dst, float alpha, uint32_t n)
{
    vector_add<<<blockDim, nullptr, stream>>>(bytes(a), bytes(b), bytes(dst), alpha, n);
    return 0;
}
void SumDo(uint32_t blockDim, void *stream) { sum_table<<<blockDim, nullptr, stream>>>(); }
