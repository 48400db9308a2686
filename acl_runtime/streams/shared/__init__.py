"""Events and notifies, which streams of several processes of one user share.

helpers    the two threads of a machine that serve other processes
reader     the thread that takes what other processes send, unless a host thread waits for it
progress   the thread that runs what other processes need
page       words in memory that processes share, and the processes that have it
sharing    the pages of this process, and the pipes by which processes wake each other
event      events of several processes
notify     notifies, within a process and between processes

**A page.** The state of an event or notify is a few words in a file in memory (`memory.shared.exports` finds it). The
page also lists the processes that have it open. Each process has a pipe; the others open it by the number of its
descriptor, and write a byte when the words have changed. So nothing has a name, nobody polls, and nothing is left of a
process that was killed.

**Who runs what.** A process that waits writes into the page what it waits for. The other process then runs its streams
up to the record, on the progress thread, whatever its host threads do.

**Order.** The vector clocks of other processes are unknown. A wait for another process is ordered after all records and
notifies of this process that the other one may have waited for. So a race may be missed, but none is invented.
"""
