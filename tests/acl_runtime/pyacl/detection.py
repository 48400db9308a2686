"""An object detector with pyACL, in the manner of programs for offline models: load, describe, copy images of a batch,
execute, keep the best boxes. `detect(acl, path)` returns for each image its boxes; each mistake is one that programs
make."""

from __future__ import annotations

from typing import Any

import numpy as np

H2D, D2H = 1, 2
SCORE, OVERLAP = 0.5, 0.4


def check(name: str, ret: int) -> None:
    if ret:
        raise RuntimeError(f"{name}: {ret}")


class Detector:
    """The model, and the buffers that all its executions use."""

    def __init__(self, acl: Any, path: str, mistake: str) -> None:
        self.acl, self.mistake = acl, mistake
        self.model, ret = acl.mdl.load_from_file(path)
        check("load_from_file", ret)
        self.desc = acl.mdl.create_desc()
        check("get_desc", acl.mdl.get_desc(self.desc, self.model))
        counts = acl.mdl.get_num_inputs(self.desc), acl.mdl.get_num_outputs(self.desc)
        self.inputs = self._data_set([acl.mdl.get_input_size_by_index(self.desc, i) for i in range(counts[0])])
        sizes = [acl.mdl.get_output_size_by_index(self.desc, i) for i in range(counts[1])]
        self.outputs = self._data_set([size // 4 for size in sizes] if mistake == "short" else sizes)

    def _data_set(self, sizes: list[int]) -> int:
        data_set = self.acl.mdl.create_dataset()
        for size in sizes:
            address, ret = self.acl.rt.malloc(size, 0)
            check("malloc", ret)
            _, ret = self.acl.mdl.add_dataset_buffer(data_set, self.acl.create_data_buffer(address, size))
            check("add_dataset_buffer", ret)
        return data_set

    def _memory(self, data_set: int, index: int) -> tuple[int, int]:
        buffer = self.acl.mdl.get_dataset_buffer(data_set, index)
        return self.acl.get_data_buffer_addr(buffer), self.acl.get_data_buffer_size(buffer)

    def run(self, images: Any) -> list[list[list[int]]]:
        """The boxes in each image."""
        acl, raw = self.acl, images.tobytes()
        address, size = self._memory(self.inputs, 0)
        check("memcpy", acl.rt.memcpy(address, size, acl.util.bytes_to_ptr(raw), len(raw), H2D))
        if self.mistake != "gear":
            index, ret = acl.mdl.get_input_index_by_name(self.desc, "ascend_mbatch_shape_data")
            check("get_input_index_by_name", ret)
            check("set_batch", acl.mdl.set_dynamic_batch_size(self.model, self.inputs, index, len(images)))
        stream, ret = acl.rt.create_stream()
        check("create_stream", ret)
        check("execute_async", acl.mdl.execute_async(self.model, self.inputs, self.outputs, stream))
        if self.mistake != "early":
            check("synchronize_stream", acl.rt.synchronize_stream(stream))
        dims, ret = acl.mdl.get_cur_output_dims(self.desc, 0)
        check("get_cur_output_dims", ret)
        boxes = np.zeros(dims["dims"][: dims["dimCount"]], np.float32)
        address, _ = self._memory(self.outputs, 0)
        check("memcpy", acl.rt.memcpy(boxes.ctypes.data, boxes.nbytes, address, boxes.nbytes, D2H))
        check("destroy_stream", acl.rt.destroy_stream(stream))
        return [best(rows) for rows in boxes]

    def close(self) -> None:
        acl = self.acl
        for data_set in (self.inputs, self.outputs):
            for i in range(acl.mdl.get_dataset_num_buffers(data_set)):
                buffer = acl.mdl.get_dataset_buffer(data_set, i)
                check("free", acl.rt.free(acl.get_data_buffer_addr(buffer)))
                check("destroy_data_buffer", acl.destroy_data_buffer(buffer))
            check("destroy_dataset", acl.mdl.destroy_dataset(data_set))
        check("destroy_desc", acl.mdl.destroy_desc(self.desc))
        if self.mistake != "loaded":
            check("unload", acl.mdl.unload(self.model))


def overlap(a: Any, b: Any) -> float:
    """Intersection over union of two boxes: x, y, width, height."""
    width = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    height = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    common = max(width, 0) * max(height, 0)
    return float(common / (a[2] * a[3] + b[2] * b[3] - common))


def best(rows: Any) -> list[list[int]]:
    """The boxes above the score that overlap no better box."""
    kept: list[Any] = []
    for row in sorted(rows, key=lambda row: -row[4]):
        if row[4] > SCORE and all(overlap(row, other) < OVERLAP for other in kept):
            kept.append(row)
    return [[int(value) for value in row[:4]] for row in kept]


def detect(acl: Any, path: str, images: Any, mistake: str = "") -> list[list[list[int]]]:
    check("init", acl.init())
    check("set_device", acl.rt.set_device(0))
    detector = Detector(acl, path, mistake)
    boxes = detector.run(images)
    detector.close()
    check("reset_device", acl.rt.reset_device(0))
    check("finalize", acl.finalize())
    return boxes
