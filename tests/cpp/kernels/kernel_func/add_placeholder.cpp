#include "kernel_operator.h"

extern "C" __global__ __aicore__ void add_placeholder(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR length, GM_ADDR tiles)
{
    AscendC::GlobalTensor<half> sum;
    sum.SetGlobalBuffer((__gm__ half *)z, *(__gm__ int32_t *)length / *(__gm__ int32_t *)tiles);
}
