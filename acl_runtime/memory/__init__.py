"""Memory: addresses of devices, bytes in the host, pinned memory, and copies between them.

The modules, from the address to the copy:

    device_memory            gives out the addresses of one device, and finds the allocation at an address
    allocation               one allocation: its address on the device, and its bytes in this process
    reservation, virtual     reserved addresses, and what is mapped to them
    physical                 the memory that is mapped, by handle
    sizes                    units of bytes
    shared                   memory that processes of one user share
    host_budget              refuses allocations before the host has too little memory
    pinned, chunk            host memory that devices may reach, cut from large mappings
    host                     reads and writes memory of the host program without the risk of a crash
    copies, row_copies       move bytes between host and device
    reading                  lets a test look at device memory
    ranges, located_ranges   the ranges that a task uses, and the allocation behind each
    layout                   the bytes that a strided view covers: geometry only
    private_formats          where the elements of the format FRACTAL_NZ lie
    intervals, pieces, freed containers for ranges
    ports                    the protocols of the machine that these modules need

Windows. A device address is a number in a window: a range of addresses that is reserved in this process and
inaccessible. So pointer arithmetic works, and two comparisons show whether an address belongs to a device. A host
program that dereferences a device pointer gets a segmentation fault, as with a real device. The bytes of an allocation
have another address: they are in `Allocation.buffer`.

Fill value. Reads of fresh device memory must return the fill value: 0xFF by default, which is NaN in every float type.
But an allocation of 64 GiB must not take memory. So the buffer of a large allocation is an anonymous mapping, and the
fill value is written lazily: only to bytes that were never written, before a read or a numpy view first needs them.

Two sets of ranges. Each allocation keeps two sets of intervals, which are easily confused:

    filled bytes of the buffer with valid values: a copy or kernel wrote them, or the fill value was written. The set
              changes when work runs. Without it, reads would return wrong bytes.
    written bytes that the host program writes by a call or by a task, also one that is still queued. The set changes
              when work is queued. Only the check `uninit-read` uses it; it stays empty with checks=False.

Host memory. A host address is often a plain number, and may be wrong. memcpy from a wrong address would crash the
process. The system call `process_vm_readv` on this process returns an error instead, and takes about two microseconds.
Where it is forbidden or missing, a pipe is slower and does the same.
Only memory of the emulator and memory that a living Python object owns are accessed directly.

Rejected. Host memory at the same address as device memory: misuse would not be detected. A page-fault handler that
fills pages lazily: it needs userfaultfd, which containers forbid. Filling at allocation: it would take 64 GiB.

Known limits. Freed addresses are used again only when all other addresses are used up. After that, a program that uses
a very old pointer accesses another allocation without a finding. Between the check of a host address and the copy,
another thread may unmap the memory; the copy itself then fails with a finding, not a crash.
"""
