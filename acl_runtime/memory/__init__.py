"""Memory: addresses of devices, bytes in the host, pinned memory, and copies between them.

`device_memory` gives out addresses of one device and knows what lies where; an `allocation` is one piece with its
bytes; `pinned` is memory of the host that devices may reach, cut from `chunk`s; `host` reads and writes memory of the
program through the kernel, so that a wrong address is an answer and no crash; `copies` and `rows` move bytes between
the two; `layout` is the geometry of strided views; `intervals`, `pieces` and `freed` are the containers for ranges.

Design. A device address is a real number in a window that is reserved but inaccessible. Pointer arithmetic works, a
range check is two comparisons, and a program that reads a device pointer on the host faults as it would on a device's
machine. The bytes lie elsewhere in this process. Fresh memory must read as the fill (0xFF by default), yet allocating
64 GiB must cost nothing: written ranges are kept as intervals, and the fill is put into a gap when a read or a view
first meets it. Host addresses that arrive as plain numbers are checked with `process_vm_readv`, about two
microseconds, before they are touched.

Rejected. Device memory that is simply host memory at its own address: every misuse would go unnoticed. A page-fault
handler that fills pages lazily: it needs userfaultfd, which containers forbid.

Open doubts. Freed addresses come back only when all others are used up; a program that keeps a very old pointer for
hours may then see another allocation's memory. The history still names it.
"""
