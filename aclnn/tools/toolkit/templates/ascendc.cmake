# Sample projects include this file. It is empty, because this toolkit builds host programs and cannot compile kernels
# for a device. A project that calls ascendc_library() or ascendc_fatbin_library() stops there with an error.
