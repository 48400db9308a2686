"""The trace of a machine: the calls of the host, the tasks that ran, and their names.

`records` has a record for each call of the host (`machine.calls`); `streams.ran` does the same for tasks. `c_lines`
writes a call as a line of C with its outputs and its status. `object_names` has names of objects and addresses that are
the same in every run ("stream 2", "device 0 + 0x600"). `chrome_trace` writes the trace in the Trace Event Format, for
Perfetto and for `acl_runtime.timeline`, with parts in `finding_events` and `events`. `program` makes the title.

Design. Every call is recorded, and few records are read. So a record has raw values, and formats them lazily. The last
10,000 calls and tasks are stored; with `trace=True`, all.

Rejected. Python's `logging`: it filters or formats each record at once, which takes longer than the call itself.
"""
