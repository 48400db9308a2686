"""A tensor list that is created in every step and never destroyed.

The list owns the tensors and destroys them, but nothing destroys the list. No call fails. The memory of the host fills
up, by a few hundred bytes in each step, until the process is killed hours later.
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
