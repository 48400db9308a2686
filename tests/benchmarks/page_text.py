"""The words of docs/performance.md; what stands in braces comes from the figures."""

from __future__ import annotations

HEAD = """# Performance

<!-- made by python -m tests.benchmarks.page from performance.json -->

How long calls take, what that means for your tests, and how it was measured. Every number on this page comes from
[the record]({json}) that `{command}` writes, on one machine."""

EXPECT = """## What you can expect

The whole public path: both phases, the launch and the synchronise, with every check on.

{sizes}

- **Unit tests work on small tensors.** There the time is Python's: it hardly depends on the operator, nor on the number
  of elements up to some thousand. {tiny}
- **Large tensors take two to ten times as long as reading and writing them.** They are worked on in tiles that fit the
  cache, on two cores, without temporaries of their size. {large}
- **float16 costs most.** numpy converts it one number at a time; ours takes vector instructions, but several passes.
  {half} Choose float32 where the data type is not what you test.
- **One layout for all tensors is best**, transposed or not. {mixed} Strided and transposed inputs also need workspace,
  as on a device. What the tiles do not cover is computed by the plain formula, with temporaries as large as the
  tensors.
- **`Machine(checks=False)`** leaves out the search for races and early frees, a part of each call that does not depend
  on its tensors ([how much](#the-search-for-mistakes)). **`Machine(fast=False)`** computes every operator by its plain
  formula, which is what its file in `aclnn/ops` says and what the quick path is tested against: for when you doubt a
  result. Both can be set in the environment, `ACL_EMULATOR_FAST=0`."""

RATIOS = """## Against torch

![Our time over torch's, by case and data type](performance.svg)

{goals} A ratio below 1 is quicker than torch's CPU operators, of which the better of one and two threads counts.
The floor is what it takes to stream as many bytes through numpy, in the same proportion of reads and writes; a share
of 100% is all the bandwidth there is. It is right to some 15%, so shares above 100% occur.

### Large tensors

{large}

### Medium and tiny tensors

{small}"""

MEMORY = """## Memory

What a call needs at its worst moment above what its caller holds, the workspace among it; the limit is
{limit} MB whatever the size. The workspace is what the first phase asks for: that of a device, in which 16-bit and
strided inputs need copies.

{table}"""

MISSED = """The tables tell which were not. The goals were set on a processor with AVX-512 and twice the cache for each
core; without it, numpy's exponential takes several times as long, and 16-bit conversions go through half as many
numbers at once."""

ACCURACY = """## Accuracy

The largest error against float64, ours / torch's, on a sample of each large case. For float32 results in units of 2^-24
of the sum of the magnitudes of the terms; for results of 16 bits in units in the last place, of which half a one is the
least, with the share that is not the nearest number. The bound is that of the tests, half a unit in the last place and
8 * 2^-24 of the terms; 1.00 is the rounding of a 16-bit result alone. The last column: are the bits the same with one
thread and with two?

{table}"""

METHOD = """## How it was measured

`{command}`, on

{environment}

- A case's contenders (we, torch with one thread and with two, the streams of the floor with one and with two) take
  turns in rounds, each round in another order; the fastest round of each counts. The ratios are what carries over to
  another machine, not the times.
- Our tensors lie on the device beforehand, outputs were written before ("warm"), the workspace is allocated once. torch
  writes into warm outputs where its operator has a form for it: `_softmax_backward_data.out`,
  `nll_loss_backward.grad_input` followed by `_log_softmax_backward_data.out`; `_prelu_kernel_backward` with the sum for
  each channel, `native_batch_norm_backward` without the gradient of the input, and `embedding_dense_backward` allocate.
- The most memory is the kernel's count (VmHWM) in a process of its own, in which all buffers were written beforehand.
- Data: normal numbers, and a softmax of them; weights, statistics and sums of batch normalisation are float32; the
  indices of an embedding are uniform, or fall off as 1/k ("zipf").

`python -m tests.benchmarks --help` tells how to measure a part of it; `--smoke` takes seconds, needs no torch, and
fails in continuous integration when one of our own paths falls behind another."""
