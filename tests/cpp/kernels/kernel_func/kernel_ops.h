#ifndef KERNEL_OPS_H
#define KERNEL_OPS_H

#include <cstdint>

extern int32_t total;  // a variable of the device
extern const uint32_t table[3];

void EasyOP(uint32_t blockDim, void *stream, uint32_t *x);
void ShortOP(uint32_t blockDim, void *stream, uint32_t *x);
void LongOP(uint32_t blockDim, void *stream, uint32_t *x);
void ErrorOP(uint32_t blockDim, void *stream);
void WriteDo(uint32_t blockDim, void *stream, int *p, int v);
void ReadDo(uint32_t blockDim, void *stream, int *p);
void PrintDo(uint32_t blockDim, void *stream);
void AddDo(uint32_t blockDim, void *stream, float *a, float *b, float *dst, uint32_t n);
int32_t VectorAddDo(uint32_t blockDim, void *stream, float *a, float *b, float *dst, float alpha, uint32_t n);
void SumDo(uint32_t blockDim, void *stream);

#endif
