"""Memory that processes of one user share.

exports        what a process has exported, and how another one finds it: physical memory, memory, events, notifies
interprocess   memory of aclrtMalloc
"""
