"""Stands in for `python`: asks the fork server to run a program with our arguments, folder, environment and files, and
ends as it ended. It imports next to nothing, so that it starts fast."""

import _signal
import _socket
import array
import marshal
import os
import sys

server = _socket.socket(_socket.AF_UNIX)
server.connect(sys.argv[1])
message = marshal.dumps((sys.argv[2:], os.getcwd(), dict(os.environ)))
files = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, array.array("i", (0, 1, 2)))]
sent = server.sendmsg([message], files)
while sent < len(message):
    sent += server.send(message[sent:])
server.shutdown(_socket.SHUT_WR)
for file in (0, 1, 2):
    os.close(file)  # the program has them
status = int(server.recv(16) or 1)
if status < 0:  # a signal ended the program
    if -status != _signal.SIGKILL:
        _signal.signal(-status, _signal.SIG_DFL)
    os.kill(os.getpid(), -status)
os._exit(status)
