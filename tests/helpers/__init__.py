"""Helpers for the tests of several folders. No module here has a test.

builders, planned_operators, pipelined_job    tensors, and both phases of operators
creating, machines                            streams, events, pinned memory; machines under every schedule
outcomes, failing_tasks                       status, text and finding of a call; tasks that fail on the device
memory                                        kinds of memory, and ways to copy
stream_gate, host_threads                     streams that wait; several host threads
operator_launches, error_bounds               a good call of any operator, and the error that its result may have
own_process, forks                            programs in a process of their own, and a fast way to start one
timeline_programs                             machines after a program, to draw
doc_blocks, doc_reader, module_state          code blocks of the documentation; state that modules keep
"""
