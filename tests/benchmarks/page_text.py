"""The text of docs/performance.md. Parts in braces are filled in from the figures."""

from __future__ import annotations

HEAD = """# Performance

<!-- made by python -m tests.benchmarks.page from performance.json -->

The time of calls, what it means for your tests, and how it was measured. Every number on this page comes from [the
record]({json}) that `{command}` writes, on one machine."""

EXPECT = """## What you can expect

The whole public path: both phases, the launch and the synchronise, with every check on.

{sizes}

- **Unit tests use small tensors.** There most of the time is spent in Python. It hardly depends on the operator, or on
  the number of elements up to some thousand. {tiny}
- **Large tensors are computed in blocks** that fit the cache, on two cores, without temporaries of their size. {large}
- **16-bit types are computed in float32** and rounded once. {half}
- **One layout for all tensors is best**, transposed or not. {mixed} Strided and transposed inputs also need workspace,
  as on a device. Cases that the blocks do not support are computed in parts by the plain formula; [a
  few](#memory) need temporaries as large as the tensors.
- **`Machine(checks=False)`** leaves out the search for races and early frees. It costs the same for tensors of any size
  ([how much](#the-search-for-mistakes)). **`Machine(fast=False)`** computes every operator by its plain formula, which
  is in its file in `aclnn/ops`; the blocks are tested against it. Use it if you doubt a result.
- **A C compiler at hand makes it faster.** `pip install` then compiles an evaluator that computes medium and large
  tensors block by block, without Python's lock and with 16-bit conversions on the way. `aclnn doctor` names its build,
  and the environment variable `ACL_EMULATOR_NATIVE=0` turns it off. Then numpy computes the formula operation by
  operation, in row blocks. `machine.compute_threads.counts` says how often each computed, and why numpy
  did.
- **Products of matrices, convolutions and attention never wait for a core.** numpy's BLAS has one thread while a task
  computes. The evaluator shares the work among threads of its own, and does the work of one that does not run. On a
  busy machine, two threads of BLAS may take 10 ms longer than one. Without the evaluator, or with a BLAS that is no
  OpenBLAS with integers of 64 bits, products have one thread; `aclnn doctor` says so. OpenBLAS chooses its kernels by
  the processor. If it does not know yours, the environment variable `OPENBLAS_CORETYPE` may double the speed, as
  `SkylakeX` does on AMD processors of 2024 with AVX-512."""

RATIOS = """## Against torch

![Our time over torch's, by case and data type](performance.svg)

{goals}

A ratio below 1 is faster than the CPU operators of torch, with one or two threads, whichever is faster.
The floor is the time to stream as many bytes through numpy, in the same proportion of reads and writes; a share
of 100% is the full bandwidth. It is accurate to about 15%, so shares above 100% occur.

### Large tensors

{large}

### Medium and tiny tensors

{small}"""

MEMORY = """## Memory

The peak of the memory that a call needs in addition to the memory of its caller. The peak includes the workspace.
Above the workspace, the limit is {limit} MB for any size; it was measured with an eighth of the rows. The workspace is
that of a device, where 16-bit and strided inputs need copies.

{table}

These are known to need more than 64 MiB on large tensors:

| what | temporaries | why |
|---|---|---|
| Logdet, Slogdet of one large matrix | twice the matrix | numpy computes it in float64 |
| Inverse, LinalgCholesky, TriangularSolve, Qr of one | 5 to 8 times the matrix | the same, with the results |
| UniqueDim with rows of several elements | 20 bytes a row | `np.lexsort` numbers whole rows by int64 |
| MaskedSelect, and masks of Index and IndexPutImpl | 8 bytes for each chosen element and dimension | numpy has int64 |

Stacks of small matrices are computed in parts. A long row is sorted by ranges of values, which takes about 50 MiB for
any length; its positions, 8 bytes each, go straight to the output or the workspace."""

MISSED = """## Goals that are not met

The same run measured what such a case cannot be below, each divided by the time of torch:

- **bytes alone**: numpy reads and writes as many bytes, and does nothing else;
- **numpy alone**: one function of numpy does the same work in float32, such as its product of matrices;
- **a call alone**: a call on a tensor of eight numbers, with all checks: of the same operator if the tables have one,
  and of softmax if not. It is the same for a tensor of any size.

If one of these is above the goal, the goal cannot be met on this computer by a faster formula. A call with the kernel
of torch inside it would take 1 and a call alone. If that is above the goal, only a kernel faster than torch's can meet
it. The rest is the time of the formula itself.

{table}"""

ACCURACY = """## Accuracy

The largest error against float64, ours / torch's, on a sample of each large case. For float32 results it is in units of
2^-24 of the sum of the magnitudes of the terms. For 16-bit results it is in units in the last place (rounding alone
costs up to a half), together with the share of results that are not the nearest number. The bound is that of the
tests, half a unit in the last place plus 8 * 2^-24 of the terms; 1.00 is the rounding of a 16-bit result alone. The
last column says whether the bits are the same with one thread and with two.

{table}"""

METHOD = """## How it was measured

`{command}`, on

{environment}

- The contenders of a case are this emulator, torch with one thread and with two, and the streams of the floor with one
  and with two. They take turns in rounds, each round in another order; the fastest round of each counts. On another
  machine the times differ, but the ratios are similar.
- Our tensors are on the device beforehand. Outputs were written before ("warm"). The workspace is allocated once. torch
  writes into warm outputs where its operator has a form for it: `_softmax_backward_data.out`,
  `nll_loss_backward.grad_input` followed by `_log_softmax_backward_data.out`; `_prelu_kernel_backward` with the sum for
  each channel, `native_batch_norm_backward` without the gradient of the input, and `embedding_dense_backward` allocate.
- The peak of memory is VmHWM of the kernel, in a separate process in which all buffers were written beforehand.
- Data: normal numbers, and a softmax of them; weights, statistics and sums of batch normalisation are float32; the
  indices of an embedding are uniform, or fall off as 1/k ("zipf").

`python -m tests.benchmarks --help` shows how to measure a part of it. `--smoke` takes seconds and needs no torch; it
fails in continuous integration when one of our own paths becomes much slower than another."""
