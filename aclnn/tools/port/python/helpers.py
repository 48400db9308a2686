"""Small Python functions that some ports need. A port contains only the helpers that it uses."""

from typing import Final

HELPERS: Final[dict[str, str]] = {
    "quotient": '''\
def quotient(a, b):
    """a / b of C++: it rounds towards zero."""
    return a // b if (a < 0) == (b < 0) else -(-a // b)
''',
    "remainder": '''\
def remainder(a, b):
    """a % b of C++: it has the sign of a."""
    return abs(a) % abs(b) * (-1 if a < 0 else 1)
''',
    "push_back": """\
def push_back(vector, value):
    vector.resize(vector.size + 1, refcheck=False)
    vector[-1] = value
""",
    "unique_ptr": '''\
class unique_ptr:
    """Owns a handle or an address: the deleter gets it at the end of the `with` block."""

    def __init__(self, pointer, deleter):
        self.pointer, self.deleter = pointer, deleter

    def get(self):
        return self.pointer

    def release(self):
        pointer, self.pointer = self.pointer, type(self.pointer)()
        return pointer

    def reset(self, pointer=None):
        old, self.pointer = self.pointer, type(self.pointer)() if pointer is None else pointer
        if old:
            self.deleter(old)

    def __bool__(self):
        return bool(self.pointer)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.reset()
''',
    "fopen": """\
def fopen(path, mode):
    try:
        return open(path, mode.replace("b", "") + "b", buffering=0)
    except OSError:
        return None
""",
    "fread": '''\
def fread(memory, size, count, file):
    """Reads into an array of numpy, or a variable of ctypes. Returns the number of whole elements."""
    return file.readinto(memoryview(memory).cast("B")[: size * count]) // size
''',
    "fwrite": """\
def fwrite(memory, size, count, file):
    return file.write(memoryview(memory).cast("B")[: size * count]) // size
""",
    "fclose": """\
def fclose(file):
    file.close()
    return 0
""",
    "fseek": """\
def fseek(file, offset, whence):
    file.seek(offset, whence)
    return 0
""",
    "ftell": """\
def ftell(file):
    return file.tell()
""",
    "ifstream": '''\
class ifstream:
    """A binary file that is read."""

    def __init__(self, path):
        try:
            self.file = open(path, "rb", buffering=0)
        except OSError:
            self.file = None
        self.count, self.failed = 0, self.file is None

    def is_open(self):
        return self.file is not None

    def good(self):
        return not self.failed

    def fail(self):
        return self.failed

    def __bool__(self):
        return not self.failed

    def read(self, memory, size):
        """Reads into an array of numpy, or a variable of ctypes."""
        self.count = 0 if self.failed else self.file.readinto(memoryview(memory).cast("B")[:size])
        self.failed = self.failed or self.count < size

    def gcount(self):
        return self.count

    def seek(self, offset, whence=0):
        if not self.failed:
            self.file.seek(offset, whence)

    def tell(self):
        return -1 if self.failed else self.file.tell()

    def close(self):
        if self.file is not None:
            self.file.close()
        self.file = None
''',
    "ofstream": '''\
class ofstream:
    """A binary file that is written."""

    def __init__(self, path):
        try:
            self.file = open(path, "wb", buffering=0)
        except OSError:
            self.file = None
        self.failed = self.file is None

    def is_open(self):
        return self.file is not None

    def good(self):
        return not self.failed

    def fail(self):
        return self.failed

    def __bool__(self):
        return not self.failed

    def write(self, memory, size):
        if not self.failed:
            self.file.write(memoryview(memory).cast("B")[:size])

    def tell(self):
        return -1 if self.failed else self.file.tell()

    def close(self):
        if self.file is not None:
            self.file.close()
        self.file = None
''',
}
"""the source of each helper, by its name"""
