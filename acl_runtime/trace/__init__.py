"""The trace of a machine: the calls of the host, the tasks that ran, and their names.

`records` keeps each call of the host (`machine.calls`); `streams.ran` does the same for tasks. `c_lines` writes a call
as a line of C with its outputs and its status. `object_names` names objects and addresses in a way that is the same in
every run ("stream 2", "device 0 + 0x600"). `chrome_trace` writes the trace in the Trace Event Format, for Perfetto and
for `acl_runtime.timeline`; `finding_events` and `events` are parts of that. `program` names the program in its title.

Design. Every call is recorded, and few records are read. So a record keeps raw values, and formats them lazily. The
last 10,000 calls and tasks are kept; `trace=True` keeps all.

Rejected. Python's `logging`: it would filter or format each record at once, which costs more than the call itself.
"""
