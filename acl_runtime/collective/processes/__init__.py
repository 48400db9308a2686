"""Ranks of other processes of this host.

folder        the folder with the sockets of root informations
rendezvous    how the processes of a communicator find each other
link          a connection to another process
segments      memory that a process hands to others
connections   the other processes of one communicator
distant       the ranks of a communicator that are in other processes, and what is said about its operations
standstill    deadlocks of several processes
plain         texts and histories as plain values
place         the meeting place

Two threads serve all processes (`acl_runtime.streams.shared`): the reader takes what other processes send, and the
progress thread runs what they need. A host thread that waits does both by itself.

**One task, one message.** A rank that arrives at an operation sends its request and a copy of its bytes to the
processes of the other ranks. Then its stream stands still until theirs have come. Each process computes the results of
its own ranks. The message is also a demand: the receiver runs its streams up to its own operation, so a schedule that
runs only what is needed stays as it is.

**Who listens.** The process that makes a root information, until all ranks have joined. It hands connected pairs of
sockets to the processes, so no other process ever has an address. Each communicator has connections of its own; they
end with it.

**What is sent.** Packets with a JSON object and bytes. Long data lies in memory without a name, whose descriptor is
handed over. Nothing is left when all processes are killed, except the socket of a root information whose ranks had not
all joined; the next root information of the user removes it.

**Who may join.** Processes of the same user (the folder has mode 0700, and the system says who connects), which know
the secret in the root information.

**Who waits for whom.** Sending never blocks. The thread that reads, a host thread that waits or else the reader thread,
waits for the machine's lock, but for nothing else. So processes that send to each other never stop each other.

Rejected. A process that all ranks meet in: it has to be started, watched and ended. A rank that passes on all messages:
two steps for each message, and all depend on its life. `multiprocessing.shared_memory`: its names survive a kill, and
its tracker is a process of its own. Abstract sockets: they have no permissions.
"""
