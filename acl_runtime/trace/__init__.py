"""What a machine remembers of the past: calls, tasks, and their names.

`records` keeps each call of the host (`machine.calls`) and each task that ran (`machine.tasks`); `lines` writes a
call as a line of C with its outputs and its status; `names` gives objects and addresses names that repeat in every
run ("stream 2", "device 0 + 0x600"), as numbers do not; `chrome_trace` writes all of it in the Trace Event Format for
Perfetto and for `acl_runtime.timeline`.

Design. Recording happens on every call, reading almost never. A record keeps the raw values and formats them when
somebody asks. The last 10,000 calls and tasks are kept; `trace=True` keeps all.

Rejected. Python's `logging`: each record would be formatted or filtered on the way, which costs more than the call
itself.
"""
