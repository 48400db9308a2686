"""Is this only a consequence of something that was reported already?"""

from acl_runtime.machine.ports import Memories


class Consequences:
    """What is tainted by a finding, or by a call that a finding ended."""

    def __init__(self, memories: Memories) -> None:
        self._memories = memories
        self.spared: set[object] = set()
        """what is still there, as a finding told why it could not be released, or used up: no leak besides; objects by
        their numbers"""

    def spare(self, number: int) -> None:
        """A finding ended a call that would have released, or used up, what has this address or handle."""
        memory = self._memories.memory_at(number)
        self.spared.add((memory.at(number) if memory is not None else self._memories.pinned.at(number)) or number)
