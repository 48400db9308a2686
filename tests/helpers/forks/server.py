"""Runs Python programs in forks of one process that has imported the emulator already.

A new interpreter takes a quarter of a second to import numpy and the emulator. A fork of this process has them. It gets
the arguments, environment, folder and files of the client, runs the program as `__main__`, and ends as the interpreter
does: with the functions of atexit, and the report of the emulator.

A program that needs another encoding, or options of Python itself, gets a new interpreter (`exec`)."""

from __future__ import annotations

import gc
import linecache
import marshal
import os
import runpy
import select
import signal
import socket
import sys
from contextlib import suppress
from types import ModuleType
from typing import Any, NamedTuple

import ml_dtypes  # noqa: F401
import numpy as np  # noqa: F401

import aclnn  # noqa: F401
from acl_runtime import *

__name__ = "_pytest.fork_server"  # the emulator does not show frames of a test runner
ANYWHERE = ("PYTHONPATH",)
FILES = (0, 1, 2)
ENDED = 1
"""the exit status after an exception"""


class Job(NamedTuple):
    """A program to run."""

    words: list[str]
    """the arguments of Python"""
    folder: str
    environment: dict[str, str]


def serve(path: str) -> Job:
    """Fork for each client until stdin is closed. Returns in the children only."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(f"{path}.begun")
    listener.listen()
    os.rename(f"{path}.begun", path)  # now clients may come
    running: dict[int, tuple[int, socket.socket]] = {}
    while True:
        ready, _, _ = select.select([0, listener, *running], [], [])
        if 0 in ready:
            os._exit(0)
        for each in ready:
            if each is not listener:
                child, client = running.pop(each)
                os.close(each)
                with client, suppress(OSError):  # a client that was killed does not wait
                    client.sendall(str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])).encode())
                continue
            client, _ = listener.accept()
            message, files, _, _ = socket.recv_fds(client, 1 << 16, len(FILES))
            while piece := client.recv(1 << 16):
                message += piece
            child = os.fork()
            if not child:
                for file, mine in zip(files, FILES, strict=True):
                    os.dup2(file, mine)
                    os.close(file)
                for open_one in (*(one for _, one in running.values()), client, listener):
                    open_one.close()
                return Job(*marshal.loads(message))
            for file in files:
                os.close(file)
            running[os.pidfd_open(child)] = child, client


def begin(job: Job) -> None:
    """Take over the environment and the folder. A program that needs an interpreter of its own gets one."""
    alike = settings(job.environment) == settings(dict(os.environ))
    os.chdir(job.folder)
    os.environ.clear()
    os.environ.update(job.environment)
    if not alike or not job.words or (job.words[0].startswith("-") and job.words[0] not in ("-c", "-m")):
        os.execv(sys.executable, [sys.executable, *job.words])
    paths = job.environment.get("PYTHONPATH", "").split(os.pathsep)
    sys.path[:1] = [first_path(job), *filter(None, paths)]


def settings(environment: dict[str, str]) -> dict[str, str]:
    """The variables that Python reads when it starts."""
    return {
        name: value
        for name, value in environment.items()
        if name.startswith(("PYTHON", "LC_", "LANG")) and name not in ANYWHERE
    }


def first_path(job: Job) -> str:
    first = job.words[0]
    folder = first if os.path.isdir(first) else os.path.dirname(os.path.abspath(first))
    return {"-c": "", "-m": job.folder}.get(first, folder)


def run(job: Job) -> None:
    """Run a module, a text or a file as `__main__`, and show an exception as Python does."""
    first, *rest = job.words
    try:
        if first == "-m":
            sys.argv = rest
            runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
            return
        if os.path.isdir(first):
            sys.argv = job.words
            runpy.run_path(first, run_name="__main__")
            return
        main: Any = ModuleType("__main__")
        sys.modules["__main__"] = main
        main.__builtins__, main.__annotations__ = __builtins__, {}
        if first == "-c":
            sys.argv, text, name = ["-c", *rest[1:]], rest[0], "<string>"
        else:
            sys.argv, name = job.words, os.path.abspath(first)
            main.__file__ = name
            with open(name, "rb") as file:
                text = file.read()
        code = compile(text, name, "exec")
        if first == "-c" and (register := getattr(linecache, "_register_code", None)):
            # from Python 3.13 on the interpreter does this, for the lines of tracebacks; 3.13.0 finds them by the name
            register(code if hasattr(linecache, "_interactive_cache") else name, text, name)
        exec(code, main.__dict__)
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException as error:
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_globals.get("__name__") in (__name__, "runpy"):
            trace = trace.tb_next
        sys.last_type, sys.last_value, sys.last_traceback = type(error), error, trace
        sys.excepthook(type(error), error.with_traceback(trace), trace)
        raise SystemExit(ENDED) from None


def main(path: str) -> None:
    """In the server this never returns, in its forks it runs the program."""
    gc.freeze()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a test run in the background ignores it
    job = serve(path)
    begin(job)
    run(job)
