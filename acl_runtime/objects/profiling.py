"""The objects of profiling: configurations, iterations, stamps, and domains of marks."""

from acl_runtime.objects.handle_table import Thing
from acl_runtime.text import Text


class ProfilingConfig(Thing):
    """aclprofConfig."""

    kind = Text("profiling configuration")
    destroyer = "aclprofDestroyConfig"

    def __init__(self, devices: tuple[int, ...], metrics: int, switches: int) -> None:
        super().__init__()
        self.devices = devices
        self.metrics = metrics
        self.switches = switches


class SubscribeConfig(Thing):
    """aclprofSubscribeConfig."""

    kind = Text("profiling subscription")
    destroyer = "aclprofDestroySubscribeConfig"


class StepInfo(Thing):
    """aclprofStepInfo: one iteration."""

    kind = Text("profiling step")
    destroyer = "aclprofDestroyStepInfo"

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[int] = set()
        """the values of aclprofStepTag for which the record has a time"""


class Stamp(Thing):
    """A stamp of aclprofCreateStamp: the text of marks and ranges."""

    kind = Text("profiling stamp")
    destroyer = "aclprofDestroyStamp"

    def __init__(self) -> None:
        super().__init__()
        self.message = ""


class Domain(Thing):
    """A domain of marks and ranges, mstxDomainHandle_t."""

    kind = Text("mstx domain")
    destroyer = "mstxDomainDestroy"

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
