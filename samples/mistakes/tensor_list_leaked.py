"""A tensor list that is made in every step and never destroyed.

The tensors are destroyed by the list that owns them, and the list by nobody. Nothing fails: the host's memory fills up,
a few hundred bytes a step, until the process is killed hours later.
"""

from common import *


def step(memory):
    parts = [tensor(c_void_p(memory.value + 256 * i), [8, 8]) for i in range(4)]
    return aclCreateTensorList(parts, len(parts))  # aclDestroyTensorList is missing


def main():
    stream = start()
    memory = device_memory(1024)
    for _ in range(100):
        parts = step(memory)
        assert parts
    check(aclrtFree(memory), "aclrtFree")
    finish(stream)


if __name__ == "__main__":
    main()
